import type { RunSource } from '@patchbay/contract'
import { type Queryable, sql } from '../../db/index.ts'
import type { JsonObject } from '../../lib/json.ts'
import type { DayTables } from '../record/day-tables.ts'
import { partitionStatement } from '../record/partition-statement.ts'
import type { PartialOptions, Run, RunClaim, RunStatus } from '../run.ts'
import type { ItemCounts } from './run-state.ts'
import { readStored } from './stored-json.ts'

type RunRow = {
  id: string
  account_id: string
  workflow_id: string
  run_number: number
  revision: number
  status: RunStatus
  run_by: RunSource
  processor_type: string
  run_from: number | null
  run_till: number | null
  partial: PartialOptions | null
  date_last_run: Date | null
  moves_date_last_run: boolean
  webhook_ids: string[] | null
  is_webhook_batch: boolean
  input: string | null
  is_awaited: boolean
  level: number
  is_error_run: boolean
  retry_of: string | null
}

export type FoundRun = Run & {
  status: RunStatus
  /** Some blocks have results already: taken over from an earlier run. */
  hasBlocks: boolean
}

/** `partition`: the table that holds the day of the run. */
export type ClaimedRun = FoundRun & Pick<RunClaim, 'partition'>

const firstClaims = partitionStatement(
  (runs) => `select * from ${runs} where id = any($1::uuid[]) and attempt = 0 and ended_at is null`,
)

/** Runs that were claimed for the first time. Nothing is written: the attempt they were made with is the first. */
export async function listFirstClaims(db: Queryable, tables: DayTables, ids: readonly string[]): Promise<ClaimedRun[]> {
  const found = await Promise.all(
    (await tables.group(ids)).map(async ([partition, those]) => {
      const { rows } = await db.query<RunRow>(firstClaims(partition, [those]))
      return rows.map((row) => ({ ...toRun(row), partition }))
    }),
  )
  return found.flat()
}

/** Runs by their numbers, also those that are over. */
export async function listByNumbers(
  db: Queryable,
  accountId: string,
  workflowId: string,
  runNumbers: readonly number[],
): Promise<(FoundRun & { createdAt: Date; hasEnded: boolean })[]> {
  const { rows } = await db.query<RunRow & { created_at: Date; ended_at: Date | null }>(sql`
    select * from runs
    where workflow_id = ${workflowId} and account_id = ${accountId} and run_number = any(${runNumbers}::integer[])`)
  return rows.map((row) => ({ ...toRun(row), createdAt: row.created_at, hasEnded: row.ended_at !== null }))
}

export type TakenRun = ClaimedRun & {
  deaths: Record<string, number>
  /** Blocks that were running when the worker before was last heard of. */
  underWay: string[]
  wasHandedBack: boolean
}

const claimAgain = partitionStatement(
  (runs) => `
    update ${runs} set attempt = $2, waiting_for = null, status = case when status in ('Pending', 'Waiting') then 'Processing' else status end
    where id = $1 and attempt < $2 and ended_at is null returning *`,
)

/** Raises the fence: from now on writes of every earlier holder fail. Undefined when the run is over or gone, or a later attempt exists. */
export async function takeOver(
  db: Queryable,
  tables: DayTables,
  claim: Omit<RunClaim, 'partition'>,
): Promise<TakenRun | undefined> {
  const partition = await tables.find(claim.runId)
  const { rows } = await db.query<
    RunRow & { deaths: Record<string, number> | null; under_way: string[] | null; is_handed_back: boolean }
  >(claimAgain(partition, [claim.runId, claim.attempt]))
  const row = rows[0]
  return (
    row && {
      ...toRun(row),
      partition,
      deaths: row.deaths ?? {},
      underWay: row.under_way ?? [],
      wasHandedBack: row.is_handed_back,
    }
  )
}

export async function updateDeaths(db: Queryable, claim: RunClaim, deaths: Record<string, number>): Promise<void> {
  await db.query(sql`
    update runs set deaths = ${JSON.stringify(deaths)}, under_way = null, is_handed_back = false
    where id = ${claim.runId} and attempt = ${claim.attempt} and ended_at is null`)
}

export type StoredBlock = {
  blockId: string
  seq: number
  status: 'Ready' | 'Error' | 'Skipped'
  isReused: boolean
  result: string | null
  errorMessage: string | null
  session: string | null
  sealedDeferred: Buffer | null
  endFlag: boolean | null
  activeMs: number
  pauseMs: number
  calls: number
  flow: StoredFlow | null
}

/** What only some blocks have. */
export type StoredFlow = { tries?: number; response?: JsonObject; items?: ItemCounts }

/** In the order of recording. */
export async function listBlocks(db: Queryable, accountId: string, runId: string): Promise<StoredBlock[]> {
  const { rows } = await db.query<{
    block_id: string
    seq: number
    status: 'Ready' | 'Error' | 'Skipped'
    is_reused: boolean
    result: string | null
    error_message: string | null
    session: string | null
    sealed_deferred: Buffer | null
    end_flag: boolean | null
    active_ms: number
    pause_ms: number
    calls: number
    flow: StoredFlow | null
  }>(sql`
    select block_id, seq, status, is_reused, result, error_message, session, sealed_deferred, end_flag, pause_ms, flow,
      greatest(0, extract(epoch from ended_at - started_at) * 1000 - pause_ms)::float8 as active_ms, count_calls(calls) as calls
    from run_blocks where run_id = ${runId} and account_id = ${accountId} order by seq`)
  return rows.map((row) => ({
    blockId: row.block_id,
    seq: row.seq,
    status: row.status,
    isReused: row.is_reused,
    result: row.result,
    errorMessage: row.error_message,
    session: row.session,
    sealedDeferred: row.sealed_deferred,
    endFlag: row.end_flag,
    activeMs: row.active_ms,
    pauseMs: row.pause_ms,
    calls: row.calls,
    flow: row.flow,
  }))
}

function toRun(row: RunRow): FoundRun {
  return {
    id: row.id,
    rootId: row.retry_of ?? row.id,
    accountId: row.account_id,
    workflowId: row.workflow_id,
    runNumber: row.run_number,
    revision: row.revision,
    status: row.status,
    runBy: row.run_by,
    isPartial: row.processor_type === 'Debug',
    runFrom: row.run_from,
    runTill: row.run_till,
    partial: row.partial,
    dateLastRun: row.date_last_run,
    movesDateLastRun: row.moves_date_last_run,
    webhookIds: row.webhook_ids,
    isWebhookBatch: row.is_webhook_batch,
    answersWebhook: row.is_awaited && row.webhook_ids !== null,
    level: row.level,
    isErrorRun: row.is_error_run,
    input: readStored(row.input),
    hasBlocks: row.run_by === 'Retry' || row.run_from !== null,
  }
}
