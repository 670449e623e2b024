/**
 * What the operator opens in spite of the guard. An entry is a host name, a single address or a network, the first two
 * with an optional port. A name opens whatever it resolves to; an address or network opens every name that resolves
 * into it. Metadata services hand out the machine's own credentials, so they are opened only by an entry that is
 * exactly their address, never by a wider network that happens to hold them.
 */
import {
  type Address,
  isSingleAddress,
  type Network,
  networkContains,
  parseAddress,
  parseNetwork,
  purposeOf,
} from './address.ts'
import { bareHost, normalizeHost } from './host-name.ts'

export type EgressRule =
  | { kind: 'host'; host: string; port: number | undefined }
  | { kind: 'network'; network: Network; port: number | undefined }

/** Reads the comma list of `PATCHBAY_EGRESS_ALLOW`; a bad entry throws with a sentence that names it. */
export function parseEgressAllow(text: string): EgressRule[] {
  return text
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '')
    .map(parseEntry)
}

export function opensHost(rules: readonly EgressRule[], host: string, port: number): boolean {
  return rules.some((rule) => rule.kind === 'host' && rule.host === host && opensPort(rule, port))
}

export function opensAddress(rules: readonly EgressRule[], address: Address, port: number): boolean {
  const isMetadata = purposeOf(address) === 'metadata'
  return rules.some(
    (rule) =>
      rule.kind === 'network' &&
      opensPort(rule, port) &&
      networkContains(rule.network, address) &&
      (!isMetadata || isSingleAddress(rule.network)),
  )
}

function opensPort(rule: EgressRule, port: number): boolean {
  return rule.port === undefined || rule.port === port
}

function parseEntry(entry: string): EgressRule {
  if (entry.includes('/')) {
    const network = parseNetwork(entry)
    if (network === undefined) throw refused(entry, 'is not a network such as 10.0.0.0/8 or fd00::/8')
    return { kind: 'network', network, port: undefined }
  }
  const whole = parseAddress(entry)
  if (whole !== undefined) return { kind: 'network', network: parseNetwork(entry)!, port: undefined }

  const match = /^(\[[^\]]*\]|[^:[\]]+)(?::(\d{1,5}))?$/.exec(entry)
  const port = match?.[2] === undefined ? undefined : Number(match[2])
  const host = match === null ? undefined : normalizeHost(match[1]!)
  if (host === undefined || (port !== undefined && (port < 1 || port > 65_535))) {
    throw refused(entry, 'is neither a host, host:port nor a network')
  }
  const network = parseNetwork(bareHost(host))
  return network === undefined ? { kind: 'host', host, port } : { kind: 'network', network, port }
}

function refused(entry: string, why: string): Error {
  return new Error(`The entry "${entry}" of PATCHBAY_EGRESS_ALLOW ${why}.`)
}
