// What a retry asks and tells of failed items.
import { type Queryable, sql, when } from '../../db/index.ts'

type Retry = { id: string; runNumber: number }

/** A retry of the whole run: all that failed in blocks that run again. */
export async function noteRetried(
  tx: Queryable,
  { accountId, id, rootId, reused }: { accountId: string; id: string; rootId: string; reused: readonly string[] },
  retry: Retry,
): Promise<void> {
  await tx.query(sql`
    update failed_items set retry_run_id = ${retry.id}, retry_run_number = ${retry.runNumber}
    where root_run_id = ${rootId} and account_id = ${accountId} and block_id <> all(${reused}::uuid[])`)
  await tx.query(sql`
    update run_items set retried_by = ${retry.runNumber}
    where run_id = ${id} and account_id = ${accountId} and status = 'failed' and block_id <> all(${reused}::uuid[])`)
}

export type ItemsOfRun = {
  accountId: string
  workflowId: string
  runNumber: number
  blockId: string
  /** Null where the run is kept no longer. */
  runId: string | null
}

export type OpenItem = { rootRunId: string; key: string; sealed: Buffer; retriedBy: number | null }

/** Open items of the block, by index: those that failed first in the run, and those that failed there again. `retriedBy` where a retry is under way. */
export async function lockOpen(
  tx: Queryable,
  at: ItemsOfRun,
  keys: readonly string[] | undefined,
): Promise<OpenItem[]> {
  const { rows } = await tx.query<{
    root_run_id: string
    key: string
    sealed_item: Buffer
    under_way: number | null
  }>(sql`
    select f.root_run_id, f.key, f.sealed_item,
      (select t.run_number from runs t where t.id = f.retry_run_id and t.ended_at is null) as under_way
    from failed_items f
    where f.account_id = ${at.accountId} and f.workflow_id = ${at.workflowId} and f.block_id = ${at.blockId}
      ${when(keys, (those) => sql`and f.key = any(${those}::text[])`)}
      and (f.run_number = ${at.runNumber} or exists (
        select from run_items i where i.run_id = ${at.runId} and i.block_id = f.block_id and i.key = f.key and i.status = 'failed'))
    order by f.root_run_id, f.item_index for update of f`)
  return rows.map((row) => ({
    rootRunId: row.root_run_id,
    key: row.key,
    sealed: row.sealed_item,
    retriedBy: row.under_way,
  }))
}

/** The first run in the row of a run that is kept no longer. */
export async function findRoot(
  db: Queryable,
  { accountId, workflowId, runNumber }: Pick<ItemsOfRun, 'accountId' | 'workflowId' | 'runNumber'>,
): Promise<string | undefined> {
  const { rows } = await db.query<{ root_run_id: string }>(sql`
    select root_run_id from failed_items where account_id = ${accountId} and workflow_id = ${workflowId} and run_number = ${runNumber} limit 1`)
  return rows[0]?.root_run_id
}

/** Whether the run had such a block: one that ended there, or one of which something failed. */
export async function hasBlock(db: Queryable, at: ItemsOfRun): Promise<boolean> {
  const { rows } = await db.query<{ is_there: boolean }>(sql`
    select exists (select from run_blocks where run_id = ${at.runId} and block_id = ${at.blockId} and account_id = ${at.accountId}) or exists (
      select from failed_items where account_id = ${at.accountId} and workflow_id = ${at.workflowId} and block_id = ${at.blockId}
        and run_number = ${at.runNumber}) as is_there`)
  return rows[0]?.is_there ?? false
}

export async function noteItemsRetried(
  tx: Queryable,
  at: ItemsOfRun & { rootRunId: string },
  keys: readonly string[],
  retry: Retry,
): Promise<void> {
  await tx.query(sql`
    update failed_items set retry_run_id = ${retry.id}, retry_run_number = ${retry.runNumber}
    where root_run_id = ${at.rootRunId} and account_id = ${at.accountId} and block_id = ${at.blockId} and key = any(${keys}::text[])`)
  await tx.query(sql`
    update run_items i set retried_by = ${retry.runNumber}
    where i.run_id in (
        select ${at.rootRunId}::uuid union all select t.id from runs t where t.retry_of = ${at.rootRunId} and t.account_id = ${at.accountId}
      ) and i.account_id = ${at.accountId} and i.block_id = ${at.blockId} and i.key = any(${keys}::text[]) and i.status = 'failed'`)
}
