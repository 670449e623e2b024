/**
 * How names become addresses. The system's own lookup runs on a few threads that all callers share, so a handful of
 * names whose servers never answer would make everyone else wait. Names of the Internet are therefore asked over the
 * wire, any number at a time and each with its own time limit. What the wire does not know (the hosts file, search
 * domains) and what the operator names is left to the system.
 */
import { lookup, Resolver } from 'node:dns/promises'

/**
 * All addresses of a name, as text. An empty list is a refusal, and so is anything that is not an address. `isNamed`
 * says that the operator's own list holds the name, which the operator may also have put into the hosts file.
 */
export type Resolve = (host: string, isNamed: boolean) => Promise<readonly string[]>

export type ResolveOptions = {
  servers?: readonly string[]
  timeoutMs?: number
  tries?: number
  system?: (host: string) => Promise<readonly string[]>
}

/** The wire answered that there is nothing, or there is no server to ask: the system may know more. */
const unknownCodes = new Set(['ENOTFOUND', 'ENODATA', 'ECONNREFUSED', 'EBADNAME'])

export function createResolve({
  servers,
  timeoutMs = 1_500,
  tries = 2,
  system = resolveBySystem,
}: ResolveOptions = {}): Resolve {
  return async (host, isNamed) => {
    if (isNamed || !host.includes('.')) return system(host)
    // The list of servers is read when a resolver is made, and may change while the service runs.
    const resolver = new Resolver({ timeout: timeoutMs, tries })
    if (servers !== undefined) resolver.setServers(servers)
    const families = await Promise.allSettled([resolver.resolve6(host), resolver.resolve4(host)])
    const answers = families.flatMap((family) => (family.status === 'fulfilled' ? family.value : []))
    if (answers.length > 0) return answers
    const failures = families.flatMap((family) => (family.status === 'rejected' ? [family.reason] : []))
    if (failures.every((failure) => unknownCodes.has(failure?.code))) return system(host)
    throw failures[0]
  }
}

async function resolveBySystem(host: string): Promise<string[]> {
  const answers = await lookup(host, { all: true, order: 'verbatim' })
  return answers.map((answer) => answer.address)
}
