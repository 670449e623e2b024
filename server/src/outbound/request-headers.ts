/** The headers of a request: what a caller may set, what the service adds, and what may follow to another origin. */
import { OutboundError } from './outbound-error.ts'
import type { OutboundRequest } from './request.ts'

export type RequestHeaders = Record<string, string | string[]>

/** They belong to the connection, which is ours; a caller's value could only contradict what is really sent. */
const connectionHeaders = new Set([
  'connection',
  'expect',
  'http2-settings',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

/** Names that say they carry a secret, in the many spellings of the services that invent one. */
const secretName = /auth|token|secret|cookie|session|passw|credential|signature|api-?key|access-?key|(^|[-_])key$/i

/** Headers of the caller, in lower case, without credentials. `Host` is refused: it would redirect credentials. */
export function prepareHeaders(request: OutboundRequest, url: URL, userAgent: string): RequestHeaders {
  const headers: RequestHeaders = {
    'user-agent': userAgent,
    'accept-encoding': 'gzip, deflate, br, zstd',
    accept: '*/*',
  }
  const given = request.headers ?? {}
  for (const name of Object.keys(given)) {
    const value = given[name]!
    const key = name.toLowerCase()
    if (!/^[!#$%&'*+.^_`|~0-9a-z-]+$/.test(key)) throw invalid(`"${name}" is not a valid header name.`)
    for (const part of typeof value === 'string' ? [value] : value) {
      if (/[^\t\x20-\x7e\x80-\xff]/.test(part)) throw invalid(`The header ${name} has a character that cannot be sent.`)
    }
    if (key === 'host') {
      if (value !== url.host) throw invalid('The header Host cannot differ from the address to call.')
    } else if (!connectionHeaders.has(key) && (key !== 'content-length' || isStream(request.body))) {
      headers[key] = typeof value === 'string' ? value : [...value]
    }
  }
  if (request.idempotencyKey !== undefined) headers['idempotency-key'] ??= request.idempotencyKey
  return headers
}

/** What may go along when a redirect leads to another origin. */
export function withoutSecretHeaders(headers: RequestHeaders): RequestHeaders {
  return Object.fromEntries(
    Object.entries(headers).filter(([name]) => name === 'idempotency-key' || !secretName.test(name)),
  )
}

/** What may go along when a redirect turns the request into a GET. */
export function withoutBodyHeaders(headers: RequestHeaders): RequestHeaders {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !name.startsWith('content-')))
}

export function isStream(body: OutboundRequest['body']): boolean {
  return body !== undefined && typeof body !== 'string' && !(body instanceof Uint8Array)
}

export function isSecretName(name: string): boolean {
  return secretName.test(name)
}

function invalid(sentence: string): OutboundError {
  return new OutboundError('invalidRequest', sentence)
}
