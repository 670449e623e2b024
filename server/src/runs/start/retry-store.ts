import { type Queryable, sql } from '../../db/index.ts'
import type { RunStatus } from '../run.ts'

/** A run with the inputs that a retry of it keeps. */
export type RetriedRun = {
  id: string
  revision: number
  status: RunStatus
  createdAt: Date
  runFrom: number | null
  runTill: number | null
  movesDateLastRun: boolean
  webhookIds: string[] | null
  isWebhookBatch: boolean
  /** Blocks that failed without ending the run. */
  blockErrors: number
  /** Blocks of it ran once for each of some items. */
  hasItems: boolean
  /** The first failed run in a row of retries; the run itself when it is no retry. */
  rootId: string
  /** Where single items were retried: the run that began it. */
  itemsRetryId: string | null
}

/** Locks the run, so that two calls for the same run take turns; the workflow first, as everybody does who needs both. */
export async function lockRetried(
  tx: Queryable,
  { accountId, workflowId, runNumber }: { accountId: string; workflowId: string; runNumber: number },
): Promise<RetriedRun | undefined> {
  await tx.query(sql`select from workflows where account_id = ${accountId} and id = ${workflowId} for key share`)
  const { rows } = await tx.query<{
    id: string
    revision: number
    status: RunStatus
    created_at: Date
    run_from: number | null
    run_till: number | null
    moves_date_last_run: boolean
    webhook_ids: string[] | null
    is_webhook_batch: boolean
    block_errors: number
    items_total: number
    items_retry_id: string | null
    root_id: string
  }>(sql`
    select id, revision, status, created_at, run_from, run_till, moves_date_last_run, webhook_ids, is_webhook_batch, block_errors, items_total, items_retry_id,
      coalesce(retry_of, id) as root_id
    from runs where account_id = ${accountId} and workflow_id = ${workflowId} and run_number = ${runNumber}`)
  const row = rows[0]
  if (!row) return undefined
  await lockRow(tx, row.root_id)
  return {
    id: row.id,
    revision: row.revision,
    status: row.status,
    createdAt: row.created_at,
    runFrom: row.run_from,
    runTill: row.run_till,
    movesDateLastRun: row.moves_date_last_run,
    webhookIds: row.webhook_ids,
    isWebhookBatch: row.is_webhook_batch,
    blockErrors: row.block_errors,
    hasItems: row.items_total > 0,
    rootId: row.root_id,
    itemsRetryId: row.items_retry_id,
  }
}

export type StandingRetry = { id: string; runNumber: number; isUnderWay: boolean }

/** Held by whoever starts a retry in this row of them. */
export async function lockRow(tx: Queryable, rootId: string): Promise<void> {
  await tx.query(sql`select pg_advisory_xact_lock(hashtextextended('retries of ' || ${rootId}::text, 0))`)
}

/** A retry that is under way or ended well; there is never more than one. Retries of single items are none of the whole run. */
export async function findStandingRetry(
  tx: Queryable,
  accountId: string,
  { rootId, itemsRetryId }: Pick<RetriedRun, 'rootId' | 'itemsRetryId'>,
): Promise<StandingRetry | undefined> {
  const { rows } = await tx.query<{ id: string; run_number: number; is_under_way: boolean }>(sql`
    select id, run_number, ended_at is null as is_under_way from runs
    where retry_of = ${rootId} and account_id = ${accountId} and items_retry_id is not distinct from ${itemsRetryId} and (ended_at is null or status = 'Ready')
    order by run_number desc limit 1`)
  const row = rows[0]
  return row && { id: row.id, runNumber: row.run_number, isUnderWay: row.is_under_way }
}
