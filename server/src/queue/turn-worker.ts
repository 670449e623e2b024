/**
 * Works on jobs of accounts, a few at a time, as long as there are any. Accounts take turns, so that a long row of one keeps nobody else waiting.
 *
 *   waiting ─► in hand ─► done, and gone | failed: tried again when the queue says so
 */
import { setTimeout as wait } from 'node:timers/promises'
import type { Database } from '../db/index.ts'
import { FetchLoop } from './fetch-loop.ts'
import type { Job } from './job.ts'
import type { JobQueue } from './job-queue.ts'

export type TurnWorkerDeps<Data> = {
  database: Database
  jobs: JobQueue
  queue: string
  atOnce: number
  /** In hand at a time. */
  perAccount: number
  /** Throws when the job is to be tried again. */
  work(job: Job<Data>): Promise<void>
  onFault(error: unknown): void
}

/** Nobody is told when the delay of a retry is over, so polling must not be slow. */
const pollMs = 2000
/** Of the thirty seconds that a stop may take. A job that is not done by then is taken again when it has expired. */
const partingMsMax = 20_000

export class TurnWorker<Data> implements AsyncDisposable {
  readonly #deps: TurnWorkerDeps<Data>
  readonly #inHand = new Map<Promise<void>, Job<Data>>()
  #listening: Disposable | undefined
  #timer: NodeJS.Timeout | undefined
  readonly #loop: FetchLoop

  constructor(deps: TurnWorkerDeps<Data>) {
    this.#deps = deps
    this.#loop = new FetchLoop({
      hasRoom: () => this.#inHand.size < deps.atOnce,
      fetch: () => this.#fetch(),
      onFault: deps.onFault,
    })
  }

  start(): void {
    this.#listening = this.#deps.jobs.listen(this.#deps.queue, () => this.#loop.wake())
    this.#timer = setInterval(() => this.#loop.wake(), pollMs)
    this.#loop.wake()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#listening?.[Symbol.dispose]()
    clearInterval(this.#timer)
    await this.#loop.stop()
    const parting = new AbortController()
    await Promise.race([
      Promise.all(this.#inHand.keys()),
      wait(partingMsMax, undefined, { signal: parting.signal }).catch(() => {}),
    ])
    parting.abort()
  }

  async #fetch(): Promise<void> {
    const { jobs, database, queue, atOnce, perAccount } = this.#deps
    const turns = { count: atOnce - this.#inHand.size, perAccount, inHand: this.#inHand.values() }
    for (const job of await jobs.fetchInTurns<Data>(database.system, queue, turns)) this.#take(job)
  }

  #take(job: Job<Data>): void {
    const { jobs, database, queue, work, onFault } = this.#deps
    const working = work(job)
      .then(
        () => jobs.finish(database.system, queue, [job]),
        () => jobs.handBack(database.system, queue, [job]),
      )
      .catch(onFault)
      .finally(() => {
        this.#inHand.delete(working)
        this.#loop.wake()
      })
    this.#inHand.set(working, job)
  }
}
