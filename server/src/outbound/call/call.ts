import type { Held } from '../../lib/fair-room.ts'
import type { ByteCount } from '../answer/decode-body.ts'
import type { Hop } from '../answer/redirect.ts'
import { type OutboundRequest, timeoutMsDefault } from '../request/request.ts'
import { Deadline } from './deadline.ts'

/** The state of one call; the client reads from it what to log and report. */
export type Call = {
  request: OutboundRequest
  deadline: Deadline
  hop: Hop
  /** Undefined as long as this hop has no answer that ends it. */
  status: number | undefined
  /** How long the present part of the call may take, for the sentence that says it took longer. */
  limitMs: number
  hopStartedMs: number
  hopRetries: number
  redirects: number
  retries: number
  pausedMs: number
  sent: ByteCount
  received: ByteCount
  /** Place and body, until the call is over. */
  held: Held[]
  /** Undefined for a call that is nobody's. */
  answerBytes: CountedAnswer | undefined
}

/** The room that an answer takes while it is received. */
export type CountedAnswer = {
  readonly isCounted: boolean
  grow(bytes: number, bytesMax: () => number): Promise<void> | undefined
  settle(bytes: number): void
  release(): void
}

// Until it is parsed the address is only text, and text that is no address has no place in a log.
const nowhere = new URL('about:blank')

export function startCall(request: OutboundRequest): Call {
  const limitMs = request.timeoutMs ?? timeoutMsDefault
  return {
    request,
    deadline: new Deadline(limitMs, request.signal),
    limitMs,
    hop: { method: request.method, url: nowhere, headers: {}, body: undefined, credentials: undefined },
    status: undefined,
    hopStartedMs: performance.now(),
    hopRetries: 0,
    redirects: 0,
    retries: 0,
    pausedMs: 0,
    sent: { bytes: 0 },
    received: { bytes: 0 },
    held: [],
    answerBytes: undefined,
  }
}
