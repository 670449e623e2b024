import { type Queryable, sql } from '../../db/index.ts'
import type { ParentRun } from '../start/start-store.ts'

type PreviousChild = { id: string; runNumber: number }

/**
 * The newest run that this block, or this item of it, started in an earlier run of the same row of retries. Where a data source of the block ran anew,
 * the block begins anew as well, and there is none.
 */
export async function findPreviousChild(
  db: Queryable,
  of: {
    rootId: string
    runId: string
    accountId: string
    workflowId: string
    blockId: string
    itemKey: string | null
    sources: readonly string[]
  },
): Promise<PreviousChild | undefined> {
  const { rows } = await db.query<{ id: string; run_number: number }>(sql`
    select c.id, c.run_number from runs p join runs c on c.parent_run_id = p.id
    where (p.id = ${of.rootId} or p.retry_of = ${of.rootId}) and p.id <> ${of.runId} and p.account_id = ${of.accountId}
      and c.account_id = ${of.accountId} and c.workflow_id = ${of.workflowId}
      and c.parent_run ->> 'uniqueBlockId' = ${of.blockId}::text and c.parent_run ->> 'itemKey' is not distinct from ${of.itemKey}::text
      and not exists (select from run_blocks b where b.run_id = ${of.runId} and b.block_id = any(${of.sources}::uuid[]) and not b.is_reused)
    order by c.created_at desc, c.run_number desc limit 1`)
  const row = rows[0]
  return row && { id: row.id, runNumber: row.run_number }
}

export type ChildOf = { runId: string; itemIndex: number; level: number; shown: ParentRun }

/** Gives a run that is there already to a block that waits for it. How it ended, where it has. */
export async function adoptRun(
  tx: Queryable,
  id: string,
  { runId, itemIndex, level, shown }: ChildOf,
): Promise<{ status: string; errorMessage: string | null } | undefined> {
  const { rowCount } = await tx.query(sql`
    update runs set parent_run_id = ${runId}, parent_item_index = ${itemIndex}, parent_run = ${JSON.stringify(shown)}, level = ${level}
    where id = ${id} and ended_at is null`)
  if (rowCount > 0) return undefined
  const { rows } = await tx.query<{ status: string; error_message: string | null }>(
    sql`select status, error_message from runs where id = ${id}`,
  )
  const row = rows[0]
  return { status: row?.status ?? 'Stopped', errorMessage: row?.error_message ?? null }
}

type WaitKey = { runId: string; blockId: string; itemIndex: number }

export async function updateWait(
  tx: Queryable,
  { runId, blockId, itemIndex }: WaitKey,
  { details, outcome }: { details: string; outcome: string | null },
): Promise<void> {
  await tx.query(sql`
    update run_waits set details = ${details}, outcome = ${outcome}
    where run_id = ${runId} and block_id = ${blockId} and item_index = ${itemIndex}`)
}
