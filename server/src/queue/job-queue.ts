// Which worker works on what: jobs in a table of our own (ADR 15). The rows that jobs serve belong to the features.
//
// Two ways of working on a queue:
//  - `work`: one handler call a job, for queues whose jobs are few and slow (upgrades);
//  - `fetchInTurns`, `touch`, `finish`, `handBack`, `park`: many jobs a round trip, settled in the transaction of what they did (checks, mail).
//    Runs are taken by turns of their own.
import type { Database, Queryable, Tx } from '../db/index.ts'
import { Announcer, channel, dueNotice } from './announcer.ts'
import { deleteJobs, insertJobs, listActiveJobs, withdrawJob, withdrawJobs } from './file-jobs.ts'
import { definitionOf, type Job, type JobClaim, type NewJob, type QueueDefinitions } from './job.ts'
import { JobWorker } from './job-worker.ts'
import { lockJobs, parkJobs, wakeJobs } from './park-jobs.ts'
import { QueueKeeper } from './queue-keeper.ts'
import { finishJobs, handBackJobs, touchJobs } from './settle-jobs.ts'
import { type TakenJob, type Turns, takeInTurns, takeOldest } from './take-jobs.ts'

export type JobQueueOptions = {
  definitions: QueueDefinitions
  /** Workers also look after abandoned and due jobs; processes that only file jobs leave that to them. */
  supervises: boolean
  onError(error: Error): void
}

export class JobQueue implements AsyncDisposable {
  readonly #database: Database
  readonly #options: JobQueueOptions
  readonly #listeners = new Map<string, Set<() => void>>()
  readonly #announcer: Announcer
  readonly #keeper: QueueKeeper | undefined
  readonly #parts = new AsyncDisposableStack()

  private constructor(database: Database, options: JobQueueOptions) {
    const { definitions, supervises, onError } = options
    this.#database = database
    this.#options = options
    this.#announcer = this.#parts.use(new Announcer(database, onError))
    const onFault = (error: unknown) => onError(error as Error)
    if (!supervises) return
    const onWaiting = (queue: string) => this.#announcer.announce(queue)
    this.#keeper = this.#parts.use(new QueueKeeper({ db: database.system, definitions, onWaiting, onFault }))
  }

  static async start(database: Database, options: JobQueueOptions): Promise<JobQueue> {
    const queue = new JobQueue(database, options)
    if (options.supervises) await queue.#startKeeping()
    return queue
  }

