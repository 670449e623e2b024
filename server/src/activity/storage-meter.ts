// Measures what accounts have stored, for `storedBytes` of their use. Reading the sizes of all rows takes time, so a measurement is followed
// by a pause of at least fifty times as long: it never takes more than a fiftieth of anything.
import { setTimeout as wait } from 'node:timers/promises'
import { type Database, sql } from '../db/index.ts'

const firstAfterMs = 5_000
const pauseMsMin = 10 * 60_000
const pausePerMs = 50
/** Whoever holds it measures for all. */
const meterLock = 7_230_118_482

export class StorageMeter implements AsyncDisposable {
  readonly #database: Database
  readonly #onFault: (error: unknown) => void
  readonly #stop = new AbortController()
  #working: Promise<void> = Promise.resolve()

  constructor(database: Database, onFault: (error: unknown) => void) {
    this.#database = database
    this.#onFault = onFault
  }

  start(): void {
    this.#working = this.#repeat()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort()
    await this.#working
  }

  async #repeat(): Promise<void> {
    const { signal } = this.#stop
    for (let pauseMs = firstAfterMs; !signal.aborted; ) {
      await wait(pauseMs, undefined, { signal, ref: false }).catch(() => {})
      if (signal.aborted) return
      const startedAt = performance.now()
      await measureStorage(this.#database).catch(this.#onFault)
      pauseMs = Math.max(pauseMsMin, (performance.now() - startedAt) * pausePerMs)
    }
  }
}

/** Rows as they lie on disk, compressed where they are, and their contents in a storage; files of shares are not among them. */
async function measureStorage(database: Database): Promise<void> {
  await database.system.query(sql`
    with turn as materialized (select pg_try_advisory_xact_lock(${meterLock}) as is_mine), sizes as (
      select account_id, sum(pg_column_size(t.*) + coalesce(content_bytes(result), 0) + coalesce(content_bytes(log), 0) + coalesce(content_bytes(session), 0)
        + coalesce(content_bytes(calls), 0)) as bytes from run_blocks t where (select is_mine from turn) group by 1
      union all select account_id, sum(pg_column_size(t.*)) from runs t where (select is_mine from turn) group by 1
      union all select account_id, sum(pg_column_size(t.*) + content_bytes(sealed_request)) from webhook_requests t where (select is_mine from turn) group by 1
      union all select account_id, sum(pg_column_size(t.*)) from vault_entries t where (select is_mine from turn) group by 1
      union all select account_id, sum(pg_column_size(t.*)) from mails t where (select is_mine from turn) group by 1
      union all select account_id, sum(pg_column_size(t.*)) from workflow_revisions t where (select is_mine from turn) group by 1
    )
    insert into usage_days as u (account_id, day, stored_bytes)
    select a.id, (now() at time zone 'utc')::date, sum(s.bytes)::bigint from sizes s join accounts a on a.id = s.account_id group by 1
    on conflict (account_id, day) do update set stored_bytes = excluded.stored_bytes`)
}
