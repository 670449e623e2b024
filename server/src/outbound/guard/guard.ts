/**
 * Decides which addresses may be called for a user. A target is judged twice: from the parsed URL, because Node asks no
 * resolver for an IP literal, and from the resolver's answers at the moment of connecting. A connection is then made to
 * exactly the judged answers, so a name that changes its mind between check and use gains nothing.
 */
import { networkInterfaces } from 'node:os'
import { type Address, type AddressPurpose, isSameAddress, parseAddress, purposeOf } from './address.ts'
import { type EgressRule, opensAddress, opensHost } from './egress-allow.ts'
import { bareHost, withoutLastDot } from './host-name.ts'
import { createResolve, type Resolve } from './resolve.ts'

type Malformed = { kind: 'malformed'; sentence: string }

type UrlVerdict =
  /** `isNamed`: the operator's list names this host or literal; such targets have connections of their own. */
  | { kind: 'open'; url: URL; host: string; port: number; isNamed: boolean }
  | Malformed
  | { kind: 'refused'; reason: string }

type TargetVerdict = { kind: 'open'; addresses: readonly string[] } | { kind: 'refused'; reason: string }

export type Guard = {
  /** Judges what can be known without asking a resolver; the URL comes back with its host in normal form. */
  judgeUrl(address: string | URL): UrlVerdict
  /** Resolves and judges. Rejects when the resolver does; every answer must be open or the whole target is refused. */
  resolveTarget(host: string, port: number): Promise<TargetVerdict>
}

export type GuardOptions = {
  allow: readonly EgressRule[]
  resolve?: Resolve
  /** Addresses of this machine, which are refused even where they are public: its own ports trust their neighbours. */
  ownAddresses?: () => readonly string[]
  /** Told of each refusal; callers of the service only hear that the target could not be reached. */
  onRefusal?: (refusal: GuardRefusal) => void
}

/** For the operator alone. */
export type GuardRefusal = {
  /** Host and port as the caller named them. */
  target: string
  /** The address behind it that is closed. */
  address: string
  reason: string
  /** The entry of `PATCHBAY_EGRESS_ALLOW` that would open it, and nothing else. */
  allowEntry: string
}

/** What can be said of a host and port without asking anybody: it stays true as long as the guard lives. */
type Opinion =
  | { literal: undefined; isNamed: boolean; purpose?: never }
  | { literal: Address; isNamed: boolean; purpose: AddressPurpose }
const opinionsMax = 1_000

