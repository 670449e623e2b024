/**
 * One call from its first request to the answer that the caller gets: redirects are judged and followed, a target that
 * asks for patience gets it. Working time is bounded by the deadline, waiting by `pauseMsMax`, requests by
 * (redirectsMax + 1) * (retriesMax + 1).
 */
import type { Dispatcher } from 'undici'
import { followRedirect, readRedirect } from '../answer/redirect.ts'
import { readRetryAfterMs } from '../answer/retry-after.ts'
import { isAllowedHost } from '../guard/allowed-hosts.ts'
import type { Guard } from '../guard/guard.ts'
import { notReached, OutboundError } from '../outbound-error.ts'
import type { RateLimit, RateLimiter } from '../rate-limit.ts'
import { pauseMsMaxDefault, type ResponseHeaders, redirectsMaxDefault, retriesMax } from '../request/request.ts'
import { isStream, prepareHeaders } from '../request/request-headers.ts'
import type { Answer, Attempt, Next } from './attempt.ts'
import type { Call } from './call.ts'
import { AnswerBytes, type CallRooms } from './call-rooms.ts'
import { isLostConnection } from './failure.ts'

export type ExchangeDeps = {
  guard: Guard
  /** Connections to targets that the operator named, and connections to all others. */
  pools: { named: Dispatcher; others: Dispatcher }
  rateLimiter: RateLimiter
  rooms: CallRooms
  wait: (ms: number, signal: AbortSignal) => Promise<void>
  now: () => number
  userAgent: string
}

/** The answer that the caller gets. `onRedirect` is called before the call leaves a hop for the next. */
export async function exchange<Body>(
  deps: ExchangeDeps,
  call: Call,
  attempt: Attempt<Body>,
  onRedirect: () => void,
): Promise<Answer<Body>> {
  const redirectsMax = call.request.redirectsMax ?? redirectsMaxDefault
  let pool = enterFirstHop(deps, call)
  const { owner } = call.request
  if (owner !== undefined) {
    await deps.rooms.enter(call, owner)
    call.answerBytes = new AnswerBytes(deps.rooms, call, owner)
  }
  for (;;) {
    const answer = await askPatiently(deps, call, attempt, pool)
    call.status = answer.status
    const { next } = answer
    if (next?.kind !== 'redirect') return answer
    const from = call.hop.url.origin
    if (call.redirects >= redirectsMax) {
      throw new OutboundError('tooManyRedirects', `The address ${from} redirects more than ${redirectsMax} times.`)
    }
    const hop = followRedirect(call.hop, answer.status, next.location)
    onRedirect()
    const redirects = call.redirects + 1
    const hopStartedMs = performance.now()
    Object.assign(call, { hop, hopStartedMs, redirects, status: undefined, hopRetries: 0, sent: { bytes: 0 } })
    pool = judgeHop(deps, call, (why) => new OutboundError('redirectRefused', `${why} (Redirect of ${from}.)`))
  }
}

function enterFirstHop(deps: ExchangeDeps, call: Call): Dispatcher {
  const { request } = call
  const method = request.method.toUpperCase()
  if (!/^[A-Z]+$/.test(method) || method === 'CONNECT' || method === 'TRACE') {
    throw new OutboundError('invalidRequest', `"${request.method}" is not a method that can be used.`)
  }
  const url = typeof request.url === 'string' ? URL.parse(request.url) : request.url
  if (url === null) throw new OutboundError('invalidRequest', 'The address to call is not a valid URL.')
  call.hop.method = method
  call.hop.url = url
  const pool = judgeHop(deps, call, (sentence) => new OutboundError('invalidRequest', sentence))
  const judged = call.hop.url
  if (request.credentials !== undefined && !isAllowedHost(request.credentials.allowedHosts, judged)) {
    throw new OutboundError(
      'credentialsForeignHost',
      `The application's credentials may not be sent to ${judged.host}, which is not one of its hosts.`,
    )
  }
  call.hop = {
    method,
    url: judged,
    headers: prepareHeaders(request, judged, deps.userAgent),
    body: request.body,
    credentials: request.credentials,
  }
  return pool
}

