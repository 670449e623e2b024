// A database address may name several hosts, as PostgreSQL's own clients read it: `postgresql://user@a:5432,b:5432/db`. One of them takes writes.
import { accessSync, constants } from 'node:fs'

export class DatabaseUrlError extends Error {
  override name = 'DatabaseUrlError'
}

const shape = /^(postgres(?:ql)?:\/\/)([^/?#@]*@)?([^/?#]*)(\/[^?#]*)?(?:\?([^#]*))?$/
const writing = ['read-write', 'primary']

/** One address for each host, in the order given. The text itself is never repeated in an error: it may hold a password. */
export function splitDatabaseUrl(text: string): string[] {
  const [, scheme = '', user = '', authority = '', path = '', query = ''] = shape.exec(text) ?? []
  if (scheme === '') throw new DatabaseUrlError('must be an address that starts with postgres:// or postgresql://.')
  const parameters = new URLSearchParams(query)
  const wanted = parameters.get('target_session_attrs')
  if (wanted !== null && !writing.includes(wanted)) {
    throw new DatabaseUrlError(
      `has target_session_attrs=${wanted}. Patchbay writes to its database: use read-write, or leave it out.`,
    )
  }
  parameters.delete('target_session_attrs')
  for (const name of ['sslrootcert', 'sslcert', 'sslkey']) requireFile(name, parameters.get(name))
  const urls = listPlaces(authority, parameters).map(({ host, named }) => {
    const one = new URLSearchParams(parameters)
    for (const [name, value] of Object.entries(named)) one.set(name, value)
    const rest = one.size > 0 ? `?${one}` : ''
    return `${scheme}${user}${host}${path}${rest}`
  })
  if (!urls.every((url) => URL.canParse(url.replace('@/', '@host/'))))
    throw new DatabaseUrlError('names a host or port that is not valid.')
  return urls
}

function requireFile(name: string, path: string | null): void {
  if (path === null) return
  try {
    accessSync(path, constants.R_OK)
  } catch {
    throw new DatabaseUrlError(`names a file that cannot be read: ${name}=${path}.`)
  }
}

type Place = { host: string; named: Record<string, string> }

/** Hosts stand before the path, or in the parameters `host` and `port`, where socket directories can be named too. */
function listPlaces(authority: string, parameters: URLSearchParams): Place[] {
  const hosts = parameters.get('host')?.split(',')
  if (!hosts) return authority.split(',').map((host) => ({ host, named: {} }))
  const ports = parameters.get('port')?.split(',') ?? []
  if (ports.length > 1 && ports.length !== hosts.length)
    throw new DatabaseUrlError(`names ${hosts.length} hosts and ${ports.length} ports.`)
  return hosts.map((host, index) => {
    const port = ports[index] ?? ports[0]
    return { host: authority, named: { host, ...(port === undefined ? {} : { port }) } }
  })
}
