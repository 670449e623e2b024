// Writes of a worker about the runs it holds. Each is fenced: it changes nothing unless the run is still under way and still at the
// attempt that the worker was given. The row of the run is written by every one of them, so a takeover and a late write of the old
// holder cannot pass each other.
import type { Queryable } from '../../db/index.ts'
import {
  type BlockRecord,
  claimKey,
  type EndedRun,
  parentOf,
  type RunClaim,
  type RunStatus,
  type RunWork,
} from '../run.ts'
import { partitionStatement } from './partition-statement.ts'
import { type Column, columnArrays, unnestText } from './row-arrays.ts'

export type RunEnd = {
  status: EndedRun['status']
  errorMessage: string | null
  isExpiredByTime: boolean
  /** Blocks that failed without ending the run. */
  blockErrors?: number
  itemsTotal?: number
  itemsFailed?: number
}

/** What all blocks that ended so far say about the run as a whole. */
export type RunProgressRow = {
  pauseMs: number
  lastBlockId: string | null
  lastBlockTitle: string | null
}

export type BlockToRecord = { claim: RunClaim; accountId: string; progress: RunProgressRow; block: BlockRecord }

export type RunToEnd = Omit<BlockToRecord, 'block'> & { end: RunEnd; block: BlockRecord | undefined; work: RunWork }

const runColumns: readonly Column<Omit<BlockToRecord, 'block'>>[] = [
  ['run_id', 'uuid', ({ claim }) => claim.runId],
  ['attempt', 'integer', ({ claim }) => claim.attempt],
  ['account_id', 'uuid', ({ accountId }) => accountId],
  ['run_pause_ms', 'integer', ({ progress }) => progress.pauseMs],
  ['last_block_id', 'uuid', ({ progress }) => progress.lastBlockId],
  ['last_block_title', 'text', ({ progress }) => progress.lastBlockTitle],
]

const blockColumns: readonly Column<{ block: BlockRecord | undefined }>[] = [
  ['block_id', 'uuid', ({ block }) => block?.blockId],
  ['seq', 'integer', ({ block }) => block?.seq],
  ['block_status', 'text', ({ block }) => block?.status],
  ['result', 'text', ({ block }) => block?.result],
  ['block_error', 'text', ({ block }) => block?.errorMessage],
  ['log', 'text', ({ block }) => block?.log],
  ['session', 'text', ({ block }) => block?.session],
  ['sealed_deferred', 'bytea', ({ block }) => block?.sealedDeferred],
  ['calls', 'text', ({ block }) => block?.calls],
  ['end_flag', 'boolean', ({ block }) => block?.endFlag],
  ['started_at', 'timestamptz', ({ block }) => block?.startedAt.toISOString()],
  ['ended_at', 'timestamptz', ({ block }) => block?.endedAt.toISOString()],
  ['pause_ms', 'integer', ({ block }) => block?.pauseMs],
  ['item_count', 'integer', ({ block }) => block?.itemCount ?? null],
  ['vault_ranges', 'text', ({ block }) => block?.vaultRanges],
  ['flow', 'text', ({ block }) => block?.flow ?? null],
]

/**
 * Records the blocks of `input` whose runs passed the fence. A block that is recorded already stays as it is. The deferred values of a run that
 * ended well are in the vault; those of any other are for its retry.
 */
const insertBlocks = `
  insert into run_blocks (run_id, block_id, account_id, seq, status, result, error_message, log, session, sealed_deferred, calls, end_flag,
                          started_at, ended_at, pause_ms, item_count, vault_ranges, flow)
  select i.run_id, i.block_id, i.account_id, i.seq, i.block_status, i.result, i.block_error, i.log, i.session,
    case when f.status <> 'Ready' then i.sealed_deferred end, i.calls, i.end_flag, i.started_at, i.ended_at, i.pause_ms, i.item_count, i.vault_ranges,
    i.flow::jsonb
  from fenced f join input i on i.run_id = f.id and i.attempt = f.attempt where i.block_id is not null
  on conflict do nothing`

const recordColumns: readonly Column<BlockToRecord>[] = [...runColumns, ...blockColumns]

const recordText = partitionStatement(
  (runs) => `
    with input as materialized (select * from ${unnestText(recordColumns, 'i')}),
    fenced as (
      update ${runs} r set status = case when r.status = 'Pending' then 'Processing' else r.status end, pause_ms = i.run_pause_ms,
        last_block_id = i.last_block_id, last_block_title = i.last_block_title
      from input i where r.id = i.run_id and r.attempt = i.attempt and r.ended_at is null
      returning r.id, r.attempt, r.status
    ), recorded as (${insertBlocks})
    select id, attempt, status from fenced`,
)

/**
 * The status of the run of each claim, by `claimKey`: a worker that lost a run and took it again may have writes of both claims in one batch.
 * Claims that are not in the answer were taken by another worker, or their runs are gone.
 */
