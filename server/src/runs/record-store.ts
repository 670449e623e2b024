// Writes of a worker about the runs it holds. Each is fenced: it changes nothing unless the run is still under way and still at the
// attempt that the worker was given. The row of the run is written by every one of them, so a takeover and a late write of the old
// holder cannot pass each other.
import { type Queryable, sql } from '../db/index.ts'
import { partitionStatement } from './partition-statement.ts'
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

const blockColumns =
  'run_id, block_id, account_id, seq, status, result, error_message, log, session, sealed_deferred, end_flag, started_at, ended_at, pause_ms'

const recordText = partitionStatement(
  (runs) => `
    with fenced as (
      update ${runs} set status = case when status = 'Pending' then 'Processing' else status end, pause_ms = $3, last_block_id = $4,
        last_block_title = $5
      where id = $1 and attempt = $2 and ended_at is null
      returning status
    ), recorded as (
      insert into run_blocks (${blockColumns})
      select $1, $6::uuid, $7::uuid, $8::integer, $9, $10, $11, $12, $13, $14::bytea, $15::boolean, $16::timestamptz, $17::timestamptz,
        $18::integer
      from fenced on conflict do nothing
    )
    select status from fenced`,
)

/** Undefined: another worker owns the run now, or it is gone. */
export async function recordBlock(
  tx: Queryable,
  claim: RunClaim,
  accountId: string,
  progress: RunProgressRow,
  block: BlockRecord,
): Promise<RunStatus | undefined> {
  const values = [
    claim.runId,
    claim.attempt,
    ...progressValues(progress),
    block.blockId,
    accountId,
    ...blockValues(block),
  ]
  const { rows } = await tx.query<{ status: RunStatus }>(recordText(claim.partition, values))
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

const endText = partitionStatement(
  (runs) => `
    with fenced as (
      update ${runs} set status = case when status = 'Stopping' and $6 = 'Ready' then 'Stopped' else $6 end, ended_at = clock_timestamp(),
        pause_ms = $3, last_block_id = $4, last_block_title = $5, is_expired_by_time = $7, error_message = $8
      where id = $1 and attempt = $2 and ended_at is null
      returning id, account_id, workflow_id, run_number, run_by, processor_type, status, error_message, webhook_ids, is_webhook_batch,
        counts_from
    ), recorded as (
      insert into run_blocks (${blockColumns})
      select $1, $9::uuid, $10::uuid, $11::integer, $12, $13, $14, $15, $16, $17::bytea, $18::boolean, $19::timestamptz, $20::timestamptz,
        $21::integer
      from fenced where $9::uuid is not null on conflict do nothing
    )
    select * from fenced`,
)

/** Ends a run, together with the record of the block that ended it, if any. A run that was asked to stop ends Stopped instead of Ready. */
export async function endRun(
  tx: Queryable,
  claim: RunClaim,
  accountId: string,
  progress: RunProgressRow,
  end: RunEnd,
  block: BlockRecord | undefined,
): Promise<EndedRunRow | undefined> {
  const { rows } = await tx.query<EndedRow>(
    endText(claim.partition, [
      claim.runId,
      claim.attempt,
      ...progressValues(progress),
      end.status,
      end.isExpiredByTime,
      end.errorMessage,
      block?.blockId ?? null,
      accountId,
      ...(block ? blockValues({ ...block, sealedDeferred: null }) : noBlock),
    ]),
  )
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

function progressValues({ pauseMs, lastBlockId, lastBlockTitle }: RunProgressRow): unknown[] {
  return [pauseMs, lastBlockId, lastBlockTitle]
}

function blockValues(block: BlockRecord): unknown[] {
  const { seq, status, result, errorMessage, log, session, sealedDeferred, endFlag, startedAt, endedAt, pauseMs } =
    block
  return [seq, status, result, errorMessage, log, session, sealedDeferred, endFlag, startedAt, endedAt, pauseMs]
}

const noBlock: unknown[] = Array(11).fill(null)

/** Runs that did not end within a moment are shown as under way. A row that is being written at this moment is shown by its writer. */
export async function markProcessing(
  db: Queryable,
  claims: readonly Pick<RunClaim, 'runId' | 'attempt'>[],
): Promise<void> {
  const { rows } = await db.query<{ workflow_id: string; run_number: number }>(sql`
    with mine as materialized (
      select r.id from runs r
      join unnest(${claims.map(({ runId }) => runId)}::uuid[], ${claims.map(({ attempt }) => attempt)}::integer[]) as c (id, attempt)
        on r.id = c.id and r.attempt = c.attempt
      where r.status = 'Pending' for no key update of r skip locked
    )
    update runs r set status = 'Processing' from mine where r.id = mine.id returning r.workflow_id, r.run_number`)
  if (rows.length === 0) return
  await db.query(sql`
    with shown as materialized (
      select w.id, m.run_number from workflows w
      join (
        select id, max(run_number) as run_number
        from unnest(${rows.map((row) => row.workflow_id)}::uuid[], ${rows.map((row) => row.run_number)}::integer[]) as u (id, run_number)
        group by id
      ) m on w.id = m.id and coalesce(w.last_run_number, 0) < m.run_number
      for no key update of w skip locked
    )
    update workflows w set last_run_number = s.run_number, last_run_status = 'Processing' from shown s where w.id = s.id`)
}

/** Lets the next worker know that its predecessor was stopped in order. */
export async function markHandedBack(
  tx: Queryable,
  claims: readonly Pick<RunClaim, 'runId' | 'attempt'>[],
): Promise<void> {
  await tx.query(sql`
    update runs r set is_handed_back = true
    from unnest(${claims.map(({ runId }) => runId)}::uuid[], ${claims.map(({ attempt }) => attempt)}::integer[]) as c (id, attempt)
    where r.id = c.id and r.attempt = c.attempt and r.ended_at is null`)
}
