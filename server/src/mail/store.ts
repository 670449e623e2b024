import { type Database, type Queryable, type Sql, sql, type Tx, when } from '../db/index.ts'

export type WaitingMail = { id: string; accountId: string; sealedContent: Buffer }

/** Bytes that are read at once: whatever comes in one row is converted in one go. */
const pieceBytes = 1024 * 1024

export async function findWaitingMail(database: Database, id: string): Promise<WaitingMail | undefined> {
  const { rows } = await database.system.query<{ account_id: string; bytes: number; first_bytes: Buffer }>(sql`
    select account_id, length(sealed_content) as bytes, substring(sealed_content from 1 for ${pieceBytes}::integer) as first_bytes
    from mails where id = ${id} and status = 'Queued'`)
  const found = rows[0]
  if (!found) return undefined
  const pieces = [found.first_bytes]
  for (let start = pieceBytes; start < found.bytes; start += pieceBytes)
    pieces.push(await readPiece(database, id, start))
  const sealedContent = pieces.length === 1 ? found.first_bytes : Buffer.concat(pieces)
  return { id, accountId: found.account_id, sealedContent }
}

async function readPiece(database: Database, id: string, start: number): Promise<Buffer> {
  const { rows } = await database.system.query<{ piece: Buffer }>(sql`
    select substring(sealed_content from ${start + 1}::integer for ${pieceBytes}::integer) as piece from mails where id = ${id}`)
  return rows[0]?.piece ?? Buffer.alloc(0)
}

/** The content goes with the mail: what was sent carries links that still open things. */
export async function markSent(database: Database, id: string, refusals: string | null): Promise<void> {
  await database.system.query(sql`
    update mails set status = 'Sent', sent_at = now(), attempts = attempts + 1, error_message = ${refusals}, sealed_content = ''
    where id = ${id}`)
}

export async function markTried(database: Database, id: string, error: string, isLast: boolean): Promise<void> {
  await database.system.query(sql`
    update mails set status = ${isLast ? 'Failed' : 'Queued'}, attempts = attempts + 1, error_message = ${error} where id = ${id}`)
}

/** Mails that were held because nothing could send them; each is released by exactly one process. */
export async function releaseHeld(tx: Tx, limit: number): Promise<{ id: string; accountId: string }[]> {
  const { rows } = await tx.query<{ id: string; account_id: string }>(sql`
    update mails set status = 'Queued'
    where id in (select id from mails where status = 'Held' order by created_at limit ${limit} for update skip locked)
    returning id, account_id`)
  return rows.map((row) => ({ id: row.id, accountId: row.account_id }))
}

/** Mails that are over and older than `days`; returns how many went. */
export async function deleteOverMails(database: Database, days: number, limit: number): Promise<number> {
  const { rowCount } = await database.system.query(sql`
    delete from mails where id in (
      select id from mails where status in ('Sent', 'Failed') and created_at < now() - ${days}::integer * interval '1 day'
      order by created_at limit ${limit} for update skip locked)`)
  return rowCount
}

export type MailQuery = {
  page: number
  size: number
  statuses: string[] | undefined
  from: string | undefined
  to: string | undefined
}

type MailRow = {
  id: string
  account_id: string
  status: 'Held' | 'Queued' | 'Sent' | 'Failed'
  subject: string
  recipients: string[]
  attempts: number
  error_message: string | null
  created_at: Date
  sent_at: Date | null
}

export function listMails(db: Queryable, accountId: string, query: MailQuery) {
  return listMatching(db, sql`account_id = ${accountId}`, query)
}

/** For a Manager: the only reader that crosses accounts, within one organization. */
export function listMailsOfOrganization(db: Queryable, organizationId: string, query: MailQuery) {
  return listMatching(db, sql`account_id in (select id from accounts where organization_id = ${organizationId})`, query)
}

async function listMatching(db: Queryable, owners: Sql, query: MailQuery) {
  const matching = sql`${owners} ${when(query.statuses, (statuses) => sql`and status = any(${statuses})`)}
    ${when(query.from, (from) => sql`and created_at >= ${from}`)} ${when(query.to, (to) => sql`and created_at < ${to}`)}`
  const [page, count] = await Promise.all([
    db.query<MailRow>(sql`
      select id, account_id, status, subject, recipients, attempts, error_message, created_at, sent_at from mails
      where ${matching} order by created_at desc, id desc limit ${query.size} offset ${query.page * query.size}`),
    db.query<{ total: number }>(sql`select count(*) as total from mails where ${matching}`),
  ])
  return { items: page.rows.map(toListItem), total: count.rows[0]?.total ?? 0 }
}

function toListItem(row: MailRow) {
  return {
    id: row.id,
    accountId: row.account_id,
    status: row.status,
    subject: row.subject,
    recipients: row.recipients,
    attempts: row.attempts,
    errorMessage: row.error_message,
    createDateTimeUTC: row.created_at.toISOString(),
    sentDateTimeUTC: row.sent_at?.toISOString() ?? null,
  }
}
