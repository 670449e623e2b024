// What calls may take of this process: places, bytes on their way out, and bytes of answers. All of it is shared by account and organization;
// whoever has its share waits, within the time of its call. Rooms are entered in the order below and nobody inside waits for an earlier one,
// so no two calls wait for each other.
import type { Owner } from '../../lib/fair-queue.ts'
import { FairRoom, type Held } from '../../lib/fair-room.ts'
import { OutboundError } from '../outbound-error.ts'
import { responseBytesMaxDefault } from '../request/request.ts'
import { isStream } from '../request/request-headers.ts'
import type { Call, CountedAnswer } from './call.ts'

const MiB = 1024 * 1024
/** Fewer bytes are bounded by the number of calls. */
const countedBytesMin = 256 * 1024

export class CallRooms {
  readonly #places = new FairRoom({
    all: 1024,
    crowdedFrom: 640,
    levels: [
      { max: 128, maxWhenCrowded: 32 },
      { max: 384, maxWhenCrowded: 64 },
    ],
  })
  readonly #bodies = new FairRoom({
    all: 256 * MiB,
    crowdedFrom: 160 * MiB,
    levels: [
      { max: 96 * MiB, maxWhenCrowded: 48 * MiB },
      { max: 128 * MiB, maxWhenCrowded: 48 * MiB },
    ],
  })
  readonly #answers = new FairRoom({
    all: 640 * MiB,
    crowdedFrom: 384 * MiB,
    levels: [
      { max: 192 * MiB, maxWhenCrowded: 64 * MiB },
      { max: 320 * MiB, maxWhenCrowded: 128 * MiB },
    ],
  })

  /** A place, and room for the body. What a call has is given back by `leave`. */
  async enter(call: Call, owner: Owner): Promise<void> {
    call.held.push(await this.#take(this.#places, call, owner, 1))
    const bytes = lengthOf(call.hop.body)
    if (bytes >= countedBytesMin) call.held.push(await this.#take(this.#bodies, call, owner, bytes))
  }

  /** Room for all that the answer may still become, once it is known to be large. */
  growAnswer(call: Call, owner: Owner, bytesMax: number): Held | Promise<Held> {
    return this.#take(this.#answers, call, owner, bytesMax)
  }

  #take(room: FairRoom, call: Call, owner: Owner, amount: number): Held | Promise<Held> {
    const held = room.enter(owner, amount, () => call.deadline.signal)
    return held instanceof Promise
      ? held.catch((cause: unknown) => {
          const who = 'this account or its organization'
          const message = `The call to ${call.hop.url.origin} was not made: too many calls of ${who} are in progress.`
          throw new OutboundError('crowded', message, { cause })
        })
      : held
  }
}

/** The bytes of an answer that is being received. */
export class AnswerBytes implements CountedAnswer {
  readonly #rooms: CallRooms
  readonly #call: Call
  readonly #owner: Owner
  #held: Held | undefined
  #isAsked = false
  #isOver = false

  constructor(rooms: CallRooms, call: Call, owner: Owner) {
    this.#rooms = rooms
    this.#call = call
    this.#owner = owner
  }

  get isCounted(): boolean {
    return this.#isAsked
  }

  /** After more bytes have come: undefined to go on at once, else when there is room for the rest. `bytesMax` is what it may become. */
  grow(bytes: number, bytesMax: () => number): Promise<void> | undefined {
    if (this.#isAsked || bytes < countedBytesMin) return undefined
    this.#isAsked = true
    const held = this.#rooms.growAnswer(this.#call, this.#owner, bytesMax())
    if (held instanceof Promise) return held.then((given) => this.#keep(given))
    this.#keep(held)
    return undefined
  }

  /** It is complete: no more than this is kept. */
  settle(bytes: number): void {
    this.#held?.shrinkTo(bytes)
  }

  release(): void {
    this.#isOver = true
    this.#held?.leave()
  }

  #keep(held: Held): void {
    if (this.#isOver) held.leave()
    else this.#held = held
  }
}

/** What an answer may become: as long as it says, and unpacked as much again as any. */
export function bytesToCome(call: Call, headers: { 'content-length'?: unknown }, isPacked: boolean): number {
  const bytesMax = call.request.responseBytesMax ?? responseBytesMaxDefault
  const declared = Number(headers['content-length'] ?? bytesMax)
  const received = Number.isFinite(declared) ? Math.min(declared, bytesMax) : bytesMax
  return isPacked ? received + bytesMax : received
}

function lengthOf(body: Call['hop']['body']): number {
  if (body === undefined || isStream(body)) return 0
  return typeof body === 'string' ? Buffer.byteLength(body) : (body as Uint8Array).byteLength
}
