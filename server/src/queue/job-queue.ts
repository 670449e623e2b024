// The only place that knows pg-boss. Who works on what, now, is pg-boss's; the rows that jobs serve are the features'.
//
// Two ways of working on a queue:
//  - `work`: one handler call a job, for queues whose jobs are few and slow (upgrades);
//  - `fetchInTurns`, `touch`, `finish`, `handBack`: many jobs a round trip, settled in the transaction of what they did (checks, mail).
//    Runs are taken by turns of their own.
import { PgBoss } from 'pg-boss'
import { type Database, type Queryable, rawStatement, type Tx } from '../db/index.ts'
import { Recurring } from '../lib/recurring.ts'
import { Announcer } from './announcer.ts'
import { ClockWatch } from './clock-watch.ts'
import { schema } from './install-queues.ts'
import type { Job, JobClaim, NewJob } from './job.ts'
import { callDueJobs, parkJobs, wakeJobs } from './park-jobs.ts'
import { preparedStatement } from './prepared-statement.ts'
import { type Turns, takeInTurns } from './take-jobs.ts'

export class JobQueue implements AsyncDisposable {
  readonly #boss: PgBoss
  readonly #listeners: Map<string, Set<() => void>>
  readonly #announcer: Announcer
  readonly #clock: ClockWatch | undefined
  readonly #calling: Recurring | undefined

  private constructor(parts: {
    boss: PgBoss
    listeners: Map<string, Set<() => void>>
    announcer: Announcer
    clock: ClockWatch | undefined
    calling: Recurring | undefined
  }) {
    this.#boss = parts.boss
    this.#listeners = parts.listeners
    this.#announcer = parts.announcer
    this.#clock = parts.clock
    this.#calling = parts.calling
  }

  /** `supervises`: workers also look after abandoned jobs; processes that only file jobs leave that to them. */
  static async start(database: Database, supervises: boolean, onError: (error: Error) => void): Promise<JobQueue> {
    const listeners = new Map<string, Set<() => void>>()
    const wakeAll = () => {
      for (const queue of listeners.keys()) wake(listeners, queue)
    }
    const boss = new PgBoss({
      schema,
      migrate: false,
      createSchema: false,
      supervise: supervises,
      schedule: false,
      superviseIntervalSeconds: 3,
      monitorIntervalSeconds: 3,
      maintenanceIntervalSeconds: 300,
      useListenNotify: supervises,
      // Rebuilding indexes needs the owner, which no running process is.
      reindex: false,
      db: {
        executeSql: (text, values) => database.executeRaw(text, values),
        listen: (channel, onMessage, onConnect) =>
          database.listen(
            channel,
            (queue) => {
              onMessage(queue)
              wake(listeners, queue)
            },
            () => {
              onConnect()
              wakeAll()
            },
          ),
      },
    })
    boss.on('error', onError)
    await boss.start()
    const clock = supervises ? new ClockWatch(database, (error) => onError(error as Error)) : undefined
    clock?.start()
    const announcer = new Announcer(database, onError)
    const callDue = async () => {
      for (const queue of await callDueJobs(database.system)) announcer.announce(queue)
    }
    const calling = supervises
      ? new Recurring(callDue, { pauseMs: 500, onFault: (error) => onError(error as Error) })
      : undefined
    calling?.start()
    return new JobQueue({ boss, listeners, announcer, clock, calling })
  }

  /** Files a job in the caller's transaction: the job exists exactly when the row it serves does. Workers hear of it afterwards. */
  async send(tx: Tx, queue: string, data: object): Promise<void> {
    await this.sendMany(tx, queue, [{ data }])
  }

  async sendMany(tx: Tx, queue: string, jobs: readonly NewJob[]): Promise<void> {
    if (jobs.some(({ startAfter }) => startAfter === undefined)) tx.afterCommit(() => this.#announcer.announce(queue))
    const inserts = jobs.map(({ id, data, groupId, key, startAfter }) => ({
      ...(id === undefined ? {} : { id }),
      ...(data === undefined ? {} : { data }),
      ...(groupId === undefined ? {} : { group: { id: groupId } }),
      ...(key === undefined ? {} : { singletonKey: key }),
      ...(startAfter === undefined ? {} : { startAfter }),
    }))
    await this.#boss.insert(queue, inserts, { db: inTransaction(tx) })
  }

  /** Works on jobs of a queue, each by itself. A handler that throws has its job tried again as the queue says. */
  async work<Data>(queue: string, concurrency: number, handler: (job: Job<Data>) => Promise<void>): Promise<void> {
    await this.#boss.work<Data>(
      queue,
      {
        localConcurrency: concurrency,
        batchSize: 1,
        // Nobody is told when the delay of a retry is over, so polling must not be slow.
        pollingIntervalSeconds: 2,
        includeMetadata: true,
      },
      async ([job]) => {
        if (job) await handler({ id: job.id, data: job.data, attempt: job.retryCount, groupId: job.groupId ?? null })
      },
    )
  }

