// What a run takes over of the items of runs before it: those that ended well never run again.
import { type Queryable, sql } from '../../db/index.ts'

type Copy = { fromRunId: string; toRunId: string; accountId: string; blockIds: readonly string[] }

/** Lists as they were recorded, and the items of them that ended well; `withFailed` of blocks that do not run again. */
export async function copyItems(
  tx: Queryable,
  { withFailed = false, ...copy }: Copy & { withFailed?: boolean },
): Promise<void> {
  if (copy.blockIds.length === 0) return
  await tx.query(sql`
    insert into run_item_lists (run_id, block_id, chunk, account_id, total, first_index, content, lanes, same_as)
    select ${copy.toRunId}, block_id, chunk, account_id, total, first_index, content, lanes, same_as from run_item_lists
    where run_id = ${copy.fromRunId} and account_id = ${copy.accountId} and block_id = any(${copy.blockIds}::uuid[])`)
  // A skipped item without a result was not reached: the one before it had failed.
  await tx.query(sql`
    insert into run_items (run_id, block_id, item_index, account_id, key, status, result, error_message, log, calls, tries, started_at, ended_at, sealed_deferred,
      vault_ranges, child_run)
    select ${copy.toRunId}, block_id, item_index, account_id, key, status, result, error_message, log, calls, tries, started_at, ended_at, sealed_deferred,
      vault_ranges, child_run
    from run_items where run_id = ${copy.fromRunId} and account_id = ${copy.accountId}
      and (${withFailed} or status = 'succeeded' or (status = 'skipped' and result is not null))
      and block_id = any(${copy.blockIds}::uuid[])`)
}

/**
 * For a list that was made anew: the same keys, wherever they stand now, of any run of the same row of retries. A retry of single items is a row of its
 * own: what follows them has lists of those alone, whose keys may be mere positions.
 */
export async function takeOverByKey(
  tx: Queryable,
  at: { runId: string; rootId: string; accountId: string; blockId: string },
  keys: readonly string[],
): Promise<void> {
  await tx.query(sql`
    insert into run_items (run_id, block_id, item_index, account_id, key, status, result, error_message, log, calls, tries, started_at, ended_at, sealed_deferred,
      vault_ranges, child_run)
    select distinct on (i.key) ${at.runId}::uuid, i.block_id, n.no::integer - 1, i.account_id, i.key, i.status, i.result, i.error_message, i.log,
      i.calls, i.tries, i.started_at, i.ended_at, i.sealed_deferred, i.vault_ranges, i.child_run
    from unnest(${keys}::text[]) with ordinality as n (key, no) join run_items i on i.key = n.key
    where i.run_id in (
        select r.id from runs r join runs t on t.id = ${at.runId} and r.items_retry_id is not distinct from t.items_retry_id
        where (r.id = ${at.rootId} or r.retry_of = ${at.rootId}) and r.account_id = ${at.accountId} and r.id <> ${at.runId}
      ) and i.block_id = ${at.blockId} and i.account_id = ${at.accountId}
      and (i.status = 'succeeded' or (i.status = 'skipped' and i.result is not null))
    order by i.key, i.ended_at desc on conflict do nothing`)
}

/** What is left of runs that retention has removed. */
export async function deleteOrphans(db: Queryable): Promise<void> {
  await db.query(sql`
    with gone as materialized (
      select l.run_id from run_item_lists l where l.chunk = 0 and not exists (select from runs r where r.id = l.run_id) limit 100
    ), items as (delete from run_items i using gone g where i.run_id = g.run_id)
    delete from run_item_lists l using gone g where l.run_id = g.run_id`)
}
