/** The headers of a request: what a caller may set, what the service adds, and what may follow to another origin. */
import { OutboundError } from '../outbound-error.ts'
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

/**
 * Headers of the caller, in lower case, without credentials. A `Host` of its own would lead the request, credentials
 * and all, to another site behind the same address. Credentials may not be written into headers of the connection.
 */
export function prepareHeaders(request: OutboundRequest, url: URL, userAgent: string): RequestHeaders {
  const headers: RequestHeaders = {
    'user-agent': userAgent,
    'accept-encoding': 'gzip, deflate, br, zstd',
    accept: '*/*',
  }
  for (const [name, value] of Object.entries(request.headers ?? {})) {
    const key = checkHeader(name, typeof value === 'string' ? [value] : value)
    if (key === 'host') {
      if (value !== url.host) throw invalid('The header Host cannot differ from the address to call.')
    } else if (!connectionHeaders.has(key) && (key !== 'content-length' || isStream(request.body))) {
      headers[key] = typeof value === 'string' ? value : [...value]
    }
  }
  for (const [name, value] of Object.entries(request.credentials?.headers ?? {})) {
    const key = checkHeader(name, [value])
    if (key === 'host' || key === 'content-length' || connectionHeaders.has(key)) {
      throw invalid(`The header ${name} cannot carry credentials.`)
    }
  }
  if (request.idempotencyKey !== undefined) headers['idempotency-key'] ??= request.idempotencyKey
  return headers
}

function checkHeader(name: string, values: readonly string[]): string {
  const key = name.toLowerCase()
  if (!/^[!#$%&'*+.^_`|~0-9a-z-]+$/.test(key) || key === '__proto__') {
    throw invalid(`"${name}" is not a valid header name.`)
  }
  if (values.some((value) => /[^\t\x20-\x7e\x80-\xff]/.test(value))) {
    throw invalid(`The header ${name} has a character that cannot be sent.`)
  }
  return key
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
