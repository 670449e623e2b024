// A backup reads every table in one transaction. Making and dropping partitions would wait for it, and everybody else behind them: so whoever
// does that asks first, and comes back later.
import type pg from 'pg'
import type { Db, Tx } from './database.ts'
import { sql } from './sql.ts'

// Any constant will do; it only has to be ours.
const backupKey = 7_230_118_450

/** Held until the session ends. Waits for maintenance, and for another backup. */
export async function lockForBackup(client: pg.Client): Promise<void> {
  await client.query('select pg_advisory_lock($1::bigint)', [backupKey])
}

/** Does the work in a transaction, or not at all while a backup is being made. */
export async function unlessBackup(db: Db, work: (tx: Tx) => Promise<void>): Promise<void> {
  await db.transaction(async (tx) => {
    const { rows } = await tx.query<{ is_free: boolean }>(
      sql`select pg_try_advisory_xact_lock_shared(${backupKey}::bigint) as is_free`,
    )
    if (rows[0]?.is_free) await work(tx)
  })
}
