/**
 * Which hosts an application's credentials may travel to. An entry is a host, `host:port`, `*.host` (any name below it,
 * not the host itself) or one of these after `http://` or `https://`. Without a port the entry means the usual port of
 * the scheme; without a scheme either scheme. Another port is another service, perhaps of another owner.
 */
import { normalizeHost } from './host-name.ts'

export function isAllowedHost(entries: readonly string[], url: URL): boolean {
  return entries.some((entry) => matches(entry, url))
}

function matches(entry: string, url: URL): boolean {
  const match = /^(?:(https?):\/\/)?(\*\.)?(\[[^\]]*\]|[^:/[\]]+)(?::(\d{1,5}))?\/?$/i.exec(entry.trim())
  if (match === null) return false
  const [, scheme, wildcard, hostText, port] = match
  if (scheme !== undefined && `${scheme.toLowerCase()}:` !== url.protocol) return false
  const usualPort = url.protocol === 'https:' ? '443' : '80'
  if ((port ?? usualPort) !== (url.port || usualPort)) return false
  const host = normalizeHost(hostText!)
  if (host === undefined) return false
  return wildcard === undefined ? url.hostname === host : url.hostname.endsWith(`.${host}`)
}
