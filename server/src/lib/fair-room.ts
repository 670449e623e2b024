// Shares that one waits for instead of being refused. Organizations take turns, and so do the accounts of each, so that a long row of one is in
// nobody else's way.
//
//   entering ── the share has room ──▶ inside ──▶ left
//      └── waiting ── somebody left ──▶ inside
//             └── gave up
import { FairQueue, type Owner } from './fair-queue.ts'
import { FairShares, type ShareLimits } from './fair-shares.ts'

type Waiting = Owner & { amount: number; admit(held: Held): void }

export class FairRoom {
  readonly #shares: FairShares
  readonly #waiting: FairQueue<Waiting>
  readonly #amountMax: number

  /** Levels are accounts and organizations; `turnLength` is how many of one organization enter in a row. */
  constructor(limits: ShareLimits, turnLength?: number) {
    this.#shares = new FairShares(limits)
    this.#waiting = new FairQueue(turnLength)
    this.#amountMax = Math.min(...limits.levels.map((level) => ('partOfRest' in level ? 1 : level.maxWhenCrowded)))
  }

  get used(): number {
    return this.#shares.used
  }

  get waiting(): number {
    return this.#waiting.size
  }

  /**
   * Now, if there is room; else `later` is called for the signal that ends the wait. Whoever asks for more than anybody may have counts for
   * the most, so that everybody gets in at last.
   */
  enter(owner: Owner, wanted: number, later: () => AbortSignal): Held | Promise<Held> {
    const amount = Math.min(wanted, this.#amountMax)
    const isFirst = this.#waiting.first(owner) === undefined
    if (isFirst && this.#shares.take(holderOf(owner), amount) === undefined) return new Held(this, owner, amount)
    return this.#wait(owner, amount, later())
  }

  /** For `Held` alone. */
  give(owner: Owner, amount: number): void {
    this.#shares.give(holderOf(owner), amount)
    if (this.#waiting.size > 0) this.#admit()
  }

  #wait({ organizationId, accountId }: Owner, amount: number, signal: AbortSignal): Promise<Held> {
    return new Promise((resolve, reject) => {
      const giveUp = () => {
        this.#waiting.remove(waiting)
        reject(signal.reason)
        // It may have been the large one that the next of its row stood behind.
        if (this.#waiting.size > 0) this.#admit()
      }
      const admit = (held: Held) => {
        signal.removeEventListener('abort', giveUp)
        resolve(held)
      }
      const waiting: Waiting = { organizationId, accountId, amount, admit }
      if (signal.aborted) return reject(signal.reason)
      signal.addEventListener('abort', giveUp, { once: true })
      this.#waiting.add(waiting)
    })
  }

  #admit(): void {
    for (;;) {
      const owner = this.#waiting.next((one) => {
        const amount = this.#waiting.first(one)?.amount ?? 0
        return this.#shares.refusalOf(holderOf(one), amount) === undefined
      })
      const next = owner && this.#waiting.take(owner)
      if (!next) return
      this.#shares.take(holderOf(next), next.amount)
      next.admit(new Held(this, next, next.amount))
    }
  }
}

/** What one has of a room until it leaves. */
export class Held {
  readonly #room: FairRoom
  readonly #owner: Owner
  #amount: number

  constructor(room: FairRoom, owner: Owner, amount: number) {
    this.#room = room
    this.#owner = owner
    this.#amount = amount
  }

  shrinkTo(amount: number): void {
    const excess = this.#amount - amount
    if (excess <= 0) return
    this.#amount = amount
    this.#room.give(this.#owner, excess)
  }

  leave(): void {
    this.shrinkTo(0)
  }
}

function holderOf({ accountId, organizationId }: Owner): readonly string[] {
  return [accountId, organizationId]
}
