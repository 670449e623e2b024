/**
 * The ways in which a call to a target can fail without an answer. `message` may be shown to any user; `detail` is for
 * the operator's log only. A refused and an unreachable target carry the same message, so that nobody can map a
 * network they do not see by asking this service.
 */
export type OutboundErrorKind =
  | 'invalidRequest'
  /** The caller's own stream broke while it was being sent. */
  | 'bodyFailed'
  | 'refusedByGuard'
  | 'unreachable'
  | 'insecure'
  | 'timedOut'
  | 'cancelled'
  | 'tooLarge'
  | 'tooManyRedirects'
  | 'redirectRefused'
  | 'badResponse'
  | 'credentialsForeignHost'
  | 'rateLimited'
  /** Other calls of the same account or organization left no room in time. */
  | 'crowded'
  | 'closed'

export class OutboundError extends Error {
  readonly kind: OutboundErrorKind
  readonly detail: string | undefined
  /** How long the call waited for the target's sake before it failed; such waits do not count as working time. */
  pausedMs = 0

  constructor(kind: OutboundErrorKind, message: string, options: { detail?: string; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.name = 'OutboundError'
    this.kind = kind
    this.detail = options.detail
  }
}

export function notReached(kind: 'refusedByGuard' | 'unreachable', target: string, detail: string, cause?: unknown) {
  return new OutboundError(kind, `The address ${target} could not be reached.`, { detail, cause })
}

export function timedOut(target: string, limitMs: number) {
  return new OutboundError('timedOut', `The address ${target} did not answer completely within ${seconds(limitMs)}.`)
}

export function tooLarge(target: string, bytesMax: number) {
  return new OutboundError('tooLarge', `The response from ${target} exceeds the limit of ${bytesMax} bytes.`)
}

export function badResponse(target: string, cause: unknown) {
  const detail = cause instanceof Error ? cause.message : String(cause)
  const message = `The address ${target} closed the connection or sent a response that cannot be read.`
  return new OutboundError('badResponse', message, { detail, cause })
}

function seconds(ms: number): string {
  return ms === 1_000 ? '1 second' : `${ms / 1_000} seconds`
}
