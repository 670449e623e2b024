/** One entry per hop for the operator's log. An address in it holds no secret that the client knows or can recognise. */
import type { Credentials } from './request.ts'
import { isSecretName } from './request-headers.ts'

export type HopEntry = {
  method: string
  url: string
  /** Absent when the hop had no answer. */
  status?: number
  /** The kind of the error that ended the call at this hop. */
  failure?: string
  durationMs: number
  requestBytes: number
  /** Bytes of the body as received, before decompression. */
  responseBytes: number
  retries: number
}

const mask = '***'

export function maskUrl(url: URL, credentials: Credentials | undefined, secrets: readonly string[] = []): string {
  const masked = new URL(url)
  masked.username = ''
  masked.password = ''
  masked.hash = ''
  if (masked.search !== '') {
    const names = new Set(masked.searchParams.keys())
    for (const name of names) {
      if (isSecretQuery(name) || credentials?.query?.[name] !== undefined) masked.searchParams.set(name, mask)
    }
  }
  return maskValues(masked.href, secretValues(credentials, secrets))
}

/** Replaces each value wherever it stands, plain or percent-encoded. */
function maskValues(text: string, values: readonly string[]): string {
  let masked = text
  for (const value of values) {
    for (const form of new Set([value, encodeURIComponent(value), encodeURI(value)])) {
      masked = masked.replaceAll(form, mask)
    }
  }
  return masked
}

/** Values of a few characters are left alone: replacing every "1" would hide the address and protect nothing. */
function secretValues(credentials: Credentials | undefined, secrets: readonly string[]): string[] {
  const values = [...secrets]
  for (const value of Object.values(credentials?.headers ?? {})) values.push(value, value.replace(/^\S+\s+/, ''))
  values.push(...Object.values(credentials?.query ?? {}))
  return values.filter((value) => value.length >= 6)
}

function isSecretQuery(name: string): boolean {
  return isSecretName(name) || /^(key|sig|code|state|pwd|pass|hmac)$/i.test(name)
}