/** Throws when the address is closed; otherwise the hop carries its normal form and the pool that serves it is given. */
function judgeHop(deps: ExchangeDeps, call: Call, malformed: (sentence: string) => OutboundError): Dispatcher {
  const verdict = deps.guard.judgeUrl(call.hop.url)
  if (verdict.kind === 'malformed') throw malformed(verdict.sentence)
  if (verdict.kind === 'refused') throw notReached('refusedByGuard', call.hop.url.origin, verdict.reason)
  if (verdict.url !== call.hop.url) call.hop = { ...call.hop, url: verdict.url }
  return verdict.isNamed ? deps.pools.named : deps.pools.others
}

async function askPatiently<Body>(
  deps: ExchangeDeps,
  call: Call,
  attempt: Attempt<Body>,
  pool: Dispatcher,
): Promise<Answer<Body>> {
  const decideNext = (status: number, headers: ResponseHeaders) => decide(deps, call, status, headers)
  for (let lost = 0; ; ) {
    if (call.request.rateLimit !== undefined) await keepRate(deps, call, call.request.rateLimit)
    let answer: Answer<Body>
    try {
      answer = await attempt(pool, call, decideNext)
    } catch (error) {
      if (lost > 0 || !isSafeToRepeat(call) || !isLostConnection(error)) throw error
      lost += 1
      countRetry(call)
      continue
    }
    if (answer.next?.kind !== 'wait') return answer
    await pause(deps, call, answer.next.waitMs)
    countRetry(call)
  }
}

function decide(deps: ExchangeDeps, call: Call, status: number, headers: ResponseHeaders): Next | undefined {
  if (status < 300) return undefined
  const waitMs = readWait(deps, call, status, headers)
  if (waitMs !== undefined) return { kind: 'wait', waitMs }
  const location = call.request.followRedirects === false ? undefined : readRedirect(status, headers)
  return location === undefined ? undefined : { kind: 'redirect', location }
}

/** The wait that the target asks for, where it fits into what is left of this call's patience. */
function readWait(deps: ExchangeDeps, call: Call, status: number, headers: ResponseHeaders): number | undefined {
  if ((status !== 429 && status !== 503) || call.hopRetries >= retriesMax || isStream(call.hop.body)) return undefined
  const waitMs = readRetryAfterMs(textOf(headers['retry-after']), textOf(headers['date']), deps.now())
  if (waitMs === undefined) return undefined
  // A target that says "now" while it is overloaded gets a short breath.
  const atLeastMs = Math.max(waitMs, 100)
  return atLeastMs <= patienceLeftMs(call) ? atLeastMs : undefined
}

/** The declared rate is the application's own: what a redirect reaches elsewhere does not count. */
async function keepRate(deps: ExchangeDeps, call: Call, limit: RateLimit & { key: string }): Promise<void> {
  if (call.redirects > 0 && call.hop.credentials !== call.request.credentials) return
  const waitMs = await call.deadline.bound(deps.rateLimiter.acquire(limit.key, limit, patienceLeftMs(call)))
  if (waitMs === undefined) {
    const message = `More calls to ${call.hop.url.origin} are waiting than its declared rate allows.`
    throw new OutboundError('rateLimited', message)
  }
  if (waitMs > 0) await pause(deps, call, waitMs)
}

async function pause(deps: ExchangeDeps, call: Call, waitMs: number): Promise<void> {
  call.request.onPause?.(waitMs)
  call.pausedMs += waitMs
  await call.deadline.pause(deps.wait(waitMs, call.deadline.signal))
}

function patienceLeftMs(call: Call): number {
  return Math.max(0, (call.request.pauseMsMax ?? pauseMsMaxDefault) - call.pausedMs)
}

function countRetry(call: Call): void {
  call.retries += 1
  call.hopRetries += 1
}

/** Nothing was answered yet, the body can be sent again, and a target that did get the request does nothing twice. */
function isSafeToRepeat({ hop, request, status }: Call): boolean {
  if (status !== undefined || isStream(hop.body)) return false
  return ['GET', 'HEAD', 'OPTIONS'].includes(hop.method) || request.idempotencyKey !== undefined
}

function textOf(value: string | string[] | undefined): string | undefined {
  return typeof value === 'string' ? value : value?.[0]
}
