import { type Queryable, sql } from '../db/index.ts'
import type { EntryId } from './entry.ts'

export type SealedEntry = EntryId & { sealedValue: Buffer }

export async function findValue(db: Queryable, id: EntryId): Promise<Buffer | undefined> {
  const { rows } = await db.query<{ sealed_value: Buffer }>(sql`
    select sealed_value from vault_entries
    where account_id = ${id.accountId} and holder_id = ${id.holderId} and key_hash = ${id.keyHash}`)
  return rows[0]?.sealed_value
}

/** In the order of the ids, which are all of one account. */
export async function findValues(db: Queryable, ids: readonly EntryId[]): Promise<(Buffer | undefined)[]> {
  const { rows } = await db.query<{ sealed_value: Buffer | null }>(sql`
    select stored.sealed_value
    from unnest(${ids.map((id) => id.holderId)}::uuid[], ${ids.map((id) => id.keyHash)}::bytea[])
      with ordinality as asked (holder_id, key_hash, no)
    left join vault_entries stored on stored.account_id = ${ids[0]?.accountId}
      and stored.holder_id = asked.holder_id and stored.key_hash = asked.key_hash
    order by asked.no`)
  return rows.map((row) => row.sealed_value ?? undefined)
}

export async function hasEntry(db: Queryable, id: EntryId): Promise<boolean> {
  const { rowCount } = await db.query(sql`
    select from vault_entries
    where account_id = ${id.accountId} and holder_id = ${id.holderId} and key_hash = ${id.keyHash}`)
  return rowCount > 0
}

/** True when there was something to delete. */
export async function deleteEntry(db: Queryable, id: EntryId): Promise<boolean> {
  const { rowCount } = await db.query(sql`
    delete from vault_entries
    where account_id = ${id.accountId} and holder_id = ${id.holderId} and key_hash = ${id.keyHash}`)
  return rowCount > 0
}

export async function upsertEntry(db: Queryable, entry: SealedEntry): Promise<void> {
  await db.query(sql`
    insert into vault_entries (account_id, holder_id, key_hash, key, sealed_value)
    values (${entry.accountId}, ${entry.holderId}, ${entry.keyHash}, ${entry.key}, ${entry.sealedValue})
    on conflict (account_id, holder_id, key_hash) do update set sealed_value = excluded.sealed_value, modified_at = now()`)
}

/**
 * Any number of entries of one account in one statement; no two of them may have the same holder and key. They are locked in one order,
 * whoever writes them, so that two who write the same ones wait for each other in one direction only.
 */
export async function upsertEntries(db: Queryable, accountId: string, entries: SealedEntry[]): Promise<void> {
  await db.query(sql`
    insert into vault_entries (account_id, holder_id, key_hash, key, sealed_value)
    select ${accountId}, holder_id, key_hash, key, sealed_value
    from unnest(${entries.map((entry) => entry.holderId)}::uuid[], ${entries.map((entry) => entry.keyHash)}::bytea[],
                ${entries.map((entry) => entry.key)}::bytea[], ${entries.map((entry) => entry.sealedValue)}::bytea[])
      as given (holder_id, key_hash, key, sealed_value)
    order by holder_id, key_hash
    on conflict (account_id, holder_id, key_hash) do update set sealed_value = excluded.sealed_value, modified_at = now()`)
}
