// What token endpoints answer, as far as servers differ in things that do not matter here: the kind of token may be left out or have a name of
// its own, an identity token may come along, fields may be null or numbers in quotes, and an error may come with status 200.

import { maskSecrets } from '../credentials/mask-secrets.ts'

/** A life longer than this is as good as endless, and no clock can overflow by it. */
const lifetimeSecondsMax = 10 * 365 * 86_400
const readMax = 4000
const excerptMax = 300

/** Errors that say "not now" and nothing of the grant. */
const passing = new Set(['temporarily_unavailable', 'server_error', 'slow_down', 'rate_limit_exceeded', 'throttled'])

/** The answer as the OAuth client wants to see it. */
export function toTokenResponse(status: number, text: string): Response {
  const body = readObject(text)
  if (!body) return new Response(text || null, { status: status === 204 ? 502 : status })
  const isError = typeof body['access_token'] !== 'string' && typeof body['error'] === 'string'
  if (status < 200 || status > 299) return Response.json(body, { status })
  return isError ? Response.json(body, { status: 400 }) : Response.json(grantIn(body))
}

/** Zero and below are how some say that there is no end, so only a positive life counts. */
function grantIn(body: Record<string, unknown>): Record<string, unknown> {
  const { access_token, refresh_token, expires_in } = body
  const seconds = typeof expires_in === 'string' ? Number.parseFloat(expires_in) : expires_in
  return {
    access_token,
    token_type: 'bearer',
    ...(typeof refresh_token === 'string' && refresh_token !== '' ? { refresh_token } : {}),
    ...(typeof seconds === 'number' && seconds > 0 ? { expires_in: Math.min(seconds, lifetimeSecondsMax) } : {}),
  }
}

/** Asking again with the same credentials will not help. */
export function isFinalRefusal(status: number | undefined, error?: string): boolean {
  if (status === undefined || status < 400 || status > 499) return false
  return ![408, 425, 429].includes(status) && !passing.has(error ?? '')
}

/** Words of a refusal, which may be a whole page of a proxy. A server may repeat what it was sent, so secrets are hidden before anything is cut. */
export function excerptOf(text: string, secrets: readonly string[]): string {
  const words = maskSecrets(text, secrets)
    .slice(0, readMax)
    .replaceAll(/<(script|style|head)\b[\s\S]*?<\/\1\s*>/gi, ' ')
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/[\p{Cc}\s]+/gu, ' ')
    .trim()
  return words.length > excerptMax ? `${words.slice(0, excerptMax).toWellFormed()}…` : words
}

function readObject(text: string): Record<string, unknown> | undefined {
  try {
    const parsed: unknown = JSON.parse(text)
    return typeof parsed === 'object' && parsed !== null ? (parsed as Record<string, unknown>) : undefined
  } catch {
    return undefined
  }
}
