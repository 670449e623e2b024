/** One request over the wire: what it is made of, and what its answer is good for. */
import type { Readable } from 'node:stream'
import type { Dispatcher } from 'undici'
import type { ByteCount } from '../answer/decode-body.ts'
import { OutboundError } from '../outbound-error.ts'
import { headersWithCredentials, pathWithCredentials } from '../request/credentials.ts'
import type { OutboundBody, ResponseHeaders } from '../request/request.ts'
import type { Call } from './call.ts'

/** What follows an answer that is not the caller's: its body is read to keep the connection, not to be kept itself. */
export type Next = { kind: 'redirect'; location: string } | { kind: 'wait'; waitMs: number }

export type Answer<Body> = { status: number; headers: ResponseHeaders; body: Body; next: Next | undefined }

export type DecideNext = (status: number, headers: ResponseHeaders) => Next | undefined

/**
 * Rejects when the deadline ends, also while a connection is being made. `call.status` is set as soon as there is an
 * answer that is the caller's: from then on the request must not be repeated.
 */
export type Attempt<Body> = (pool: Dispatcher, call: Call, decideNext: DecideNext) => Promise<Answer<Body>>

/** A body that nobody wants costs this much at most; a longer or slower one costs its connection. */
export const discardBytesMax = 64 * 1024
export const discardMsMax = 250

export function toDispatch({ hop, sent }: Call): Dispatcher.DispatchOptions & { origin: string } {
  return {
    origin: hop.url.origin,
    path: pathWithCredentials(hop.url, hop.credentials),
    method: hop.method,
    headers: headersWithCredentials(hop.headers, hop.credentials),
    body: countBody(hop.body, sent),
  }
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
