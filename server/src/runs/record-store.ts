// Writes of a worker about the runs it holds. Each is fenced: it changes nothing unless the run is still under way and still at the
// attempt that the worker was given. The row of the run is written by every one of them, so a takeover and a late write of the old
// holder cannot pass each other.
import { type Queryable, sql } from '../db/index.ts'
import type { BlockRecord, EndedRun, RunClaim, RunStatus } from './run.ts'

export type RunEnd = {
  status: EndedRun['status']
  errorMessage: string | null
  isExpiredByTime: boolean
}

/** What all blocks that ended so far say about the run as a whole. */
export type RunProgressRow = {
  pauseMs: number
  lastBlockId: string | null
  lastBlockTitle: string | null
}

/** Undefined: another worker owns the run now, or it is gone. */
export async function recordBlock(
  tx: Queryable,
  claim: RunClaim,
  accountId: string,
  progress: RunProgressRow,
  block: BlockRecord,
): Promise<RunStatus | undefined> {
  const { rows } = await tx.query<{ status: RunStatus }>(sql`
    with fenced as (
      update runs set status = case when status = 'Pending' then 'Processing' else status end, pause_ms = ${progress.pauseMs},
        last_block_id = ${progress.lastBlockId}, last_block_title = ${progress.lastBlockTitle}
      where id = ${claim.runId} and attempt = ${claim.attempt} and ended_at is null
      returning status
    ), recorded as (
      insert into run_blocks (run_id, block_id, account_id, seq, status, result, error_message, log, session, sealed_deferred, end_flag,
                              started_at, ended_at, pause_ms)
      select ${claim.runId}::uuid, ${block.blockId}::uuid, ${accountId}::uuid, ${block.seq}::integer, ${block.status}, ${block.result}, ${block.errorMessage}, ${block.log},
        ${block.session}, ${block.sealedDeferred}::bytea, ${block.endFlag}::boolean, ${block.startedAt}::timestamptz, ${block.endedAt}::timestamptz, ${block.pauseMs}::integer
      from fenced on conflict do nothing
    )
    select status from fenced`)
  return rows[0]?.status
}

type EndedRow = {
  id: string
  account_id: string
  workflow_id: string
  run_number: number
  run_by: EndedRun['runBy']
  processor_type: EndedRun['processorType']
  status: EndedRun['status']
  error_message: string | null
  webhook_ids: string[] | null
  is_webhook_batch: boolean
  counts_from: Date
}

export type EndedRunRow = EndedRun & { countsFrom: Date }

/** Ends a run, together with the record of the block that ended it, if any. A run that was asked to stop ends Stopped instead of Ready. */
export async function endRun(
  tx: Queryable,
  claim: RunClaim,
  accountId: string,
  progress: RunProgressRow,
  end: RunEnd,
  block: BlockRecord | undefined,
): Promise<EndedRunRow | undefined> {
  const { rows } = await tx.query<EndedRow>(sql`
    with fenced as (
      update runs set
        status = case when status = 'Stopping' and ${end.status} = 'Ready' then 'Stopped' else ${end.status} end,
        ended_at = clock_timestamp(), pause_ms = ${progress.pauseMs}, is_expired_by_time = ${end.isExpiredByTime},
        error_message = ${end.errorMessage}, last_block_id = ${progress.lastBlockId}, last_block_title = ${progress.lastBlockTitle}
      where id = ${claim.runId} and attempt = ${claim.attempt} and ended_at is null
      returning id, account_id, workflow_id, run_number, run_by, processor_type, status, error_message, webhook_ids, is_webhook_batch, counts_from
    ), recorded as (
      insert into run_blocks (run_id, block_id, account_id, seq, status, result, error_message, log, session, sealed_deferred, end_flag,
                              started_at, ended_at, pause_ms)
      select ${claim.runId}::uuid, ${block?.blockId ?? null}::uuid, ${accountId}::uuid, ${block?.seq ?? 0}::integer, ${block?.status ?? 'Ready'}, ${block?.result ?? null},
        ${block?.errorMessage ?? null}, ${block?.log ?? null}, ${block?.session ?? null}, null, ${block?.endFlag ?? null}::boolean,
        ${block?.startedAt ?? null}::timestamptz, ${block?.endedAt ?? null}::timestamptz, ${block?.pauseMs ?? 0}::integer
      from fenced where ${block?.blockId ?? null}::uuid is not null on conflict do nothing
    )
    select * from fenced`)
  const row = rows[0]
  return (
    row && {
      id: row.id,
      accountId: row.account_id,
      workflowId: row.workflow_id,
      runNumber: row.run_number,
      runBy: row.run_by,
      processorType: row.processor_type,
      status: row.status,
      errorMessage: row.error_message,
      webhookIds: row.webhook_ids,
      isWebhookBatch: row.is_webhook_batch,
      countsFrom: row.counts_from,
    }
  )
}

/** Runs that did not end within a moment are shown as under way. */
export async function markProcessing(db: Queryable, claims: readonly RunClaim[]): Promise<void> {
  await db.query(sql`
    with marked as (
      update runs r set status = 'Processing'
      from unnest(${claims.map(({ runId }) => runId)}::uuid[], ${claims.map(({ attempt }) => attempt)}::integer[]) as c (id, attempt)
      where r.id = c.id and r.attempt = c.attempt and r.status = 'Pending'
      returning r.workflow_id, r.run_number
    )
    update workflows w set last_run_status = 'Processing' from marked m where w.id = m.workflow_id and w.last_run_number = m.run_number`)
}

/** Lets the next worker know that its predecessor was stopped in order. */
export async function markHandedBack(tx: Queryable, claims: readonly RunClaim[]): Promise<void> {
  await tx.query(sql`
    update runs r set is_handed_back = true
    from unnest(${claims.map(({ runId }) => runId)}::uuid[], ${claims.map(({ attempt }) => attempt)}::integer[]) as c (id, attempt)
    where r.id = c.id and r.attempt = c.attempt and r.ended_at is null`)
}
