/** Pure: what the next request is after a redirect, with methods and bodies rewritten as browsers do. */
import { OutboundError } from '../outbound-error.ts'
import { withoutCredentialValues } from '../request/credentials.ts'
import type { Credentials, OutboundBody, ResponseHeaders } from '../request/request.ts'
import { isStream, type RequestHeaders, withoutBodyHeaders, withoutSecretHeaders } from '../request/request-headers.ts'

export type Hop = {
  method: string
  url: URL
  headers: RequestHeaders
  body: OutboundBody | undefined
  /** Undefined once a redirect has left the first origin; coming back does not restore them. */
  credentials: Credentials | undefined
}

const redirectStatuses = new Set([301, 302, 303, 307, 308])

/** Where the answer points, or undefined when it is no redirect. */
export function readRedirect(status: number, headers: ResponseHeaders): string | undefined {
  const location = redirectStatuses.has(status) ? headers['location'] : undefined
  return typeof location === 'string' ? location : undefined
}

export function followRedirect(hop: Hop, status: number, location: string): Hop {
  const from = hop.url.origin
  const url = URL.parse(location, hop.url.href)
  if (url === null) throw refused(`The address ${from} redirects to something that is not an address.`)
  if (hop.url.protocol === 'https:' && url.protocol === 'http:') {
    throw refused(`The address ${from} redirects from https to http, which is not followed.`)
  }
  const turnsToGet =
    (status === 303 && hop.method !== 'GET' && hop.method !== 'HEAD') ||
    ((status === 301 || status === 302) && hop.method === 'POST')
  const next: Hop = turnsToGet
    ? { ...hop, url, method: 'GET', body: undefined, headers: withoutBodyHeaders(hop.headers) }
    : { ...hop, url }
  if (isStream(next.body)) throw refused(`The address ${from} redirects an upload, which cannot be sent again.`)
  if (url.origin === from) return next

  if (next.body !== undefined && hop.credentials?.isBodySecret === true) {
    throw refused(`The address ${from} redirects a request with secrets in its body to another address.`)
  }
  return {
    ...next,
    url: withoutCredentialValues(url, hop.credentials),
    headers: withoutSecretHeaders(next.headers),
    credentials: undefined,
  }
}

function refused(sentence: string): OutboundError {
  return new OutboundError('redirectRefused', sentence)
}
