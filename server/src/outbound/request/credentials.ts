/** Puts credentials on a request and takes them off again. */
import type { Credentials } from './request.ts'
import type { RequestHeaders } from './request-headers.ts'

/** Path and query as sent. The caller's own query keeps its spelling, because some services sign it. */
export function pathWithCredentials(url: URL, credentials: Credentials | undefined): string {
  if (credentials?.query === undefined) return url.pathname + url.search
  const target = new URL(url)
  for (const [name, value] of Object.entries(credentials.query)) {
    if (target.searchParams.has(name)) {
      target.searchParams.set(name, value)
    } else {
      const pair = `${encodeURIComponent(name)}=${encodeURIComponent(value)}`
      target.search = target.search === '' ? pair : `${target.search}&${pair}`
    }
  }
  return target.pathname + target.search
}

/** The application's credentials win over a header of the same name that the caller gave. */
export function headersWithCredentials(headers: RequestHeaders, credentials: Credentials | undefined): RequestHeaders {
  if (credentials?.headers === undefined) return headers
  const merged = { ...headers }
  for (const [name, value] of Object.entries(credentials.headers)) merged[name.toLowerCase()] = value
  return merged
}

/** The address without query values that are credentials, as a target may repeat them in a redirect. */
export function withoutCredentialValues(url: URL, credentials: Credentials | undefined): URL {
  if (credentials?.query === undefined || url.search === '') return url
  const values = new Set(Object.values(credentials.query))
  const clean = new URL(url)
  for (const [name, value] of [...clean.searchParams]) {
    if (values.has(value)) clean.searchParams.delete(name, value)
  }
  return clean
}
