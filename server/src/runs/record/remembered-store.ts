// Keys that runs skip because their items have succeeded before.
import { type Queryable, sql } from '../../db/index.ts'
import type { ItemRecord } from './item-entry.ts'

export type RememberedResult = Pick<ItemRecord, 'result' | 'vaultRanges'>

type Remembered = { accountId: string; workflowId: string; blockId: string; days: number; record: ItemRecord }

/** A key that is there already is remembered anew. */
export async function rememberItems(tx: Queryable, items: readonly Remembered[]): Promise<void> {
  if (items.length === 0) return
  await tx.query(sql`
    insert into remembered_items (workflow_id, block_id, key, account_id, result, vault_ranges, succeeded_at, expires_at)
    select distinct on (i.workflow_id, i.block_id, i.key) i.workflow_id, i.block_id, i.key, i.account_id, i.result, i.vault_ranges, i.at, i.at + i.days * interval '1 day'
    from unnest(${items.map(({ workflowId }) => workflowId)}::uuid[], ${items.map(({ blockId }) => blockId)}::uuid[],
      ${items.map(({ record }) => record.key)}::text[], ${items.map(({ accountId }) => accountId)}::uuid[],
      ${items.map(({ record }) => record.result)}::text[], ${items.map(({ record }) => record.vaultRanges ?? null)}::text[],
      ${items.map(({ record }) => record.endedAt.toISOString())}::timestamptz[],
      ${items.map(({ days }) => days)}::integer[]) as i (workflow_id, block_id, key, account_id, result, vault_ranges, at, days)
    join workflows w on w.id = i.workflow_id
    order by i.workflow_id, i.block_id, i.key, i.at desc
    on conflict (workflow_id, block_id, key) do update
      set result = excluded.result, vault_ranges = excluded.vault_ranges, succeeded_at = excluded.succeeded_at, expires_at = excluded.expires_at`)
}

/** The days are those of the newest revision: fewer than an item was remembered for count as well. */
export async function findRemembered(
  db: Queryable,
  at: { accountId: string; workflowId: string; blockId: string; days: number },
  keys: readonly string[],
): Promise<Map<string, RememberedResult>> {
  const { rows } = await db.query<{ key: string; result: string | null; vault_ranges: string | null }>(sql`
    select key, result, vault_ranges from remembered_items
    where workflow_id = ${at.workflowId} and block_id = ${at.blockId} and account_id = ${at.accountId} and key = any(${keys}::text[])
      and expires_at > now() and succeeded_at > now() - ${at.days} * interval '1 day'`)
  return new Map(
    rows.map(({ key, result, vault_ranges }) => [
      key,
      { result: result ?? 'null', vaultRanges: vault_ranges ?? undefined },
    ]),
  )
}

/** How many were deleted. */
export async function deleteExpired(db: Queryable, limit: number): Promise<number> {
  const { rowCount } = await db.query(sql`
    delete from remembered_items m using (select ctid from remembered_items where expires_at < now() limit ${limit}) x where m.ctid = x.ctid`)
  return rowCount
}
