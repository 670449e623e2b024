// One request with credentials on it, over the wire or to a built-in target.
import type { Scope } from '../../db/index.ts'
import type { OutboundClient, OutboundRequest, RateLimit, ResponseHeaders } from '../../outbound/index.ts'
import { answerTestRequest } from '../application.ts'
import type { ConnectionAnswer, ConnectionRequest, Denial } from '../connection.ts'
import { maskSecrets } from '../credentials/mask-secrets.ts'
import type { Callable } from '../credentials/opened-connection.ts'
import { callParts } from './call-parts.ts'
import { resolveTarget, type Target } from './target.ts'

/**
 * Applications that the service answers itself. `values` are the stored credentials with their defaults; `scope` is
 * undefined for credentials that are being tried and belong to nobody yet.
 */
export type BuiltInTarget = (
  values: Callable['values'],
  request: ConnectionRequest,
  scope: Scope | undefined,
) => Promise<{ statusCode: number; data: unknown }>

export type CallDeps = {
  outbound: Pick<OutboundClient, 'send'>
  /** Undefined where a transport is declared in the catalogue but nothing serves it. */
  smtp?: BuiltInTarget | undefined
  /** Says in words why access is denied, for the applications that it knows. */
  explainDenial?: ((denial: Denial) => string | undefined) | undefined
}

export type CallOptions = {
  /** From `targetOf`. */
  target: Target | undefined
  token?: string | undefined
  rateLimitKey?: string | undefined
  scope?: Scope | undefined
}

export async function callTarget(
  deps: CallDeps,
  to: Callable,
  request: ConnectionRequest,
  options: CallOptions,
): Promise<ConnectionAnswer> {
  const { target } = options
  if (target === undefined) return callBuiltIn(deps, to, request, options.scope)
  const parts = callParts(to, options.token)
  const outgoing: OutboundRequest = {
    method: request.method,
    url: target.url,
    headers: request.headers === undefined ? parts.plainHeaders : { ...parts.plainHeaders, ...request.headers },
    secrets: parts.secrets,
  }
  if (request.body !== undefined) outgoing.body = request.body
  if (target.sendsCredentials) {
    outgoing.credentials = { allowedHosts: target.allowedHosts, headers: parts.secretHeaders }
    if (parts.query !== undefined) outgoing.credentials.query = parts.query
    const rateLimit = rateOf(to, options.rateLimitKey)
    if (rateLimit !== undefined) outgoing.rateLimit = rateLimit
  }
  if (request.idempotencyKey !== undefined) outgoing.idempotencyKey = request.idempotencyKey
  if (request.timeoutMs !== undefined) outgoing.timeoutMs = request.timeoutMs
  if (request.signal !== undefined) outgoing.signal = request.signal
  if (request.onPause !== undefined) outgoing.onPause = request.onPause
  if (request.onHeld !== undefined) outgoing.onHeld = request.onHeld
  if (options.scope !== undefined) outgoing.owner = options.scope
  const answer = await deps.outbound.send(outgoing)
  const explanation = target.sendsCredentials
    ? explain(deps, to, { method: request.method, statusCode: answer.status, token: options.token })
    : undefined
  return {
    statusCode: answer.status,
    headers: flatten(answer.headers),
    body: answer.body,
    url: answer.url,
    pausedMs: answer.pausedMs,
    ...(explanation === undefined ? {} : { explanation }),
  }
}

function explain(
  deps: CallDeps,
  { application, values }: Callable,
  { method, statusCode, token }: { method: string; statusCode: number; token: string | undefined },
): string | undefined {
  if (statusCode !== 401 && statusCode !== 403) return undefined
  const { shortName } = application
  return deps.explainDenial?.({ shortName, values, token, method: method.toUpperCase(), statusCode })
}

const wordsMax = 600
/** Enough that a secret which is cut at its end does not come into what is shown. */
const readBytesMax = 64 * 1024

/** What a target refused, for people: the reason first where it is known, since texts are cut at their end. A target may repeat what it was sent. */
export function describeRefusal(method: string, answer: ConnectionAnswer, secrets: readonly string[]): string {
  const words = maskSecrets(answer.body.toString('utf8', 0, readBytesMax), secrets).slice(0, wordsMax)
  const said = `${method.toUpperCase()} ${maskSecrets(answer.url, secrets)} answered ${answer.statusCode}: ${words}`
  return answer.explanation === undefined ? said : `${answer.explanation} (${said})`
}

/** Undefined for applications without an address. */
export function targetOf(to: Callable, request: Pick<ConnectionRequest, 'path' | 'baseUrl'>): Target | undefined {
  return (to.application.transport ?? 'http') === 'http'
    ? resolveTarget(to.application, to.values, { path: request.path, baseUrl: request.baseUrl })
    : undefined
}

async function callBuiltIn(
  deps: CallDeps,
  to: Callable,
  request: ConnectionRequest,
  scope: Scope | undefined,
): Promise<ConnectionAnswer> {
  const { transport, shortName } = to.application
  const path = request.path.trim().replace(/^\/+/, '')
  const answer =
    transport === 'test'
      ? // The short name may be written before the endpoint, as it is in addresses.
        answerTestRequest({ method: request.method, path: path.replace(/^test\//i, ''), data: readBody(request.body) })
      : deps.smtp === undefined
        ? { statusCode: 501, data: { error: `${shortName} cannot be called here.` } }
        : await deps.smtp(to.values, { ...request, path }, scope)
  return {
    statusCode: answer.statusCode,
    headers: { 'content-type': 'application/json' },
    body: Buffer.from(JSON.stringify(answer.data ?? null)),
    url: `${shortName.toLowerCase()}:${path}`,
    pausedMs: 0,
  }
}

function readBody(body: ConnectionRequest['body']): unknown {
  if (body === undefined) return undefined
  const text = typeof body === 'string' ? body : body instanceof Uint8Array ? Buffer.from(body).toString() : ''
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

function rateOf(to: Callable, key: string | undefined): (RateLimit & { key: string }) | undefined {
  const declared = to.application.rateLimit
  if (declared === undefined || key === undefined) return undefined
  return { key, requests: declared.requests, perMs: declared.perSeconds * 1000 }
}

function flatten(headers: ResponseHeaders): Record<string, string> {
  const flat: Record<string, string> = {}
  for (const name of Object.keys(headers)) {
    const value = headers[name]!
    flat[name] = typeof value === 'string' ? value : value.join(', ')
  }
  return flat
}
