/** The one client for every call that is made on a user's behalf. */
import { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { createSecureContext } from 'node:tls'
import { Agent } from 'undici'
import type { Owner } from '../lib/fair-queue.ts'
import { BodyTooLarge, decodeBody, readEncoding } from './answer/decode-body.ts'
import type { Answer } from './call/attempt.ts'
import { type Call, startCall } from './call/call.ts'
import { CallRooms } from './call/call-rooms.ts'
import { type ExchangeDeps, exchange } from './call/exchange.ts'
import { toOutboundError } from './call/failure.ts'
import { attemptStreamed, type StreamedBody } from './call/streamed-answer.ts'
import { attemptWhole } from './call/whole-answer.ts'
import { createConnector } from './connect/connector.ts'
import { connectMsDefault } from './connect/dial.ts'
import type { Guard } from './guard/guard.ts'
import type { OutboundError } from './outbound-error.ts'
import { createMemoryRateLimiter, type RateLimiter } from './rate-limit.ts'
import { withoutCredentialValues } from './request/credentials.ts'
import {
  type OutboundRequest,
  type OutboundResponse,
  type OutboundStream,
  responseBytesMaxDefault,
} from './request/request.ts'
import { type HopEntry, maskUrl } from './request/request-log.ts'

export type OutboundClientOptions = {
  guard: Guard
  /** Shared by all processes; without it a declared rate is kept by this process alone. */
  rateLimiter?: RateLimiter
  onHop?: (entry: HopEntry) => void
  connectMs?: number
  /** The longest silence between two parts of a streamed body, and the longest time a stream may take in all. */
  streamIdleMs?: number
  streamMs?: number
  connectionsPerOrigin?: number
  /** Certificate authorities in PEM that are trusted in place of the system's. */
  certificateAuthorities?: readonly string[]
  userAgent?: string
  wait?: (ms: number, signal: AbortSignal) => Promise<void>
  now?: () => number
}

export class OutboundClient implements AsyncDisposable {
  readonly #deps: ExchangeDeps
  readonly #pools: readonly Agent[]
  readonly #onHop: ((entry: HopEntry) => void) | undefined
  readonly #streamIdleMs: number
  readonly #streamMs: number

  constructor(options: OutboundClientOptions) {
    const named = createPool(options)
    const others = createPool(options)
    this.#pools = [named, others]
    this.#onHop = options.onHop
    this.#streamIdleMs = options.streamIdleMs ?? 30_000
    this.#streamMs = options.streamMs ?? 900_000
    this.#deps = {
      guard: options.guard,
      pools: { named, others },
      rateLimiter: options.rateLimiter ?? createMemoryRateLimiter(),
      rooms: new CallRooms(),
      wait: options.wait ?? ((ms, signal) => sleep(ms, undefined, { signal })),
      now: options.now ?? Date.now,
      userAgent: options.userAgent ?? 'Patchbay',
    }
  }

  /** The whole answer. Any status is an answer; only a call without one rejects, always with an OutboundError. */
  async send(request: OutboundRequest): Promise<OutboundResponse> {
    const call = startCall(request)
    try {
      const answer = await exchange(this.#deps, call, attemptWhole, () => this.#log(call))
      const encoding = readEncoding(answer.headers['content-encoding'])
      const body = encoding === undefined ? answer.body : await unpack(call, answer.body, encoding)
      this.#log(call)
      keepBytes(call, body.length)
      return { ...describe(call, answer), body }
    } catch (error) {
      if (request.body instanceof Readable) request.body.destroy()
      call.answerBytes?.release()
      throw this.#fail(call, error)
    } finally {
      close(call)
    }
  }

  /**
   * The answer as soon as its headers are there. `timeoutMs` holds until then; afterwards silence and total time of
   * the body are limited, not counting the time in which the reader does not ask for more.
   */
  async stream(request: OutboundRequest): Promise<OutboundStream> {
    const { call, answer, chunks } = await this.#open(request)
    call.limitMs = this.#streamIdleMs
    call.deadline.restart(call.limitMs)
    const body = Readable.from(this.#follow(call, chunks), { objectMode: false })
    body.once('close', () => {
      answer.body.destroy()
      close(call)
    })
    return { ...describe(call, answer), body }
  }

  /** Ends all connections; calls under way reject. */
  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#pools.map((pool) => pool.destroy()))
  }

  async #open(
    request: OutboundRequest,
  ): Promise<{ call: Call; answer: Answer<StreamedBody>; chunks: AsyncGenerator<Buffer> }> {
    const call = startCall(request)
    let answer: Answer<StreamedBody> | undefined
    try {
      answer = await exchange(this.#deps, call, attemptStreamed, () => this.#log(call))
      return { call, answer, chunks: openBody(call, answer) }
    } catch (error) {
      answer?.body.destroy()
      if (request.body instanceof Readable) request.body.destroy()
      close(call)
      throw this.#fail(call, error)
    }
  }

  async *#follow(call: Call, chunks: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
    const { deadline } = call
    let leftMs = this.#streamMs
    let askedMs = performance.now()
    try {
      for await (const chunk of chunks) {
        deadline.stop()
        leftMs -= performance.now() - askedMs
        yield chunk
        askedMs = performance.now()
        deadline.restart(Math.min(this.#streamIdleMs, leftMs))
      }
      this.#log(call)
    } catch (error) {
      throw this.#fail(call, error)
    }
  }

  #log(call: Call, failure?: string): void {
    if (this.#onHop === undefined) return
    const { hop, request } = call
    this.#onHop({
      method: hop.method,
      url: maskUrl(hop.url, request.credentials, request.secrets),
      ...(call.status === undefined ? {} : { status: call.status }),
      ...(failure === undefined ? {} : { failure }),
      durationMs: performance.now() - call.hopStartedMs,
      requestBytes: call.sent.bytes,
      responseBytes: call.received.bytes,
      retries: call.hopRetries,
    })
  }

  #fail(call: Call, error: unknown): OutboundError {
    const failure = toOutboundError(error, {
      origin: call.hop.url.origin,
      deadline: call.deadline,
      limitMs: call.limitMs,
      bytesMax: bytesMaxOf(call),
    })
    failure.pausedMs = call.pausedMs
    this.#log(call, failure.kind)
    return failure
  }
}

