import { listSizeMax } from '@patchbay/contract'
import { type AccountIdentity, type AccountRow, toIdentity } from '../access/index.ts'
import { type Database, type Queryable, sql } from '../db/index.ts'
import type { NewKeyPair } from './secret.ts'

export type StoredKey = {
  id: string
  secretHash: Buffer
  ipRestriction: string[]
  expiresAt: Date | null
  accountState: string
  account: AccountIdentity
}

/** By consumer alone: who the caller is, is what this finds out. */
export async function findKeyByConsumer(database: Database, consumer: string): Promise<StoredKey | undefined> {
  const { rows } = await database.system.query<
    AccountRow & {
      key_id: string
      secret_hash: Buffer
      ip_restriction: string[]
      expires_at: Date | null
      state: string
    }
  >(sql`
    select k.id as key_id, k.secret_hash, k.ip_restriction, k.expires_at, a.state,
           a.id, a.email, a.organization_id, o.name as organization_name, a.role, a.permissions, a.country_key
    from api_keys k join accounts a on a.id = k.account_id join organizations o on o.id = a.organization_id
    where k.consumer = ${consumer}`)
  const row = rows[0]
  return (
    row && {
      id: row.key_id,
      secretHash: row.secret_hash,
      ipRestriction: row.ip_restriction,
      expiresAt: row.expires_at,
      accountState: row.state,
      account: toIdentity(row),
    }
  )
}

type KeyRow = {
  id: string
  label: string
  consumer: string
  ip_restriction: string[]
  expires_at: Date | null
  last_used_at: Date | null
  created_at: Date
}

export async function listKeys(db: Queryable, accountId: string) {
  const { rows } = await db.query<KeyRow>(sql`
    select id, label, consumer, ip_restriction, expires_at, last_used_at, created_at
    from api_keys where account_id = ${accountId} order by created_at, id limit ${listSizeMax}`)
  return rows.map((row) => ({
    id: row.id,
    label: row.label,
    consumer: row.consumer,
    ipRestriction: row.ip_restriction,
    expiresDateTimeUTC: row.expires_at?.toISOString() ?? null,
    lastUsedDateTimeUTC: row.last_used_at?.toISOString() ?? null,
    createDateTimeUTC: row.created_at.toISOString(),
  }))
}

export type KeySettings = {
  label?: string | undefined
  ipRestriction?: string[] | undefined
  expiresAt?: string | null | undefined
}

/** `waiting`: the secret is kept, sealed, until somebody comes for it. */
type NewKeySettings = KeySettings & { waiting?: { sealedSecret: Buffer; untilDays: number } }

export async function insertKey(
  tx: Queryable,
  accountId: string,
  pair: NewKeyPair,
  { waiting, ...settings }: NewKeySettings,
): Promise<void> {
  await tx.query(sql`
    insert into api_keys (id, account_id, consumer, secret_hash, label, ip_restriction, expires_at, sealed_secret, reveal_until)
    values (${pair.id}, ${accountId}, ${pair.consumer}, ${pair.secretHash}, ${settings.label ?? ''}, ${settings.ipRestriction ?? []},
            ${settings.expiresAt ?? null}, ${waiting?.sealedSecret ?? null}, now() + ${waiting?.untilDays ?? null}::integer * interval '1 day')`)
}

/** False when the account has no such key. What is undefined stays as it is. */
export async function updateKey(tx: Queryable, accountId: string, id: string, settings: KeySettings): Promise<boolean> {
  const { rowCount } = await tx.query(sql`
    update api_keys set
      label = coalesce(${settings.label ?? null}, label),
      ip_restriction = coalesce(${settings.ipRestriction ?? null}, ip_restriction),
      expires_at = case when ${settings.expiresAt !== undefined} then ${settings.expiresAt ?? null}::timestamptz else expires_at end
    where account_id = ${accountId} and id = ${id}`)
  return rowCount > 0
}

export async function deleteKey(tx: Queryable, accountId: string, id: string): Promise<boolean> {
  const { rowCount } = await tx.query(sql`delete from api_keys where account_id = ${accountId} and id = ${id}`)
  return rowCount > 0
}

/** Takes the waiting secret: the first reader gets it, every later one gets nothing. `id` is the key's, or its account's. */
export async function takeWaitingSecret(tx: Queryable, callerId: string, id: string) {
  const { rows } = await tx.query<{ id: string; account_id: string; consumer: string; sealed_secret: Buffer }>(sql`
    with waiting as (
      select k.id, k.account_id, k.consumer, k.sealed_secret from api_keys k join accounts a on a.id = k.account_id
      where (k.id = ${id} or k.account_id = ${id}) and k.sealed_secret is not null and k.reveal_until > now()
        and (a.id = ${callerId} or a.created_by = ${callerId})
      limit 1 for update of k skip locked
    ), taken as (update api_keys set sealed_secret = null, reveal_until = null where id in (select id from waiting))
    select id, account_id, consumer, sealed_secret from waiting`)
  const row = rows[0]
  return row && { id: row.id, accountId: row.account_id, consumer: row.consumer, sealedSecret: row.sealed_secret }
}

export async function touchKeys(database: Database, ids: string[]): Promise<void> {
  await database.system.query(sql`update api_keys set last_used_at = now() where id = any(${ids}::uuid[])`)
}
