// Old runs go by the day: their partition is dropped and its space is free at once. Only what a busy workflow has beyond its number of
// runs is deleted, in large pieces. Nothing of a run under way is ever touched.
import { replayRunsDefault } from '@patchbay/contract'
import { type Database, sql, unlessBackup } from '../../db/index.ts'
import { Recurring } from '../../lib/recurring.ts'

export type RetentionOptions = { daysKept: number; runsKeptMax: number }

const sweepMs = 60_000
const daysAhead = 7
const deletedAtOnce = 5000

export class Retention implements AsyncDisposable {
  readonly #database: Database
  readonly #options: RetentionOptions
  readonly #sweeping: Recurring

  constructor(database: Database, options: RetentionOptions, onFault: (error: unknown) => void) {
    this.#database = database
    this.#options = options
    this.#sweeping = new Recurring(() => this.sweep(), { pauseMs: sweepMs, onFault })
  }

  async start(): Promise<void> {
    await unlessBackup(this.#database.system, async (tx) => {
      await tx.query(sql`select ensure_run_partitions(${daysAhead})`)
    })
    this.#sweeping.startNow()
  }

  async sweep(): Promise<void> {
    const { system } = this.#database
    const { daysKept, runsKeptMax } = this.#options
    await unlessBackup(system, async (tx) => {
      await tx.query(sql`select ensure_run_partitions(${daysAhead})`)
      await tx.query(sql`select drop_run_partitions((now() at time zone 'utc')::date - ${daysKept}::integer)`)
    })
    // What is as old and still here lies in the partition for days that nobody made one for.
    await system.query(sql`
      with gone as (
        delete from runs where id < first_run_id((now() at time zone 'utc')::date - ${daysKept}::integer) and ended_at is not null returning id
      ), blocks as (
        delete from run_blocks b using gone where b.run_id = gone.id
      ) delete from run_writes w using gone where w.run_id = gone.id`)
    await this.#sweepRecordings()
    const { rows } = await system.query<{ id: string; upto: number }>(sql`
      select c.workflow_id as id, c.last_number - ${runsKeptMax}::integer as upto from run_counters c
      where c.last_number > ${runsKeptMax}
        and exists (select from runs r where r.workflow_id = c.workflow_id and r.run_number <= c.last_number - ${runsKeptMax}::integer and r.ended_at is not null)`)
    for (const { id, upto } of rows) {
      while (!this.#sweeping.isStopping && (await this.#deleteSome(id, upto)) === deletedAtOnce);
    }
  }

  /** Recordings of days that are gone, and those beyond what a workflow keeps since its setting was lowered. */
  async #sweepRecordings(): Promise<void> {
    const { system } = this.#database
    await system.query(sql`
      delete from run_recordings where run_id < first_run_id((now() at time zone 'utc')::date - ${this.#options.daysKept}::integer)`)
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

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#sweeping[Symbol.asyncDispose]()
  }

  async #deleteSome(workflowId: string, upto: number): Promise<number> {
    const { rowCount } = await this.#database.system.query(sql`
      with old as materialized (
        select id from runs where workflow_id = ${workflowId} and run_number <= ${upto} and ended_at is not null
        order by run_number limit ${deletedAtOnce} for update skip locked
      ), blocks as (
        delete from run_blocks where run_id in (select id from old)
      ), writes as (
        delete from run_writes where run_id in (select id from old)
      ), recordings as (
        delete from run_recordings where run_id in (select id from old)
      )
      delete from runs where id in (select id from old)`)
    return rowCount
  }
}
