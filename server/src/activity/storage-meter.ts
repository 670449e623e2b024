// Measures what accounts have stored, for `storedBytes` of their use. Reading the sizes of all rows takes time, so a measurement is followed
// by a pause of at least fifty times as long: it never takes more than a fiftieth of anything.
import { setTimeout as wait } from 'node:timers/promises'
import { type Database, sql } from '../db/index.ts'
import { storedSizes } from '../storage/index.ts'

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

  async measure(): Promise<void> {
    await measureStorage(this.#database)
  }

  async #repeat(): Promise<void> {
    const { signal } = this.#stop
    for (let pauseMs = firstAfterMs; !signal.aborted; ) {
      await wait(pauseMs, undefined, { signal, ref: false }).catch(() => {})
      if (signal.aborted) return
      const startedAt = performance.now()
      await this.measure().catch(this.#onFault)
      pauseMs = Math.max(pauseMsMin, (performance.now() - startedAt) * pausePerMs)
    }
  }
}

/**
 * What counts for the quota counts for the invoice. The quota has a sum of its own, which grows between measurements. A measurement holds until
 * the next one, so an account that has nothing left is told once; those that never had anything get no row.
 */
async function measureStorage(database: Database): Promise<void> {
  await database.system.transaction(async (tx) => {
    const { rows } = await tx.query<{ is_mine: boolean }>(
      sql`select pg_try_advisory_xact_lock(${meterLock}) as is_mine`,
    )
    if (!rows[0]?.is_mine) return
    await tx.query(sql`
      insert into usage_days (account_id, day, stored_bytes)
      select a.id, (now() at time zone 'utc')::date, coalesce(sum(s.bytes), 0)::bigint
      from accounts a left join (${storedSizes}) s on s.account_id = a.id group by 1
      having sum(s.bytes) is not null or (
        select u.stored_bytes from usage_days u
        where u.account_id = a.id and u.stored_bytes is not null order by u.day desc limit 1) > 0
      on conflict (account_id, day) do update set stored_bytes = excluded.stored_bytes`)
  })
}
