/** One request over the wire, and the translation of everything that can go wrong with it. */
import type { Readable } from 'node:stream'
import type { Dispatcher } from 'undici'
import { headersWithCredentials, pathWithCredentials } from './credentials.ts'
import type { Deadline } from './deadline.ts'
import { BodyTooLarge, type ByteCount } from './decode-body.ts'
import { badResponse, notReached, OutboundError, timedOut, tooLarge } from './outbound-error.ts'
import type { Hop } from './redirect.ts'
import type { OutboundBody, ResponseHeaders } from './request.ts'

export type Answer = { status: number; headers: ResponseHeaders; body: Dispatcher.ResponseData['body'] }

/** Rejects when the deadline does; undici alone would first wait for a connection that is being made. */
export async function attempt(pool: Dispatcher, hop: Hop, sent: ByteCount, deadline: Deadline): Promise<Answer> {
  const answer = pool.request({
    origin: hop.url.origin,
    path: pathWithCredentials(hop.url, hop.credentials),
    method: hop.method,
    headers: headersWithCredentials(hop.headers, hop.credentials),
    body: countBody(hop.body, sent),
    signal: deadline.signal,
  })
  const { statusCode, headers, body } = await deadline.bound(answer)
  // A body that breaks while nobody reads it must not end the process; a reader hears of it all the same.
  body.on('error', () => {})
  return { status: statusCode, headers: headers as ResponseHeaders, body }
}

/** Reads a short body nobody wants, so that its connection can serve again; a long or slow one costs the connection. */
export async function discard(answer: Answer): Promise<void> {
  await answer.body.dump({ limit: 64 * 1024, signal: AbortSignal.timeout(250) }).catch(() => {})
}

export type FailureContext = { origin: string; deadline: Deadline; limitMs: number; bytesMax: number }

export function toOutboundError(error: unknown, { origin, deadline, limitMs, bytesMax }: FailureContext) {
  if (deadline.isExpired) return timedOut(origin, limitMs)
  if (deadline.signal.aborted) return new OutboundError('cancelled', `The call to ${origin} was cancelled.`)
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

function countBody(body: OutboundBody | undefined, sent: ByteCount): string | Uint8Array | Readable | null {
  if (body === undefined) return null
  if (typeof body === 'string' || body instanceof Uint8Array) {
    sent.bytes = typeof body === 'string' ? Buffer.byteLength(body) : body.byteLength
    return body
  }
  // undici takes any async iterable; its types know only the stream.
  return countChunks(body, sent) as unknown as Readable
}

async function* countChunks(body: AsyncIterable<Uint8Array>, sent: ByteCount): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of body) {
      sent.bytes += chunk.byteLength
      yield chunk
    }
  } catch (cause) {
    throw new OutboundError('bodyFailed', 'The body of the request could not be read to its end.', { cause })
  }
}