export function createGuard({
  allow,
  resolve = createResolve(),
  ownAddresses = createOwnAddresses(),
  onRefusal = () => {},
}: GuardOptions): Guard {
  const opinionOf = createOpinions(allow)

  function reasonAgainst(address: Address | undefined, text: string, port: number): string | undefined {
    if (address === undefined) return `"${text}" is not an address.`
    return opensAddress(allow, address, port) ? undefined : reasonFrom(purposeOf(address), address, text)
  }

  function reasonFrom(purpose: AddressPurpose, address: Address, text: string): string | undefined {
    if (purpose !== 'public') return `${text} is not a public address (${purpose}).`
    const isOwn = ownAddresses().some((own) => {
      const parsed = parseAddress(own)
      return parsed !== undefined && isSameAddress(parsed, address)
    })
    return isOwn ? `${text} is an address of this machine.` : undefined
  }

  function refuse(host: string, port: number, address: string, reason: string): { kind: 'refused'; reason: string } {
    const target = `${host}:${port}`
    onRefusal({ target, address, reason, allowEntry: target })
    return { kind: 'refused', reason }
  }

  return {
    judgeUrl(given) {
      const read = readUrl(given)
      if ('kind' in read) return read
      const { url, host, port } = read
      const { literal, isNamed, purpose } = opinionOf(host, port)
      if (literal === undefined || isNamed) return { kind: 'open', url, host, port, isNamed }
      const reason = reasonFrom(purpose, literal, bareHost(host))
      return reason === undefined
        ? { kind: 'open', url, host, port, isNamed }
        : refuse(host, port, bareHost(host), reason)
    },

    async resolveTarget(host, port) {
      const literal = parseAddress(bareHost(host))
      if (literal !== undefined) {
        const reason = reasonAgainst(literal, bareHost(host), port)
        return reason === undefined
          ? { kind: 'open', addresses: [bareHost(host)] }
          : refuse(host, port, bareHost(host), reason)
      }
      const isNamed = opensHost(allow, host, port)
      const answers = await resolve(host, isNamed)
      if (answers.length === 0) return { kind: 'refused', reason: `${host} has no address.` }
      if (isNamed) {
        const broken = answers.find((answer) => parseAddress(answer) === undefined)
        if (broken !== undefined) return { kind: 'refused', reason: `${host}: "${broken}" is not an address.` }
        return { kind: 'open', addresses: answers }
      }
      const open: string[] = []
      let refusal: { address: string; reason: string } | undefined
      for (const answer of answers) {
        const reason = reasonAgainst(parseAddress(answer), answer, port)
        if (reason === undefined) open.push(answer)
        else refusal ??= { address: answer, reason: `${host}: ${reason}` }
      }
      // The answers for localhost come from this machine and not from somebody's zone, so an operator who opened
      // 127.0.0.1 alone need not open ::1 as well. For every other name one closed answer refuses all of them.
      if (refusal === undefined || (host === 'localhost' && open.length > 0)) return { kind: 'open', addresses: open }
      return refuse(host, port, refusal.address, refusal.reason)
    },
  }
}

function createOpinions(allow: readonly EgressRule[]): (host: string, port: number) => Opinion {
  const opinions = new Map<string, Opinion>()
  return (host, port) => {
    const key = `${host} ${port}`
    const known = opinions.get(key)
    if (known !== undefined) return known
    if (opinions.size >= opinionsMax) opinions.clear()
    const literal = parseAddress(bareHost(host))
    const opinion: Opinion =
      literal === undefined
        ? { literal, isNamed: opensHost(allow, host, port) }
        : { literal, isNamed: opensAddress(allow, literal, port), purpose: purposeOf(literal) }
    opinions.set(key, opinion)
    return opinion
  }
}

/** Its host in normal form, and the port it means. */
function readUrl(given: string | URL): { url: URL; host: string; port: number } | Malformed {
  const url = typeof given === 'string' ? URL.parse(given) : given
  if (url === null) return malformed('The address to call is not a valid URL.')
  const { protocol, hostname } = url
  if (protocol !== 'http:' && protocol !== 'https:') return malformed('Only http and https addresses can be called.')
  if (url.username !== '' || url.password !== '')
    return malformed('An address to call must not contain a user name or password.')
  const host = withoutLastDot(hostname)
  if (host === undefined) return malformed('The address to call has no valid host name.')
  const port = url.port === '' ? (protocol === 'https:' ? 443 : 80) : Number(url.port)
  return { url: host === hostname ? url : withHost(url, host), host, port }
}

function malformed(sentence: string): Malformed {
  return { kind: 'malformed', sentence }
}

function withHost(url: URL, host: string): URL {
  const changed = new URL(url)
  changed.hostname = host
  return changed
}

/** Interfaces change rarely and reading them is a system call, so the list may be a few seconds old. */
function createOwnAddresses(): () => readonly string[] {
  const maxAgeMs = 5_000
  let readAtMs = Number.NEGATIVE_INFINITY
  let addresses: string[] = []
  return () => {
    const nowMs = performance.now()
    if (nowMs - readAtMs > maxAgeMs) {
      readAtMs = nowMs
      addresses = Object.values(networkInterfaces()).flatMap((entries) => entries?.map((entry) => entry.address) ?? [])
    }
    return addresses
  }
}
