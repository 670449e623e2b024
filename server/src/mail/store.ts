import { type Database, sql, type Tx } from '../db/index.ts'

export type WaitingMail = { id: string; accountId: string; sealedContent: Buffer }

export async function findWaitingMail(database: Database, id: string): Promise<WaitingMail | undefined> {
  const { rows } = await database.system.query<{ id: string; account_id: string; sealed_content: Buffer }>(
    sql`select id, account_id, sealed_content from mails where id = ${id} and status = 'Queued'`,
  )
  return rows[0] && { id: rows[0].id, accountId: rows[0].account_id, sealedContent: rows[0].sealed_content }
}

export async function markSent(database: Database, id: string): Promise<void> {
  await database.system.query(sql`
    update mails set status = 'Sent', sent_at = now(), attempts = attempts + 1, error_message = null where id = ${id}`)
}

export async function markTried(database: Database, id: string, error: string, isLast: boolean): Promise<void> {
  await database.system.query(sql`
    update mails set status = ${isLast ? 'Failed' : 'Queued'}, attempts = attempts + 1, error_message = ${error} where id = ${id}`)
}

/** Mails that were held because nothing could send them; each is released by exactly one process. */
export async function releaseHeld(tx: Tx, limit: number): Promise<string[]> {
  const { rows } = await tx.query<{ id: string }>(sql`
    update mails set status = 'Queued'
    where id in (select id from mails where status = 'Held' order by created_at limit ${limit} for update skip locked)
    returning id`)
  return rows.map((row) => row.id)
}