/** The same client for calls of one account. */
export function ownedBy(outbound: Pick<OutboundClient, 'send'>, owner: Owner): Pick<OutboundClient, 'send'> {
  return { send: (request) => outbound.send({ ...request, owner }) }
}

function createPool(options: OutboundClientOptions): Agent {
  const authorities = options.certificateAuthorities
  return new Agent({
    connect: createConnector({
      guard: options.guard,
      connectMs: options.connectMs ?? connectMsDefault,
      secureContext: authorities === undefined ? undefined : createSecureContext({ ca: [...authorities] }),
    }),
    // As many as there are places for calls: those of one account to a slow target must not keep others from the same target.
    connections: options.connectionsPerOrigin ?? null,
    pipelining: 1,
    allowH2: false,
    maxHeaderSize: 32 * 1024,
    // The deadline of each call replaces the timers that undici would keep for every connection.
    headersTimeout: 0,
    bodyTimeout: 0,
  })
}

function openBody(call: Call, { headers, body }: Answer<StreamedBody>): AsyncGenerator<Buffer> {
  const bytesMax = bytesMaxOf(call)
  if (call.hop.method !== 'HEAD' && Number(headers['content-length'] ?? 0) > bytesMax) throw new BodyTooLarge()
  call.received = { bytes: 0 }
  return decodeBody(body, readEncoding(headers['content-encoding']), bytesMax, call.received)
}

/** What was received is in memory already; only what it unpacks to is still to be limited. */
async function unpack(call: Call, packed: Buffer, encoding: string): Promise<Buffer> {
  // An empty body is empty in every encoding, although no decoder would accept it.
  if (packed.length === 0) return packed
  const parts: Buffer[] = []
  let bytes = 0
  for await (const part of decodeBody(Readable.from([packed]), encoding, bytesMaxOf(call), { bytes: 0 })) {
    parts.push(part)
    bytes += part.length
    const room = call.answerBytes?.grow(bytes, () => bytesMaxOf(call))
    if (room !== undefined) await room
  }
  return Buffer.concat(parts)
}

/** Whoever asked for it says when the answer is used up; else it is nobody's as soon as it is handed over. */
function keepBytes({ answerBytes, request }: Call, bytes: number): void {
  if (!answerBytes?.isCounted) return
  answerBytes.settle(bytes)
  if (request.onHeld) request.onHeld(() => answerBytes.release())
  else answerBytes.release()
}

function close(call: Call): void {
  call.deadline.close()
  for (const held of call.held) held.leave()
}

function bytesMaxOf({ request }: Call): number {
  return request.responseBytesMax ?? responseBytesMaxDefault
}

function describe(call: Call, { status, headers }: Answer<unknown>): Omit<OutboundResponse, 'body'> {
  const { redirects, retries, pausedMs, hop, request } = call
  const url = withoutCredentialValues(hop.url, request.credentials).href
  if (call.hop.method === 'HEAD' || readEncoding(headers['content-encoding']) === undefined) {
    return { status, headers, url, redirects, retries, pausedMs }
  }
  const { 'content-encoding': _encoding, 'content-length': _length, ...rest } = headers
  return { status, headers: rest, url, redirects, retries, pausedMs }
}
