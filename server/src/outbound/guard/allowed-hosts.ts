/**
 * Which hosts an application's credentials may travel to. An entry is a host, `host:port`, `*.host` (any name below it,
 * not the host itself) or one of these after `http://` or `https://`. Without a port the entry means the usual port of
 * the scheme; without a scheme either scheme. Another port is another service, perhaps of another owner.
 */
import { normalizeHost } from './host-name.ts'

export function isAllowedHost(entries: readonly string[], url: URL): boolean {
  return entries.some((entry) => matches(entry, url))
}

type Entry = { protocol: string | undefined; isWildcard: boolean; host: string; port: string | undefined }

/** The same few entries are asked for at every call. */
const known = new Map<string, Entry | undefined>()
const knownMax = 10_000

function matches(text: string, url: URL): boolean {
  const entry = read(text)
  if (entry === undefined) return false
  if (entry.protocol !== undefined && entry.protocol !== url.protocol) return false
  const usualPort = url.protocol === 'https:' ? '443' : '80'
  if ((entry.port ?? usualPort) !== (url.port || usualPort)) return false
  return entry.isWildcard ? url.hostname.endsWith(`.${entry.host}`) : url.hostname === entry.host
}

function read(text: string): Entry | undefined {
  if (known.has(text)) return known.get(text)
  if (known.size >= knownMax) known.clear()
  const entry = parse(text)
  known.set(text, entry)
  return entry
}

function parse(text: string): Entry | undefined {
  const match = /^(?:(https?):\/\/)?(\*\.)?(\[[^\]]*\]|[^:/[\]]+)(?::(\d{1,5}))?\/?$/i.exec(text.trim())
  if (match === null) return undefined
  const [, scheme, wildcard, hostText, port] = match
  const host = normalizeHost(hostText!)
  if (host === undefined) return undefined
  return { protocol: scheme && `${scheme.toLowerCase()}:`, isWildcard: wildcard !== undefined, host, port }
}
