// The ledger of failed items. An entry is written with the record of the item that failed, and is closed when a retry of the item succeeds, when
// somebody dismisses it, or when it is too old. The runs that count it as failed count one less from then on.
import { type Queryable, type Sql, sql } from '../../db/index.ts'
import type { Json } from '../../lib/json.ts'
import type { KeyRing, Place } from '../../secrets/index.ts'

/** The first run in a row of retries, the block and the key name an entry. */
export type FailedItemKey = { rootRunId: string; blockId: string; key: string; accountId: string }

export type SealedItem = { item: Json; calls: string | null }

export async function sealItem(
  keyRing: Pick<KeyRing, 'seal'>,
  key: FailedItemKey,
  { item, calls }: SealedItem,
): Promise<Buffer> {
  return keyRing.seal(placeOf(key), Buffer.from(JSON.stringify({ item, calls })))
}

export async function openItem(
  keyRing: Pick<KeyRing, 'open'>,
  key: FailedItemKey,
  sealed: Buffer,
): Promise<SealedItem> {
  return JSON.parse((await keyRing.open(placeOf(key), sealed)).toString()) as SealedItem
}

function placeOf({ rootRunId, blockId, key, accountId }: FailedItemKey): Place {
  return { table: 'failed_items', column: 'sealed_item', rowId: `${rootRunId}/${blockId}/${key}`, accountId }
}

/** Of runs that retried items: what did not fail again needs no entry any more. In the transaction that ends the runs. */
export async function closeRetried(tx: Queryable, runIds: readonly string[]): Promise<void> {
  await closeItems(
    tx,
    sql`
      select f.root_run_id, f.block_id, f.key from runs r join run_items i on i.run_id = r.id
      join failed_items f on f.root_run_id = r.retry_of and f.block_id = i.block_id and f.key = i.key
      where r.id = any(${runIds}::uuid[]) and r.retry_of is not null 
        and (i.status = 'succeeded' or (i.status = 'skipped' and i.result is not null))`,
  )
}

/** `chosen` selects rows of the table as `f`. Returns how many were closed. */
export async function closeItems(tx: Queryable, chosen: Sql): Promise<number> {
  const { rows } = await tx.query<{ count: number }>(sql`
    with chosen as materialized (${chosen} order by 1, 2, 3 for update of f),
    closed as (
      delete from failed_items f using chosen c where f.root_run_id = c.root_run_id and f.block_id = c.block_id and f.key = c.key
      returning f.root_run_id, f.block_id, f.key
    ), counted as materialized (
      select r.id, count(*)::integer as count from closed c cross join lateral (
        select c.root_run_id as id union all select t.id from runs t where t.retry_of = c.root_run_id
      ) r join run_items i on i.run_id = r.id and i.block_id = c.block_id and i.key = c.key
      where i.status = 'failed' group by r.id
    ), locked as materialized (
      select r.id, n.count from runs r join counted n on n.id = r.id order by r.id for no key update of r
    ), fewer as (
      update runs r set items_failed = greatest(0, r.items_failed - l.count) from locked l where r.id = l.id
    )
    select count(*)::integer as count from closed`)
  return rows[0]?.count ?? 0
}

/** What was found of the items of runs that did not come to the end of their blocks. */
export async function countItemsOf(tx: Queryable, runIds: readonly string[]): Promise<void> {
  await tx.query(sql`
    with listed as (
      select run_id, sum(total)::integer as total from run_item_lists where run_id = any(${runIds}::uuid[]) and chunk = 0 group by 1
    ), failed as (
      select run_id, count(*)::integer as count from run_items where run_id in (select run_id from listed) and status = 'failed' group by 1
    )
    update runs r set items_total = l.total, items_failed = coalesce(f.count, 0)
    from listed l left join failed f on f.run_id = l.run_id where r.id = l.run_id`)
}
