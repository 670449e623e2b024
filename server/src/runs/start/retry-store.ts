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
  /** The first failed run in a row of retries; the run itself when it is no retry. */
  rootId: string
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
    root_id: string
  }>(sql`
    select id, revision, status, created_at, run_from, run_till, moves_date_last_run, webhook_ids, is_webhook_batch, block_errors,
      coalesce(retry_of, id) as root_id
    from runs where account_id = ${accountId} and workflow_id = ${workflowId} and run_number = ${runNumber}`)
  const row = rows[0]
  if (!row) return undefined
  await tx.query(sql`select pg_advisory_xact_lock(hashtextextended('retries of ' || ${row.root_id}::text, 0))`)
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
    rootId: row.root_id,
  }
}

export type StandingRetry = { id: string; runNumber: number; isUnderWay: boolean }

/** A retry that is under way or ended well; there is never more than one. */
export async function findStandingRetry(
  tx: Queryable,
  accountId: string,
  rootId: string,
): Promise<StandingRetry | undefined> {
  const { rows } = await tx.query<{ id: string; run_number: number; is_under_way: boolean }>(sql`
    select id, run_number, ended_at is null as is_under_way from runs
    where retry_of = ${rootId} and account_id = ${accountId} and (ended_at is null or status = 'Ready')
    order by run_number desc limit 1`)
  const row = rows[0]
  return row && { id: row.id, runNumber: row.run_number, isUnderWay: row.is_under_way }
}
