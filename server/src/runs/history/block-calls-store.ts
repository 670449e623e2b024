import { type Queryable, sql } from '../../db/index.ts'

/** Undefined when the block is not recorded; its calls are null when it made none. */
export async function findBlockCalls(
  db: Queryable,
  accountId: string,
  runId: string,
  blockId: string,
): Promise<{ calls: string | null } | undefined> {
  const { rows } = await db.query<{ calls: string | null }>(
    sql`select calls from run_blocks where run_id = ${runId} and account_id = ${accountId} and block_id = ${blockId}`,
  )
  return rows[0]
}

export type StoredWrite = { method: string; url: string; idempotencyKey: string; attempt: number; sentAt: Date }

/** Every write that was about to be sent, by whichever worker. */
export async function listWrites(
  db: Queryable,
  accountId: string,
  runId: string,
  blockId: string,
): Promise<StoredWrite[]> {
  const { rows } = await db.query<{
    method: string
    url: string
    idempotency_key: string
    attempt: number
    sent_at: Date
  }>(sql`
    select method, url, idempotency_key, attempt, sent_at from run_writes
    where run_id = ${runId} and account_id = ${accountId} and block_id = ${blockId} order by sent_at limit 10000`)
  return rows.map((row) => ({
    method: row.method,
    url: row.url,
    idempotencyKey: row.idempotency_key,
    attempt: row.attempt,
    sentAt: row.sent_at,
  }))
}
