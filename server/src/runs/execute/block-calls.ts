// What a block sent to other services, as it is recorded with the block: enough to answer "did we send it already?".
import type { AnswerOf, Operations } from '@patchbay/contract'
import type { Exchange } from '../../proxy/index.ts'
import type { Masker } from '../../sandbox/index.ts'
import { storable } from './sanitize-text.ts'

export type BlockCall = AnswerOf<Operations['GetBlockCalls']>['result'][number]

/** As stored: calls in the order of their ends, and how many there was no room for. */
export type StoredCalls = { calls: BlockCall[]; omitted: number }

/** Reads beyond the first are left out before any write is. */
const readsMax = 1_000
const callsMax = 10_000
/** An address or a sentence that is longer is cut: thousands of them are held until the block ends. */
const textCharactersMax = 2_000
const bodyCharactersMax = 16 * 1024
const bodiesCharactersMax = 1024 * 1024

export class BlockCalls {
  readonly #attempt: number
  readonly #recordsBodies: boolean
  readonly #calls: BlockCall[] = []
  #reads = 0
  #omitted = 0
  #bodiesLeft = bodiesCharactersMax
  #hasCalled = false

  /** `earlier`: of tries that have ended, as text. */
  constructor(attempt: number, recordsBodies: boolean, earlier: string | null = null) {
    this.#attempt = attempt
    this.#recordsBodies = recordsBodies
    if (earlier === null) return
    const { calls, omitted } = JSON.parse(earlier) as StoredCalls
    this.#calls.push(...calls)
    this.#reads = calls.filter(({ idempotencyKey }) => idempotencyKey === null).length
    this.#omitted = omitted
  }

  /** Something is about to be asked of somebody else, or changed. */
  noteCall(): void {
    this.#hasCalled = true
  }

  /** Whether running the block again could do something a second time. */
  get hasCalled(): boolean {
    return this.#hasCalled
  }

  add(exchange: Exchange, idempotencyKey: string | undefined, masker: Masker): void {
    const isRead = idempotencyKey === undefined
    if (this.#calls.length >= callsMax || (isRead && ++this.#reads > readsMax)) {
      this.#omitted++
      return
    }
    const { statusCode, errorMessage } = exchange
    this.#calls.push({
      method: exchange.method,
      url: cutMasked(exchange.url, masker),
      outcome: statusCode === undefined ? 'Failed' : 'Answered',
      statusCode: statusCode ?? null,
      errorMessage: errorMessage === undefined ? null : cutMasked(errorMessage, masker),
      startDateTimeUTC: exchange.startedAt.toISOString(),
      durationInMilliSec: Math.round(exchange.durationMs),
      requestBytes: exchange.requestBytes,
      responseBytes: exchange.responseBytes,
      idempotencyKey: idempotencyKey ?? null,
      attempt: this.#attempt,
      requestBody: this.#show(exchange.requestBody, masker),
      responseBody: this.#show(exchange.responseBody, masker),
    })
  }

  /** All of them, also those there was no room for. */
  get count(): number {
    return this.#calls.length + this.#omitted
  }

  /** Null when nobody was called. */
  toText(): string | null {
    if (this.count === 0) return null
    return JSON.stringify({ calls: this.#calls, omitted: this.#omitted } satisfies StoredCalls)
  }

  #show(body: string | Uint8Array | undefined, masker: Masker): string | null {
    if (!this.#recordsBodies || body === undefined || body.length === 0) return null
    const limit = Math.min(bodyCharactersMax, this.#bodiesLeft)
    // A character has up to four bytes; what follows the limit is not looked at.
    const text = typeof body === 'string' ? body : Buffer.from(body.subarray(0, limit * 4)).toString()
    const isCut = text.length > limit || (typeof body !== 'string' && body.length > limit * 4)
    const masked = isCut ? `${masker.cutText(text.slice(0, limit))}…` : masker.text(text)
    this.#bodiesLeft = Math.max(0, this.#bodiesLeft - masked.length)
    return masked.toWellFormed()
  }
}

/** Without secrets, no longer than people read, and of characters that can be stored. */
export function cutMasked(text: string, masker: Masker): string {
  if (text.length <= textCharactersMax) return storable(masker.text(text))
  return storable(`${masker.cutText(text.slice(0, textCharactersMax))}…`)
}
