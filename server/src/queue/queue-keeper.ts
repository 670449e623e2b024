/**
 * Looks after the jobs that nobody has in hand, in every process that works on some: those that are due are called, those of workers that are not heard of
 * any more are given to others.
 *
 * There is one timer, to the next due time. Whoever parks a job that is due earlier says so; what other processes park is theirs to call, and is found by
 * the next look at the latest if they die.
 */
import type { Queryable } from '../db/index.ts'
import { Recurring } from '../lib/recurring.ts'
import { FetchLoop } from './fetch-loop.ts'
import type { QueueDefinitions } from './job.ts'
import { callDueJobs, findNextDue } from './park-jobs.ts'
import { reclaimJobs } from './settle-jobs.ts'

export type QueueKeeperDeps = {
  db: Queryable
  definitions: QueueDefinitions
  /** Jobs of the queue may be taken. */
  onWaiting(queue: string): void
  onFault(error: unknown): void
}

const lookMs = 3000
const calledAtOnce = 1000
/** What is due and not called is being called by another process. */
const othersMs = 50

export class QueueKeeper implements AsyncDisposable {
  readonly #deps: QueueKeeperDeps
  readonly #reclaiming: Recurring
  readonly #calling: FetchLoop
  #timer: NodeJS.Timeout | undefined
  /** When the timer goes off, by the clock of the database. */
  #timerAtMs = Number.POSITIVE_INFINITY
  /** By how much the clock of the database is ahead of ours. */
  #aheadMs = 0
  #isStopping = false

  constructor(deps: QueueKeeperDeps) {
    this.#deps = deps
    this.#reclaiming = new Recurring(() => this.#reclaim(), { pauseMs: lookMs, onFault: deps.onFault })
    this.#calling = new FetchLoop({ hasRoom: () => true, fetch: () => this.#call(), onFault: deps.onFault })
  }

  start(): void {
    this.#reclaiming.startNow()
  }

  /** Something is due at this time. */
  expect(due: Date): void {
    const dueMs = due.getTime()
    if (dueMs < this.#timerAtMs) this.#setTimer(dueMs, dueMs - Date.now() - this.#aheadMs)
  }

  /** Something is due at a time that only the database knows. */
  look(): void {
    this.#calling.wake()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isStopping = true
    clearTimeout(this.#timer)
    await this.#reclaiming[Symbol.asyncDispose]()
    await this.#calling.stop()
  }

  async #reclaim(): Promise<void> {
    const { db, definitions, onWaiting } = this.#deps
    this.look()
    for (const queue of (await reclaimJobs(db, definitions)).waiting) onWaiting(queue)
  }

  async #call(): Promise<void> {
    const { db, onWaiting } = this.#deps
    this.#timerAtMs = Number.POSITIVE_INFINITY
    const { queues, count } = await callDueJobs(db, calledAtOnce)
    for (const queue of queues) onWaiting(queue)
    if (count === calledAtOnce) return this.#calling.wake()
    const { dueMs, nowMs } = await findNextDue(db)
    this.#aheadMs = nowMs - Date.now()
    if (dueMs !== null && dueMs < this.#timerAtMs)
      this.#setTimer(dueMs, Math.max(dueMs - nowMs, count === 0 ? othersMs : 0))
  }

  #setTimer(dueMs: number, inMs: number): void {
    clearTimeout(this.#timer)
    this.#timerAtMs = dueMs
    // What is due later than the next look is left to that.
    if (inMs > lookMs || this.#isStopping) return
    this.#timer = setTimeout(() => this.look(), Math.max(1, Math.ceil(inMs)))
  }
}
