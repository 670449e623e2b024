// What is kept of runs, and for how long. Old runs go by the day: their partition is dropped and its space is free at once. Nothing of a run under
// way is ever touched. One process of all sweeps at a time.
import { replayRunsDefault } from '@patchbay/contract'
import { type Database, Lease, sql, unlessBackup } from '../../db/index.ts'
import { Recurring } from '../../lib/recurring.ts'
import { closeOldItems } from '../ledger/store.ts'
import { deleteOrphans } from '../record/carry-items.ts'
import { deleteExpired } from '../record/remembered-store.ts'
import { deleteOldEvents } from './event-retention.ts'
import { sweepBeyondCount } from './sweep-beyond-count.ts'

export type RetentionOptions = { daysKept: number; runsKeptMax: number }

const sweepMs = 60_000
/** Longer than a statement may take. */
const leaseSeconds = 90
const daysAhead = 7
const eventsAtOnce = 10_000
const failedItemsAtOnce = 1000

export class Retention implements AsyncDisposable {
  readonly #database: Database
  readonly #options: RetentionOptions
  readonly #lease: Lease
  readonly #sweeping: Recurring

  constructor(database: Database, options: RetentionOptions, onFault: (error: unknown) => void) {
    this.#database = database
    this.#options = options
    this.#lease = new Lease(database.system, 'sweep runs', leaseSeconds)
    this.#sweeping = new Recurring(() => this.sweep(), { pauseMs: sweepMs, onFault })
  }

  async start(): Promise<void> {
    await unlessBackup(this.#database.system, async (tx) => {
      await tx.query(sql`select ensure_run_partitions(${daysAhead})`)
    })
    this.#sweeping.startNow()
  }

  async sweep(): Promise<void> {
    if (!(await this.#lease.hold())) return
    try {
      await this.#sweepDays()
      await this.#sweepRecordings()
      await deleteOrphans(this.#database.system)
      while (!this.#sweeping.isStopping && (await deleteExpired(this.#database.system, eventsAtOnce)) === eventsAtOnce);
      while (
        !this.#sweeping.isStopping &&
        (await deleteOldEvents(this.#database.system, eventsAtOnce)) === eventsAtOnce
      );
      while (
        !this.#sweeping.isStopping &&
        (await closeOldItems(this.#database.system, failedItemsAtOnce)) === failedItemsAtOnce
      );
      await sweepBeyondCount(this.#database.system, {
        runsKeptMax: this.#options.runsKeptMax,
        mayGoOn: async () => !this.#sweeping.isStopping && (await this.#lease.hold()),
      })
    } finally {
      await this.#lease.release()
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#sweeping[Symbol.asyncDispose]()
  }

  async #sweepDays(): Promise<void> {
    const { system } = this.#database
    const { daysKept } = this.#options
    await unlessBackup(system, async (tx) => {
      await tx.query(sql`select ensure_run_partitions(${daysAhead})`)
      await tx.query(sql`select drop_run_partitions((now() at time zone 'utc')::date - ${daysKept}::integer)`)
    })
    // What is as old and still here lies in the partition for days that nobody made one for.
    await system.query(sql`
      with gone as (
        delete from runs where id < first_run_id((now() at time zone 'utc')::date - ${daysKept}::integer) and ended_at is not null
        returning id, account_id
      ), blocks as (
        delete from run_blocks b using gone where b.run_id = gone.id and b.account_id = gone.account_id
      ) delete from run_writes w using gone where w.run_id = gone.id and w.account_id = gone.account_id`)
  }

  /** Recordings, approvals and resume addresses of days and runs that are gone, and those beyond what a workflow keeps since its setting was lowered. */
  async #sweepRecordings(): Promise<void> {
    const { system } = this.#database
    const { daysKept, runsKeptMax } = this.#options
    await system.query(sql`
      delete from run_recordings where run_id < first_run_id((now() at time zone 'utc')::date - ${daysKept}::integer)`)
    await system.query(sql`
      delete from approvals where run_id < first_run_id((now() at time zone 'utc')::date - ${daysKept}::integer) and outcome is not null`)
    await system.query(sql`
      delete from resume_links l where run_id < first_run_id((now() at time zone 'utc')::date - ${daysKept}::integer)
        and not exists (select from runs r where r.id = l.run_id)`)
    await system.query(sql`
      delete from run_recordings d using run_counters c
      where c.workflow_id = d.workflow_id and d.run_number <= c.last_number - ${runsKeptMax}::integer`)
    await system.query(sql`
      with lowered as (
        select c.workflow_id, k.kept from (select workflow_id, count(*) as count from run_recordings group by workflow_id) c
        join workflows w on w.id = c.workflow_id join workflow_revisions v on v.workflow_id = w.id and v.revision = w.revision
        cross join lateral (select coalesce((v.definition ->> 'replayRuns')::integer, ${replayRunsDefault}) as kept) k
        where c.count > k.kept
      )
      delete from run_recordings d using lowered l cross join lateral (
        select r.run_number from run_recordings r where r.workflow_id = l.workflow_id order by r.run_number desc offset l.kept limit 1
      ) o where d.workflow_id = l.workflow_id and d.run_number <= o.run_number`)
  }
}
