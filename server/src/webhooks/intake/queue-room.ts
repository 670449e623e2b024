// Whether the queue of an account has room. Counting takes as long as the queue is, so it is done every other second and not waited for as
// long as the last count leaves room; what was taken since is added.
import type { Database } from '../../db/index.ts'
import { AppError } from '../../lib/app-error.ts'
import { countQueued } from './store.ts'

const countedMs = 2000
const accountsMax = 10_000

type Count = { queued: number; countedAt: number; counting: Promise<void> | undefined }

export class QueueRoom {
  readonly #database: Database
  readonly #queuedMax: number
  readonly #counts = new Map<string, Count>()

  constructor(database: Database, queuedMax: number) {
    this.#database = database
    this.#queuedMax = queuedMax
  }

  /** Takes room for one request, now if that can be said now; throws when there is none. */
  take(accountId: string): Promise<void> | undefined {
    const count = this.#counts.get(accountId) ?? this.#begin(accountId)
    if (performance.now() - count.countedAt >= countedMs) {
      if (!count.counting) {
        count.counting = this.#count(accountId, count)
        // Whoever waits for it hears of a failure; the others ask again the next time.
        count.counting.catch(() => {})
      }
      if (count.queued >= this.#queuedMax) return count.counting.then(() => this.#takeFrom(count))
    }
    this.#takeFrom(count)
    return undefined
  }

  #takeFrom(count: Count): void {
    if (count.queued++ < this.#queuedMax) return
    throw new AppError('too_many_requests', 'The queue of this account is full. Try again later.')
  }

  /** Nothing is known of its queue, so it counts as full until it was counted. */
  #begin(accountId: string): Count {
    if (this.#counts.size >= accountsMax) this.#counts.clear()
    const count = { queued: this.#queuedMax, countedAt: Number.NEGATIVE_INFINITY, counting: undefined }
    this.#counts.set(accountId, count)
    return count
  }

  async #count(accountId: string, count: Count): Promise<void> {
    try {
      count.queued = await countQueued(this.#database.system, accountId, this.#queuedMax)
      count.countedAt = performance.now()
    } finally {
      count.counting = undefined
    }
  }
}
