// A call through a connection: the token is kept valid, a 401 renews it once, and the answer tells whether the connection is sound.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Database } from '../../db/index.ts'
import { AppError, invalid } from '../../lib/app-error.ts'
import { OutboundError } from '../../outbound/index.ts'
import type { ConnectionAnswer, ConnectionRequest } from '../connection.ts'
import { needsToken } from '../credentials/authentication.ts'
import type { OpenedConnection, OpenedConnections } from '../credentials/opened-connection.ts'
import type { Faults } from '../faults/faults.ts'
import { keepQuiet } from '../store.ts'
import type { TokenRenewal } from '../tokens/renew-token.ts'
import { type CallDeps, callTarget, targetOf } from './call-target.ts'
import { judgeAnswer } from './judge-answer.ts'
import { testRequestOf } from './test-request.ts'

export type SendDeps = CallDeps & {
  database: Database
  opened: OpenedConnections
  renewal: TokenRenewal
  faults: Faults
  onFault: (error: unknown) => void
}

const pauseMsMax = 60_000
/** Shorter waits are over before the others could hear of them. */
const learntMsMin = 500

export async function send(
  deps: SendDeps,
  opened: OpenedConnection,
  request: ConnectionRequest,
): Promise<ConnectionAnswer> {
  const target = targetOf(opened, request)
  const quietMs = opened.quietUntilMs > Date.now() ? await waitUntilQuietEnds(opened, request) : 0
  const carriesCredentials = target?.sendsCredentials ?? true
  const carriesToken = carriesCredentials && needsToken(opened.authentication)
  const token = carriesToken ? await deps.renewal.current(opened) : undefined
  // Callers' own headers are matched without regard to case against those of the application.
  const normal = { ...request, headers: lowerCase(request.headers), onPause: tellAll(deps, opened, request.onPause) }
  const call = async (accessToken: string | undefined) => {
    try {
      const options = { target, token: accessToken, rateLimitKey: opened.connection.id, scope: opened.scope }
      return await callTarget(deps, opened, normal, options)
    } catch (error) {
      throw toAppError(error)
    }
  }

  let carried = token?.accessToken
  let answer = await call(carried)
  let hasCurrentCredentials = token === undefined
  if (answer.statusCode === 401 && token) {
    const renewed = await deps.renewal.renew(opened, token.generation).catch((error: unknown) => {
      // The renewal has noted its failure; the caller hears what the target said.
      if (error instanceof AppError) return undefined
      throw error
    })
    if (renewed && renewed.generation !== token.generation && isReplayable(request)) {
      const pausedMs = answer.pausedMs
      carried = renewed.accessToken
      answer = await call(carried)
      answer.pausedMs += pausedMs
      hasCurrentCredentials = true
    }
  }
  answer.pausedMs += quietMs
  if (carriesCredentials && tellsOfHealth(opened, answer)) {
    const { testRequest } = opened.application
    const makeTestRequest = testRequest && (() => send(deps, opened, testRequestOf(testRequest)))
    await judgeAnswer(deps.faults, opened, { request, answer, hasCurrentCredentials, token: carried }, makeTestRequest)
  }
  return answer
}

/** One that was asked to wait waits inside its own call; the others learn of it before they begin theirs. */
async function waitUntilQuietEnds({ quietUntilMs }: OpenedConnection, request: ConnectionRequest): Promise<number> {
  const waitMs = quietUntilMs - Date.now()
  if (waitMs <= 0 || waitMs > pauseMsMax) return 0
  request.onPause?.(waitMs)
  try {
    await sleep(waitMs, undefined, request.signal ? { signal: request.signal } : {})
  } catch {
    throw new AppError(
      'target_unreachable',
      'The call was cancelled while waiting for the Retry-After delay of the target.',
    )
  }
  return waitMs
}

/** Where no rate is declared, a pause is what the target itself asked for. */
function tellAll(deps: SendDeps, opened: OpenedConnection, onPause: ConnectionRequest['onPause']) {
  return (waitMs: number): void => {
    onPause?.(waitMs)
    if (opened.application.rateLimit !== undefined || waitMs < learntMsMin) return
    const { scope, connection } = opened
    keepQuiet(deps.database.forScope(scope), scope.accountId, connection.id, waitMs)
      .then(() => deps.opened.forget(opened))
      .catch(deps.onFault)
  }
}

/** Most answers say what is known: that the connection is sound. */
function tellsOfHealth({ connection }: OpenedConnection, { statusCode }: ConnectionAnswer): boolean {
  return connection.isFaulted || statusCode === 401 || statusCode === 403
}

/** A target's fault is the caller's to know, in words; the operator's details stay with the cause. */
export function toAppError(error: unknown): unknown {
  if (!(error instanceof OutboundError)) return error
  switch (error.kind) {
    case 'invalidRequest':
      return Object.assign(invalid(error.message), { cause: error })
    case 'credentialsForeignHost':
      return new AppError('host_not_allowed', error.message, { cause: error })
    case 'crowded':
      return new AppError('too_many_requests', error.message, { cause: error })
    case 'closed':
      return new AppError('not_ready', error.message, { cause: error })
    default:
      return new AppError('target_unreachable', error.message, { cause: error })
  }
}

function isReplayable({ body }: ConnectionRequest): boolean {
  return body === undefined || typeof body === 'string' || body instanceof Uint8Array
}

function lowerCase(headers: ConnectionRequest['headers']): Record<string, string> {
  const lower: Record<string, string> = {}
  for (const name in headers) lower[name.toLowerCase()] = headers[name]!
  return lower
}
