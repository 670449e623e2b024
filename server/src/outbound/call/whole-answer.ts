/**
 * An answer that is kept in memory until it is complete. It listens to the connection itself: a stream, an iterator over
 * it and a signal for every call would cost more than the call.
 *   asked -> answered (headers are there) -> settled (complete, given up or broken); what comes later is not heard
 */
import type { Dispatcher } from 'undici'
import { BodyTooLarge, readEncoding } from '../answer/decode-body.ts'
import { type ResponseHeaders, responseBytesMaxDefault } from '../request/request.ts'
import { type Answer, type Attempt, type DecideNext, discardBytesMax, discardMsMax, toDispatch } from './attempt.ts'
import type { Call, CountedAnswer } from './call.ts'
import { bytesToCome } from './call-rooms.ts'

type Controller = Dispatcher.DispatchController

const nothing = Buffer.alloc(0)

export const attemptWhole: Attempt<Buffer> = (pool, call, decideNext) => {
  const incoming = new IncomingAnswer(call, decideNext)
  if (call.deadline.isEnded) incoming.giveUp(new Error('The call was aborted.'))
  else pool.dispatch(toDispatch(call), incoming)
  return incoming.answer
}

class IncomingAnswer implements Dispatcher.DispatchHandler {
  readonly answer: Promise<Answer<Buffer>>
  readonly #call: Call
  readonly #decideNext: DecideNext
  readonly #resolve: (answer: Answer<Buffer>) => void
  readonly #reject: (error: unknown) => void
  readonly #bytesMax: number
  readonly #parts: Buffer[] = []
  #controller: Controller | undefined
  #head: Omit<Answer<Buffer>, 'body'> | undefined
  #bytes = 0
  #discardTimer: NodeJS.Timeout | undefined
  #isSettled = false

  constructor(call: Call, decideNext: DecideNext) {
    const { promise, resolve, reject } = Promise.withResolvers<Answer<Buffer>>()
    this.answer = promise
    this.#resolve = resolve
    this.#reject = reject
    this.#call = call
    this.#decideNext = decideNext
    this.#bytesMax = call.request.responseBytesMax ?? responseBytesMaxDefault
    call.deadline.onEnd = () => this.giveUp(new Error('The call was aborted.'))
  }

  onRequestStart(controller: Controller): void {
    this.#controller = controller
    // Given up while its connection was being made.
    if (this.#isSettled) controller.abort(new Error('The call was aborted.'))
  }

  onResponseStart(_controller: Controller, status: number, rawHeaders: object): void {
    // Informational answers (103 and the like) come before the one that counts.
    if (this.#isSettled || status < 200) return
    const headers = rawHeaders as ResponseHeaders
    const next = this.#decideNext(status, headers)
    this.#head = { status, headers, next }
    if (next !== undefined) {
      this.#discardTimer = setTimeout(() => this.#finishEarly(), discardMsMax)
      return
    }
    const call = this.#call
    call.status = status
    call.received = { bytes: 0 }
    if (call.hop.method !== 'HEAD' && Number(headers['content-length'] ?? 0) > this.#bytesMax) {
      this.giveUp(new BodyTooLarge())
    }
  }

  onResponseData(controller: Controller, chunk: Buffer): void {
    if (this.#isSettled) return
    this.#bytes += chunk.length
    if (this.#head?.next !== undefined) {
      if (this.#bytes > discardBytesMax) this.#finishEarly()
      return
    }
    this.#call.received.bytes = this.#bytes
    if (this.#bytes > this.#bytesMax) {
      this.giveUp(new BodyTooLarge())
      return
    }
    this.#parts.push(chunk)
    const { answerBytes } = this.#call
    if (answerBytes !== undefined) this.#makeRoom(controller, answerBytes)
  }

  /** The target waits while there is no room for more. */
  #makeRoom(controller: Controller, answerBytes: CountedAnswer): void {
    const room = answerBytes.grow(this.#bytes, () => {
      const headers = this.#head?.headers ?? {}
      return bytesToCome(this.#call, headers, readEncoding(headers['content-encoding']) !== undefined)
    })
    if (room === undefined) return
    controller.pause()
    room.then(
      () => controller.resume(),
      (error: unknown) => this.giveUp(error),
    )
  }

  onResponseEnd(): void {
    const parts = this.#parts
    if (this.#head === undefined) this.giveUp(new Error('The answer has no head.'))
    else this.#finish(this.#head, parts.length === 1 ? parts[0]! : parts.length === 0 ? nothing : Buffer.concat(parts))
  }

  onResponseError(_controller: Controller, error: Error): void {
    // The body of an answer that is not the caller's may break: what it said counts.
    if (this.#head?.next !== undefined) this.#finish(this.#head, nothing)
    else this.giveUp(error)
  }

  /** Ends the request, and its connection with it where one was used. */
  giveUp(error: unknown): void {
    if (this.#isSettled) return
    this.#settle()
    this.#reject(error)
    this.#controller?.abort(error as Error)
  }

  #finishEarly(): void {
    if (this.#isSettled || this.#head === undefined) return
    this.#finish(this.#head, nothing)
    this.#controller?.abort(new Error('The rest of the answer is not wanted.'))
  }

  #finish({ status, headers, next }: Omit<Answer<Buffer>, 'body'>, body: Buffer): void {
    if (this.#isSettled) return
    this.#settle()
    this.#resolve({ status, headers, next, body })
  }

  #settle(): void {
    this.#isSettled = true
    clearTimeout(this.#discardTimer)
    this.#call.deadline.onEnd = undefined
  }
}
