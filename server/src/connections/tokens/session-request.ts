// Services without OAuth: one request exchanges the stored credentials for a session of a known length.
import { type OutboundClient, OutboundError } from '../../outbound/index.ts'
import { expandText, type TemplateValues, type TokenAuthentication } from '../application.ts'
import { excerptOf, isFinalRefusal } from './token-answer.ts'
import { addressOf, type Grant, TokenRefused, tokenPauseMsMax, tokenRequestMs } from './token-request.ts'

type SessionAuthentication = Extract<TokenAuthentication, { type: 'session' }>

export async function requestSession(
  deps: { outbound: Pick<OutboundClient, 'send'> },
  how: SessionAuthentication,
  values: TemplateValues,
  secrets: readonly string[],
): Promise<Grant> {
  const { request } = how
  const known = { ...values, $expiresOn: dateAfter(how.lifetimeSeconds) }
  const url = addressOf(request.url, known)
  const expand = (templates: Record<string, string> | undefined) =>
    Object.fromEntries(Object.entries(templates ?? {}).map(([name, text]) => [name, expandText(text, known)]))
  const body = request.body === undefined ? undefined : JSON.stringify(expand(request.body))
  let answer: Awaited<ReturnType<OutboundClient['send']>>
  try {
    answer = await deps.outbound.send({
      method: request.method,
      url,
      headers: { accept: 'application/json', ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
      ...(body === undefined ? {} : { body }),
      credentials: {
        allowedHosts: [new URL(url).origin],
        isBodySecret: true,
        headers: expand(request.headers),
        query: expand(request.query),
      },
      secrets,
      timeoutMs: tokenRequestMs,
      pauseMsMax: tokenPauseMsMax,
      responseBytesMax: 1024 * 1024,
    })
  } catch (error) {
    if (error instanceof OutboundError) throw new TokenRefused(error.message, false, error)
    throw error
  }
  const text = answer.body.toString()
  if (answer.status < 200 || answer.status > 299) {
    throw new TokenRefused(
      `${new URL(url).origin} refused to open a session (status ${answer.status}): ${excerptOf(text, secrets)}`,
      isFinalRefusal(answer.status),
    )
  }
  const token = readToken(text, how.tokenPath)
  if (token === undefined) {
    throw new TokenRefused(`The response from ${new URL(url).origin} contains no session at "${how.tokenPath}".`, false)
  }
  return { accessToken: token, refreshToken: undefined, expiresInSeconds: how.lifetimeSeconds }
}

function readToken(text: string, path: string): string | undefined {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    value = path === '' ? text.trim() : undefined
  }
  for (const name of path === '' ? [] : path.split('.')) {
    value = typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined
  }
  return (typeof value === 'string' && value !== '') || typeof value === 'number' ? String(value) : undefined
}

function dateAfter(seconds: number): string {
  return new Date(Date.now() + seconds * 1000).toISOString().slice(0, 10)
}