export async function recordBlocks(tx: Queryable, blocks: readonly BlockToRecord[]): Promise<Map<string, RunStatus>> {
  // Of several blocks of one run the last one knows most about the run as a whole.
  const latest = new Map(blocks.map(({ claim, progress }) => [claimKey(claim), progress]))
  const rows = blocks.map((block) => ({ ...block, progress: latest.get(claimKey(block.claim)) as RunProgressRow }))
  const statuses = new Map<string, RunStatus>()
  await inEachPartition(rows, async (partition, those) => {
    const statement = recordText(partition, columnArrays(recordColumns, those))
    const answer = await tx.query<{ id: string; attempt: number; status: RunStatus }>(statement)
    for (const { id, attempt, status } of answer.rows) statuses.set(claimKey({ runId: id, attempt }), status)
  })
  return statuses
}

type EndedRow = {
  id: string
  attempt: number
  account_id: string
  workflow_id: string
  run_number: number
  run_by: EndedRun['runBy']
  processor_type: EndedRun['processorType']
  status: EndedRun['status']
  error_message: string | null
  webhook_ids: string[] | null
  is_webhook_batch: boolean
  is_awaited: boolean
  parent_run_id: string | null
  parent_block_id: string | null
  parent_item_index: number | null
  counts_from: Date
  created_at: Date
  ended_at: Date
  pause_ms: number
}

export type EndedRunRow = EndedRun & { countsFrom: Date }

const endColumns: readonly Column<RunToEnd>[] = [
  ...runColumns,
  ['status', 'text', ({ end }) => end.status],
  ['is_expired_by_time', 'boolean', ({ end }) => end.isExpiredByTime],
  ['error_message', 'text', ({ end }) => end.errorMessage],
  ['block_errors', 'integer', ({ end }) => end.blockErrors ?? 0],
  ['items_total', 'integer', ({ end }) => end.itemsTotal ?? 0],
  ['items_failed', 'integer', ({ end }) => end.itemsFailed ?? 0],
  ...blockColumns,
]

const endText = partitionStatement(
  (runs) => `
    with input as materialized (select * from ${unnestText(endColumns, 'i')}),
    fenced as (
      update ${runs} r set status = case when r.status = 'Stopping' and i.status = 'Ready' then 'Stopped' else i.status end,
        ended_at = clock_timestamp(), pause_ms = i.run_pause_ms, last_block_id = i.last_block_id, last_block_title = i.last_block_title,
        is_expired_by_time = i.is_expired_by_time, error_message = i.error_message, block_errors = i.block_errors,
        items_total = i.items_total, items_failed = i.items_failed
      from input i where r.id = i.run_id and r.attempt = i.attempt and r.ended_at is null
      returning r.id, r.attempt, r.account_id, r.workflow_id, r.run_number, r.run_by, r.processor_type, r.status, r.error_message, r.webhook_ids,
        r.is_webhook_batch, r.is_awaited, r.parent_run_id, (r.parent_run ->> 'uniqueBlockId')::uuid as parent_block_id,
        r.parent_item_index, r.counts_from, r.created_at, r.ended_at, r.pause_ms
    ), recorded as (${insertBlocks})
    select * from fenced`,
)

/**
 * Ends runs, each together with the record of the block that ended it, if any. A run that was asked to stop ends Stopped instead of Ready.
 * By `claimKey`, as above.
 */
export async function endRuns(tx: Queryable, runs: readonly RunToEnd[]): Promise<Map<string, EndedRunRow>> {
  const ended = new Map<string, EndedRunRow>()
  const workOf = new Map(runs.map(({ claim, work }) => [claimKey(claim), work]))
  await inEachPartition(runs, async (partition, those) => {
    const answer = await tx.query<EndedRow>(endText(partition, columnArrays(endColumns, those)))
    for (const row of answer.rows) {
      const key = claimKey({ runId: row.id, attempt: row.attempt })
      ended.set(key, toEndedRun(row, workOf.get(key) as RunWork))
    }
  })
  return ended
}

function toEndedRun(row: EndedRow, work: RunWork): EndedRunRow {
  return {
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
    isAwaited: row.is_awaited,
    parent: parentOf(row),
    countsFrom: row.counts_from,
    endedAt: row.ended_at,
    activeMs: row.ended_at.getTime() - row.created_at.getTime() - row.pause_ms,
    work,
  }
}

async function inEachPartition<Row extends { claim: RunClaim }>(
  rows: readonly Row[],
  write: (partition: string, those: Row[]) => Promise<void>,
): Promise<void> {
  // In one order everywhere, so that two batches with blocks of the same runs never wait for each other.
  const sorted = rows.toSorted((one, other) => (one.claim.runId < other.claim.runId ? -1 : 1))
  const partitions = Map.groupBy(sorted, ({ claim }) => claim.partition)
  await Promise.all([...partitions].map(([partition, those]) => write(partition, those)))
}