  /** Takes jobs whose groups are accounts. These take turns, so that a long row of one keeps nobody else waiting. */
  async fetchInTurns<Data>(db: Queryable, queue: string, turns: Turns): Promise<Job<Data>[]> {
    const taken = await takeInTurns(db, queue, turns)
    return taken.map(({ id, data, retry_count, group_id }) => ({
      id,
      data: data as Data,
      attempt: retry_count,
      groupId: group_id,
    }))
  }

  /** Says that the jobs are being worked on, and returns the ids of those that are still the caller's. */
  async touch(db: Queryable, queue: string, claims: readonly JobClaim[]): Promise<Set<string>> {
    if (claims.length === 0) return new Set()
    // The ids are in the answer although its declared type leaves them out.
    const answer: { settled?: string[] } = await this.#boss.touch(queue, claims.map(toAttempt), {
      db: inTransaction(db),
    })
    return new Set(answer.settled ?? claims.map(({ id }) => id))
  }

  /** Jobs that are done leave no trace: the rows they served tell what became of them. */
  async finish(tx: Queryable, queue: string, claims: readonly JobClaim[]): Promise<void> {
    if (claims.length > 0) await this.#boss.deleteJob(queue, claims.map(toAttempt), { db: inTransaction(tx) })
  }

  /** Gives jobs back, to be tried again when the queue says so. */
  async handBack(tx: Queryable, queue: string, claims: readonly JobClaim[]): Promise<void> {
    if (claims.length > 0) await this.#boss.fail(queue, claims.map(toAttempt), null, { db: inTransaction(tx) })
  }

  /**
   * Puts jobs aside in the transaction that says what they wait for: until `dueAt`, or until somebody wakes them. The claims end. Returns the ids of those
   * that were still the caller's.
   */
  async park(tx: Tx, queue: string, claims: readonly JobClaim[], dueAt: Date | null): Promise<Set<string>> {
    if (claims.length === 0) return new Set()
    const { ids, areAllParked } = await parkJobs(tx, queue, claims, dueAt)
    if (!areAllParked) tx.afterCommit(() => this.#announcer.announce(queue))
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

  /** Takes a job out of the queue if nobody works on it yet; false when somebody does. Locks it until the transaction ends. */
  async withdraw(tx: Queryable, queue: string, id: string): Promise<boolean> {
    const { rows } = await tx.query<{ id: string }>(
      preparedStatement(`delete from ${schema}.job where name = $1 and id = $2 and state < 'active' returning id`, [
        queue,
        id,
      ]),
    )
    return rows.length > 0
  }

  /** Removes jobs whatever their state, because what they served is gone. */
  async remove(tx: Queryable, queue: string, ids: readonly string[]): Promise<void> {
    if (ids.length > 0) await this.#boss.deleteJob(queue, [...ids], { db: inTransaction(tx) })
  }

  /** `listener` is called when there may be new jobs. It is a hint: polling is what can be relied on. */
  listen(queue: string, listener: () => void): Disposable {
    const all = this.#listeners.get(queue) ?? new Set()
    this.#listeners.set(queue, all.add(listener))
    return { [Symbol.dispose]: () => void all.delete(listener) }
  }

  /** Wakes this process's own listeners without waiting for the database to do so. */
  hint(queue: string): void {
    wake(this.#listeners, queue)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#calling?.[Symbol.asyncDispose]()
    await this.#clock?.[Symbol.asyncDispose]()
    await this.#announcer[Symbol.asyncDispose]()
    await this.#boss.stop({ graceful: true, timeout: 25_000 })
  }
}

function wake(listeners: Map<string, Set<() => void>>, queue: string): void {
  for (const listener of listeners.get(queue) ?? []) listener()
}

function toAttempt({ id, attempt }: JobClaim) {
  return { id, retryCount: attempt }
}

/** pg-boss writes the same few texts again and again, so they are worth preparing. */
function inTransaction(db: Queryable) {
  return {
    executeSql: (text: string, values: unknown[] = []) =>
      db.query(text.includes(';') ? rawStatement(text, values) : preparedStatement(text, values)),
  }
}