  async #startKeeping(): Promise<void> {
    const wakeAll = () => {
      for (const queue of this.#listeners.keys()) this.hint(queue)
      this.#keeper?.look()
    }
    const onMessage = (payload: string) => (payload === dueNotice ? this.#keeper?.look() : this.hint(payload))
    const listener = await this.#database.listen(channel, onMessage, wakeAll)
    this.#parts.defer(() => listener.close())
    this.#keeper?.start()
  }

  /** Files a job in the caller's transaction: the job exists exactly when the row it serves does. Workers hear of it afterwards. */
  async send(tx: Tx, queue: string, data: object): Promise<void> {
    await this.sendMany(tx, queue, [{ data }])
  }

  async sendMany(tx: Tx, queue: string, jobs: readonly NewJob[]): Promise<void> {
    if (jobs.length === 0) return
    const isDueAtOnce = jobs.some(({ startAfter }) => startAfter === undefined)
    const isDueLater = jobs.some(({ startAfter }) => startAfter !== undefined)
    tx.afterCommit(() => {
      if (isDueAtOnce) this.#announcer.announce(queue)
      if (isDueLater) this.#announcer.announce(dueNotice)
    })
    await insertJobs(tx, queue, jobs)
  }

  /** Works on jobs of a queue, each by itself. A handler that throws has its job tried again as the queue says. */
  async work<Data>(queue: string, concurrency: number, handler: (job: Job<Data>) => Promise<void>): Promise<void> {
    const { onError } = this.#options
    const onFault = (error: unknown) => onError(error as Error)
    const work = async (job: Job<Data>) => {
      try {
        await handler(job)
      } catch (error) {
        onFault(error)
        throw error
      }
    }
    const worker = new JobWorker<Data>({
      database: this.#database,
      jobs: this,
      queue,
      atOnce: concurrency,
      work,
      onFault,
    })
    this.#parts.use(worker).start()
  }

  /** Takes jobs whose groups are accounts. These take turns, so that a long row of one keeps nobody else waiting. */
  async fetchInTurns<Data>(db: Queryable, queue: string, turns: Turns): Promise<Job<Data>[]> {
    return (await takeInTurns(db, queue, turns)).map(toJob<Data>)
  }

  async fetchOldest<Data>(db: Queryable, queue: string, count: number): Promise<Job<Data>[]> {
    return (await takeOldest(db, queue, count)).map(toJob<Data>)
  }

  /** Whether whoever works on jobs of the queue has to say so. */
  beats(queue: string): boolean {
    return definitionOf(this.#options.definitions, queue).heartbeatSeconds !== undefined
  }

  /** Says that the jobs are being worked on, and returns the ids of those that are still the caller's. */
  async touch(db: Queryable, queue: string, claims: readonly JobClaim[]): Promise<Set<string>> {
    return claims.length === 0 ? new Set() : touchJobs(db, queue, claims)
  }

  /** Jobs that are done leave no trace: the rows they served tell what became of them. */
  async finish(tx: Queryable, queue: string, claims: readonly JobClaim[]): Promise<void> {
    if (claims.length > 0) await finishJobs(tx, queue, claims)
  }

  /** Gives jobs back, to be tried again when the queue says so. */
  async handBack(tx: Queryable, queue: string, claims: readonly JobClaim[]): Promise<void> {
    if (claims.length === 0) return
    const { waiting, areSomeParked } = await handBackJobs(tx, this.#options.definitions, queue, claims)
    const announce = () => {
      if (waiting.length > 0) this.#announcer.announce(queue)
      if (areSomeParked) this.#keeper?.look()
    }
    if ('afterCommit' in tx) (tx as Tx).afterCommit(announce)
    else announce()
  }

  /**
   * Puts jobs aside in the transaction that says what they wait for: until `dueAt`, or until somebody wakes them. The claims end. Returns the ids of those
   * that were still the caller's.
   */
  async park(tx: Tx, queue: string, claims: readonly JobClaim[], dueAt: Date | null): Promise<Set<string>> {
    if (claims.length === 0) return new Set()
    const { ids, areAllParked } = await parkJobs(tx, queue, claims, dueAt)
    tx.afterCommit(() => {
      if (!areAllParked) this.#announcer.announce(queue)
      if (dueAt) this.#keeper?.expect(dueAt)
    })
    return ids
  }

  /**
   * Parked jobs may be taken from the commit on. One that somebody works on will not be parked any more: it can be taken again at once, so what it is woken
   * for is never missed.
   */
  async wake(tx: Tx, queue: string, ids: readonly string[]): Promise<void> {
    if (ids.length === 0) return
    tx.afterCommit(() => this.#announcer.announce(queue))
    await wakeJobs(tx, queue, ids)
  }

  /** For whoever changes what a job is about and may wake it then: nobody takes, parks or withdraws it until the transaction ends. */
  async lock(tx: Tx, queue: string, ids: readonly string[]): Promise<void> {
    if (ids.length > 0) await lockJobs(tx, queue, ids)
  }

  /** Takes a job out of the queue if nobody works on it yet; false when somebody does. Locks it until the transaction ends. */
  withdraw(tx: Queryable, queue: string, id: string): Promise<boolean> {
    return withdrawJob(tx, queue, id)
  }

  /** The same for many; those that somebody works on stay. */
  async withdrawAll(tx: Queryable, queue: string, ids: readonly string[]): Promise<void> {
    if (ids.length > 0) await withdrawJobs(tx, queue, ids)
  }

  /** Those of the jobs that somebody works on. */
  async listActive(db: Queryable, queue: string, ids: readonly string[]): Promise<string[]> {
    return ids.length === 0 ? [] : listActiveJobs(db, queue, ids)
  }

  /** Removes jobs whatever their state, because what they served is gone. */
  async remove(tx: Queryable, queue: string, ids: readonly string[]): Promise<void> {
    if (ids.length > 0) await deleteJobs(tx, queue, ids)
  }

  /** `listener` is called when there may be new jobs. It is a hint: polling is what can be relied on. */
  listen(queue: string, listener: () => void): Disposable {
    const all = this.#listeners.get(queue) ?? new Set()
    this.#listeners.set(queue, all.add(listener))
    return { [Symbol.dispose]: () => void all.delete(listener) }
  }

  /** Wakes this process's own listeners without waiting for the database to do so. */
  hint(queue: string): void {
    for (const listener of this.#listeners.get(queue) ?? []) listener()
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#parts.disposeAsync()
  }
}

function toJob<Data>({ id, data, attempt, group_id }: TakenJob): Job<Data> {
  return { id, data: data as Data, attempt, groupId: group_id }
}
