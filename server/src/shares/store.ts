import { listSizeMax, wrongCodesMax } from '@patchbay/contract'
import { type Queryable, sql } from '../db/index.ts'

export async function insertUpload(
  db: Queryable,
  upload: { id: string; accountId: string; storageId: string; uploader: string },
): Promise<void> {
  await db.query(sql`
    insert into shares (id, account_id, status, storage_id, uploader)
    values (${upload.id}, ${upload.accountId}, 'Uploading', ${upload.storageId}, ${upload.uploader})`)
}

/** `bytes` are those so far. Touches may overtake each other. */
export async function touchUpload(db: Queryable, accountId: string, id: string, bytes: number): Promise<void> {
  await db.query(sql`
    update shares set touched_at = now(), bytes = greatest(bytes, ${bytes}::bigint)
    where account_id = ${accountId} and id = ${id} and status = 'Uploading'`)
}

export type FinishedUpload = {
  sealedKey: Buffer
  codeSalt: Buffer
  isCodeChosen: boolean
  sealedContent: Buffer
  expiresInDays: number
  bytes: number
}

/** False when the upload was given up meanwhile because its process gave no sign of life. */
export async function finishUpload(
  tx: Queryable,
  accountId: string,
  id: string,
  done: FinishedUpload,
): Promise<boolean> {
  const { rowCount } = await tx.query(sql`
    update shares set status = 'Ready', sealed_key = ${done.sealedKey}, code_salt = ${done.codeSalt},
      is_code_chosen = ${done.isCodeChosen}, sealed_content = ${done.sealedContent},
      bytes = ${done.bytes}, expires_at = now() + ${done.expiresInDays}::integer * interval '1 day'
    where account_id = ${accountId} and id = ${id} and status = 'Uploading'`)
  return rowCount > 0
}

export type ShareRow = {
  id: string
  status: 'Ready' | 'Locked'
  is_expired: boolean
  is_code_chosen: boolean
  sealed_content: Buffer
  wrong_codes: number
  downloads: number
  last_download_at: Date | null
  created_at: Date
  expires_at: Date
}

export async function listShares(db: Queryable, accountId: string): Promise<ShareRow[]> {
  const { rows } = await db.query<ShareRow>(sql`
    select id, status, expires_at <= now() as is_expired, is_code_chosen, sealed_content, wrong_codes, downloads, last_download_at,
           created_at, expires_at
    from shares where account_id = ${accountId} and status in ('Ready', 'Locked') order by created_at desc, id desc limit ${listSizeMax}`)
  return rows
}

/** Destroys the key. Undefined when the account has no such share (any more). */
export async function eraseShare(
  tx: Queryable,
  accountId: string,
  id: string,
): Promise<{ storage_id: string } | undefined> {
  const { rows } = await tx.query<{ storage_id: string }>(sql`
    update shares set status = 'Erased', sealed_key = null, sealed_content = null, code_salt = null
    where account_id = ${accountId} and id = ${id} and status in ('Ready', 'Locked') returning storage_id`)
  return rows[0]
}

export type AttemptedShare = {
  id: string
  account_id: string
  organization_id: string
  account_email: string
  storage_id: string
  sealed_key: Buffer
  code_salt: Buffer
  sealed_content: Buffer
  expires_at: Date
  wrong_codes: number
}

/**
 * Counts a code as wrong before it is known to be: of any number of guesses made at once, no more are looked at than a share allows.
 * Undefined when the share is not to be opened, for whatever reason.
 */
export async function beginAttempt(db: Queryable, id: string): Promise<AttemptedShare | undefined> {
  const { rows } = await db.query<AttemptedShare>(sql`
    update shares s set wrong_codes = s.wrong_codes + 1 from accounts a
    where s.id = ${id} and a.id = s.account_id and a.state = 'active' and s.status = 'Ready' and s.expires_at > now() and s.wrong_codes < ${wrongCodesMax}
    returning s.id, s.account_id, a.organization_id, a.email as account_email, s.storage_id, s.sealed_key, s.code_salt,
      s.sealed_content, s.expires_at, s.wrong_codes`)
  return rows[0]
}

/** The code was right after all. */
export async function takeBackAttempt(db: Queryable, id: string): Promise<void> {
  await db.query(sql`update shares set wrong_codes = greatest(wrong_codes - 1, 0) where id = ${id}`)
}

/** False when it was locked already. */
export async function lockShare(tx: Queryable, id: string): Promise<boolean> {
  const { rowCount } = await tx.query(sql`update shares set status = 'Locked' where id = ${id} and status = 'Ready'`)
  return rowCount > 0
}

export async function countDownload(tx: Queryable, id: string): Promise<void> {
  await tx.query(sql`update shares set downloads = downloads + 1, last_download_at = now() where id = ${id}`)
}

/** Destroys the keys of shares that are over; returns what was theirs for the audit log. */
export async function eraseExpired(
  tx: Queryable,
  limit: number,
): Promise<{ id: string; account_id: string; organization_id: string }[]> {
  const { rows } = await tx.query<{ id: string; account_id: string; organization_id: string }>(sql`
    update shares s set status = 'Erased', sealed_key = null, sealed_content = null, code_salt = null from accounts a
    where a.id = s.account_id and s.id in (
      select id from shares where status in ('Ready', 'Locked') and expires_at <= now()
      order by expires_at limit ${limit} for update skip locked)
    returning s.id, s.account_id, a.organization_id`)
  return rows
}

export type ToClean = {
  id: string
  account_id: string
  status: 'Erased' | 'Uploading'
  uploader: string
  is_silent: boolean
}

/** Erased shares, and uploads with the process that receives them and whether they were silent for long. */
export async function listToClean(db: Queryable, storageId: string, silentSeconds: number): Promise<ToClean[]> {
  const { rows } = await db.query<ToClean>(sql`
    select id, account_id, status, uploader, touched_at < now() - ${silentSeconds}::integer * interval '1 second' as is_silent
    from shares where storage_id = ${storageId} and status in ('Uploading', 'Erased')`)
  return rows
}

/** An upload that nobody receives any more must not be finished while its files go: from here on it is erased. False when it is none (any more). */
export async function giveUpUpload(db: Queryable, accountId: string, id: string): Promise<boolean> {
  const { rowCount } = await db.query(sql`
    update shares set status = 'Erased' where account_id = ${accountId} and id = ${id} and status = 'Uploading'`)
  return rowCount > 0
}

/** The last step: the files are gone. */
export async function deleteErased(db: Queryable, accountId: string, id: string): Promise<void> {
  await db.query(sql`delete from shares where account_id = ${accountId} and id = ${id} and status = 'Erased'`)
}

/** What another data directory should have cleaned long ago, had it not been lost. */
export async function deleteLost(db: Queryable, days: number): Promise<void> {
  await db.query(sql`
    delete from shares where status in ('Uploading', 'Erased') and touched_at < now() - ${days}::integer * interval '1 day'`)
}
