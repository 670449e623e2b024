import type { AnswerOf, BodyOf, Operations, RunSource } from '@patchbay/contract'
import { type Queryable, type Sql, sql, when } from '../db/index.ts'
import type { RunStatus } from './run.ts'

export type RunHistoryItem = AnswerOf<Operations['GetRunHistory']>['items'][number]
export type HistorySearch = BodyOf<Operations['GetRunHistory']>

type HistoryRow = {
  run_number: number
  status: RunStatus
  created_at: Date
  ended_at: Date | null
  duration_ms: number
  pause_ms: number
  run_by: RunSource
  processor_type: 'Standard' | 'Debug'
  is_expired_by_time: boolean
  error_message: string | null
  last_block_id: string | null
  last_block_title: string | null
  webhook_ids: string[] | null
}

const columns = sql`run_number, status, created_at, ended_at, pause_ms, run_by, processor_type, is_expired_by_time, error_message,
  last_block_id, last_block_title, webhook_ids, (extract(epoch from coalesce(ended_at, now()) - created_at) * 1000)::bigint as duration_ms`

const orderings = {
  // Numbers are given in order of time, so the index on numbers serves both.
  startDateTimeUTC: sql`run_number`,
  lockVersionNumber: sql`run_number`,
  status: sql`status`,
  endDateTimeUTC: sql`ended_at`,
  durationInMilliSec: sql`coalesce(ended_at, now()) - created_at`,
  pauseInMilliSec: sql`pause_ms`,
  runBy: sql`run_by`,
  processorType: sql`processor_type`,
  isExpiredByTime: sql`is_expired_by_time`,
  errorMessage: sql`error_message`,
  lastExecutedBlockId: sql`last_block_id`,
  lastExecutedBlockTitle: sql`last_block_title`,
  webhookIds: sql`webhook_ids`,
} as const satisfies Record<NonNullable<HistorySearch['orderField']>, Sql>

/** The number of the latest run, 0 when there is none; undefined when the account has no such workflow. */
export async function findLastNumber(
  db: Queryable,
  accountId: string,
  workflowId: string,
): Promise<number | undefined> {
  const { rows } = await db.query<{ last: number }>(
    sql`select coalesce(c.last_number, 0) as last from workflows w left join run_counters c on c.workflow_id = w.id
        where w.account_id = ${accountId} and w.id = ${workflowId}`,
  )
  return rows[0]?.last
}

export async function listRuns(
  db: Queryable,
  workflow: { accountId: string; workflowId: string; oldestNumber: number },
  search: HistorySearch,
): Promise<{ items: RunHistoryItem[]; total: number }> {
  const matching = sql`workflow_id = ${workflow.workflowId} and account_id = ${workflow.accountId} and run_number >= ${workflow.oldestNumber}
    ${when(search.lockVersionNumber, (number) => sql`and run_number = ${number}`)}
    ${when(search.status, (status) => sql`and status = ${status}`)}
    ${when(search.searchFrom, (from) => sql`and created_at >= ${from}`)}
    ${when(search.searchTo, (to) => sql`and created_at < ${to}`)}`
  const by = orderings[search.orderField ?? 'startDateTimeUTC']
  const order = search.orderByAsc
    ? sql`${by} asc nulls first, run_number asc`
    : sql`${by} desc nulls last, run_number desc`
  const [page, count] = await Promise.all([
    db.query<HistoryRow>(
      sql`select ${columns} from runs where ${matching} order by ${order} limit ${search.size} offset ${search.page * search.size}`,
    ),
    db.query<{ total: number }>(sql`select count(*) as total from runs where ${matching}`),
  ])
  return { items: page.rows.map(toItem), total: count.rows[0]?.total ?? 0 }
}

export type FoundRunItem = { id: string; revision: number; item: RunHistoryItem }

/** The latest run unless a number is given. */
export async function findRun(
  db: Queryable,
  accountId: string,
  workflowId: string,
  runNumber: number | undefined,
): Promise<FoundRunItem | undefined> {
  const { rows } = await db.query<HistoryRow & { id: string; revision: number }>(sql`
    select id, revision, ${columns} from runs
    where workflow_id = ${workflowId} and account_id = ${accountId} ${when(runNumber, (number) => sql`and run_number = ${number}`)}
    order by run_number desc limit 1`)
  const row = rows[0]
  return row && { id: row.id, revision: row.revision, item: toItem(row) }
}

export type StoredResult = {
  status: 'Ready' | 'Error'
  result: string | null
  errorMessage: string | null
  log: string | null
  session: string | null
}

export async function findBlock(
  db: Queryable,
  accountId: string,
  runId: string,
  blockId: string,
): Promise<StoredResult | undefined> {
  const { rows } = await db.query<{
    status: 'Ready' | 'Error'
    result: string | null
    error_message: string | null
    log: string | null
    session: string | null
  }>(sql`
    select status, result, error_message, log, session from run_blocks
    where run_id = ${runId} and account_id = ${accountId} and block_id = ${blockId}`)
  const row = rows[0]
  return (
    row && {
      status: row.status,
      result: row.result,
      errorMessage: row.error_message,
      log: row.log,
      session: row.session,
    }
  )
}

export async function listBlockTimes(db: Queryable, accountId: string, runId: string) {
  const { rows } = await db.query<{ block_id: string; status: string; started_at: Date; ended_at: Date }>(sql`
    select block_id, status, started_at, ended_at from run_blocks where run_id = ${runId} and account_id = ${accountId} order by seq`)
  return rows.map((row) => ({
    uniqueBlockId: row.block_id,
    status: row.status,
    startDateTimeUTC: row.started_at.toISOString(),
    endDateTimeUTC: row.ended_at.toISOString(),
  }))
}

function toItem(row: HistoryRow): RunHistoryItem {
  return {
    lockVersionNumber: row.run_number,
    status: row.status,
    startDateTimeUTC: row.created_at.toISOString(),
    endDateTimeUTC: row.ended_at?.toISOString() ?? null,
    durationInMilliSec: Math.max(0, Math.round(row.duration_ms)),
    pauseInMilliSec: row.pause_ms,
    runBy: row.run_by,
    processorType: row.processor_type,
    isExpiredByTime: row.is_expired_by_time,
    errorMessage: row.status === 'Error' ? row.error_message : null,
    lastExecutedBlockId: row.last_block_id,
    lastExecutedBlockTitle: row.last_block_title,
    webhookIds: row.webhook_ids ?? [],
  }
}
