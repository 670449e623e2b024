/** The translation of everything that can go wrong with a call. */
import { BodyTooLarge } from '../answer/decode-body.ts'
import { badResponse, notReached, OutboundError, timedOut, tooLarge } from '../outbound-error.ts'
import type { Deadline } from './deadline.ts'

export type FailureContext = { origin: string; deadline: Deadline; limitMs: number; bytesMax: number }

export function toOutboundError(error: unknown, { origin, deadline, limitMs, bytesMax }: FailureContext) {
  if (deadline.isExpired && error instanceof OutboundError && error.kind === 'crowded') return error
  if (deadline.isExpired) return timedOut(origin, limitMs)
  if (deadline.isEnded) return new OutboundError('cancelled', `The call to ${origin} was cancelled.`)
  if (error instanceof BodyTooLarge) return tooLarge(origin, bytesMax)
  if (error instanceof OutboundError) {
    // Calls that waited for the same connection share its error; each gets its own, with the address it asked for.
    const { kind, detail, message } = error
    if (kind === 'refusedByGuard' || kind === 'unreachable') return notReached(kind, origin, detail ?? message, error)
    return new OutboundError(kind, message, { cause: error, ...(detail === undefined ? {} : { detail }) })
  }
  switch (codeOf(error)) {
    case 'UND_ERR_INVALID_ARG':
      return new OutboundError('invalidRequest', 'The request has a method, header or body that cannot be sent.', {
        detail: (error as Error).message,
        cause: error,
      })
    case 'UND_ERR_DESTROYED':
    case 'UND_ERR_CLOSED':
      return new OutboundError('closed', 'The service is stopping and makes no further calls.', { cause: error })
    default:
      return badResponse(origin, error)
  }
}

/** The connection was closed before any answer: what happens when a kept connection dies as it is used again. */
export function isLostConnection(error: unknown): boolean {
  return ['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE'].includes(codeOf(error) ?? '')
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined
}
