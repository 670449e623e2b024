/**
 * Works on jobs of a queue, a few at a time, as long as there are any.
 *
 *   waiting ─► in hand ─► done, and gone | failed: tried again when the queue says so
 *
 * Jobs of accounts are taken in turns, so that a long row of one keeps nobody else waiting; others by age. A job that another worker took over is dropped
 * from the hand, though nothing can stop what works on it.
 */
import { setTimeout as wait } from 'node:timers/promises'
import type { Database, Queryable } from '../db/index.ts'
import { FetchLoop } from './fetch-loop.ts'
import type { Job, JobClaim } from './job.ts'
import type { Turns } from './take-jobs.ts'

/** The queue, as far as a worker needs it. */
type Jobs = {
  fetchInTurns<Data>(db: Queryable, queue: string, turns: Turns): Promise<Job<Data>[]>
  fetchOldest<Data>(db: Queryable, queue: string, count: number): Promise<Job<Data>[]>
  beats(queue: string): boolean
  touch(db: Queryable, queue: string, claims: readonly JobClaim[]): Promise<Set<string>>
  finish(tx: Queryable, queue: string, claims: readonly JobClaim[]): Promise<void>
  handBack(tx: Queryable, queue: string, claims: readonly JobClaim[]): Promise<void>
  listen(queue: string, listener: () => void): Disposable
}

export type JobWorkerDeps<Data> = {
  database: Pick<Database, 'system'>
  jobs: Jobs
  queue: string
  atOnce: number
  /** In hand at a time. Absent: the jobs are nobody's in particular. */
  perAccount?: number
  /** Throws when the job is to be tried again. */
  work(job: Job<Data>): Promise<void>
  onFault(error: unknown): void
}

/** Whoever is told of jobs does not poll for them. This is for what was said while nobody heard it. */
const pollMs = 2000
const heartbeatMs = 3000
/** Of the thirty seconds that a stop may take. A job that is not done by then is taken again when it has expired. */
const partingMsMax = 20_000

export class JobWorker<Data> implements AsyncDisposable {
  readonly #deps: JobWorkerDeps<Data>
  readonly #inHand = new Map<Promise<void>, Job<Data>>()
  readonly #timers: NodeJS.Timeout[] = []
  readonly #loop: FetchLoop
  #listening: Disposable | undefined

  constructor(deps: JobWorkerDeps<Data>) {
    this.#deps = deps
    this.#loop = new FetchLoop({
      hasRoom: () => this.#inHand.size < deps.atOnce,
      fetch: () => this.#fetch(),
      onFault: deps.onFault,
    })
  }

  start(): void {
    const { jobs, queue, onFault } = this.#deps
    this.#listening = jobs.listen(queue, () => this.#loop.wake())
    this.#timers.push(setInterval(() => this.#loop.wake(), pollMs))
    if (jobs.beats(queue)) this.#timers.push(setInterval(() => void this.#beat().catch(onFault), heartbeatMs))
    this.#loop.wake()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#listening?.[Symbol.dispose]()
    await this.#loop.stop()
    const parting = new AbortController()
    await Promise.race([
      Promise.all(this.#inHand.keys()),
      wait(partingMsMax, undefined, { signal: parting.signal }).catch(() => {}),
    ])
    parting.abort()
    for (const timer of this.#timers) clearInterval(timer)
  }

  async #fetch(): Promise<void> {
    const { jobs, database, queue, atOnce, perAccount } = this.#deps
    const count = atOnce - this.#inHand.size
    const fetched =
      perAccount === undefined
        ? await jobs.fetchOldest<Data>(database.system, queue, count)
        : await jobs.fetchInTurns<Data>(database.system, queue, { count, perAccount, inHand: this.#inHand.values() })
    for (const job of fetched) this.#take(job)
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

  async #beat(): Promise<void> {
    const { jobs, database, queue } = this.#deps
    const all = [...this.#inHand]
    if (all.length === 0) return
    const mine = await jobs.touch(
      database.system,
      queue,
      all.map(([, job]) => job),
    )
    for (const [working, { id }] of all) if (!mine.has(id)) this.#inHand.delete(working)
  }
}
