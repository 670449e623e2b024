import type { AnswerOf, BodyOf, Operations, RunSource } from '@patchbay/contract'
import { type Queryable, type Statement, sql } from '../../db/index.ts'
import type { RunStatus } from '../run.ts'
import { findNumberPage, type Numbers } from './number-pages.ts'

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
  revision: number
  started_by: string | null
  block_errors: number
  items_total: number
  items_failed: number
  retry_of_number: number | null
  waiting_for: RunHistoryItem['waitingFor']
  parent_run: RunHistoryItem['parentRun']
}

const columns = `run_number, status, created_at, ended_at, pause_ms, run_by, processor_type, is_expired_by_time, error_message, last_block_id,
  last_block_title, webhook_ids, revision, started_by, block_errors, items_total, items_failed, retry_of_number, waiting_for, parent_run,
  (extract(epoch from coalesce(ended_at, now()) - created_at) * 1000)::bigint as duration_ms`

const orderings: Record<NonNullable<HistorySearch['orderField']>, string> = {
  // Numbers are given in order of time, so the index on numbers serves both.
  startDateTimeUTC: 'run_number',
  lockVersionNumber: 'run_number',
  status: 'status',
  endDateTimeUTC: 'ended_at',
  durationInMilliSec: 'coalesce(ended_at, now()) - created_at',
  pauseInMilliSec: 'pause_ms',
  runBy: 'run_by',
  processorType: 'processor_type',
  isExpiredByTime: 'is_expired_by_time',
  errorMessage: 'error_message',
  lastExecutedBlockId: 'last_block_id',
  lastExecutedBlockTitle: 'last_block_title',
  webhookIds: 'webhook_ids',
  revision: 'revision',
  startedByAccountId: 'started_by',
  blockErrors: 'block_errors',
  itemsTotal: 'items_total',
  itemsFailed: 'items_failed',
  retryOfRunNumber: 'retry_of_number',
  waitingFor: "waiting_for ->> 'untilDateTimeUTC'",
  parentRun: "(parent_run ->> 'runNumber')::integer",
}

// A history lies in many partitions, and planning over all of them takes longer than reading. So there are a few fixed texts, prepared
// once a session, in which a filter that is not wanted is null.
const matching = `workflow_id = $1 and account_id = $2 and run_number between $3 and $4 and ($5::text is null or status = $5)
  and ($6::timestamptz is null or created_at >= $6) and ($7::timestamptz is null or created_at < $7)`
const plainMatching = 'workflow_id = $1 and account_id = $2 and run_number between $3 and $4'
const highestNumber = 2_147_483_647

function prepared(name: string, text: string, values: unknown[]): Statement {
  return { toQuery: () => ({ name, text, values }) }
}

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
  workflow: Numbers,
  search: HistorySearch,
): Promise<{ items: RunHistoryItem[]; total: number }> {
  if (isByNumberAlone(search)) return listByNumber(db, workflow, search)
  const { lockVersionNumber, status, searchFrom, searchTo, size, page: pageNumber } = search
  const range = [
    Math.max(workflow.oldestNumber, lockVersionNumber ?? workflow.oldestNumber),
    lockVersionNumber ?? highestNumber,
  ]
  const filters = [status ?? null, searchFrom ?? null, searchTo ?? null]
  const values = [workflow.workflowId, workflow.accountId, ...range, ...filters]
  const isPlain = filters.every((filter) => filter === null)
  const by = search.orderField ?? 'startDateTimeUTC'
  const order = search.orderByAsc
    ? `${orderings[by]} asc nulls first, run_number asc`
    : `${orderings[by]} desc nulls last, run_number desc`
  const [page, count] = await Promise.all([
    db.query<HistoryRow>(
      prepared(
        `history_${by}_${search.orderByAsc ? 'asc' : 'desc'}`,
        `select ${columns} from runs where ${matching} order by ${order} limit $8 offset $9`,
        [...values, size, pageNumber * size],
      ),
    ),
    db.query<{ total: number }>(
      isPlain
        ? prepared('history_count', `select count(*) as total from runs where ${plainMatching}`, values.slice(0, 4))
        : prepared('history_count_some', `select count(*) as total from runs where ${matching}`, values),
    ),
  ])
  return { items: page.rows.map(toItem), total: count.rows[0]?.total ?? 0 }
}

/** No filter, and the order of time: no run has to be looked at that is not on the page. */
function isByNumberAlone({ orderField = 'startDateTimeUTC', lockVersionNumber, ...search }: HistorySearch): boolean {
  const filters = [lockVersionNumber, search.status, search.searchFrom, search.searchTo]
  return orderings[orderField] === 'run_number' && filters.every((filter) => (filter ?? null) === null)
}

async function listByNumber(
  db: Queryable,
  workflow: Numbers,
  { page, size, orderByAsc: isAscending = false }: HistorySearch,
): Promise<{ items: RunHistoryItem[]; total: number }> {
  const { total, range } = await findNumberPage(db, workflow, { offset: page * size, size, isAscending })
  if (!range) return { items: [], total }
  const { rows } = await db.query<HistoryRow>(
    prepared(
      'history_by_number',
      `select ${columns} from runs where ${plainMatching} order by run_number limit $5 offset $6`,
      [workflow.workflowId, workflow.accountId, range.from, range.to, range.size, range.skip],
    ),
  )
  const items = rows.map(toItem)
  return { items: isAscending ? items : items.toReversed(), total }
}

export type FoundRunItem = { id: string; revision: number; item: RunHistoryItem }

/** The latest run unless a number is given. */
export async function findRun(
  db: Queryable,
  accountId: string,
  workflowId: string,
  runNumber: number | undefined,
): Promise<FoundRunItem | undefined> {
  const range = [runNumber ?? 0, runNumber ?? highestNumber]
  const { rows } = await db.query<HistoryRow & { id: string }>(
    prepared('history_run', `select id, ${columns} from runs where ${plainMatching} order by run_number desc limit 1`, [
      workflowId,
      accountId,
      ...range,
    ]),
  )
  const row = rows[0]
  return row && { id: row.id, revision: row.revision, item: toItem(row) }
}

export type StoredResult = {
  status: 'Ready' | 'Error' | 'Skipped'
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
    status: 'Ready' | 'Error' | 'Skipped'
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

type ChildRun = { workflowId: string; runNumber: number }

export async function listBlockTimes(db: Queryable, accountId: string, runId: string) {
  const { rows } = await db.query<{
    block_id: string
    status: string
    started_at: Date | null
    ended_at: Date | null
    tries: number
    child_run: ChildRun | null
  }>(sql`
    select block_id, status, started_at, ended_at, coalesce((flow ->> 'tries')::integer, case when status = 'Skipped' then 0 else 1 end) as tries,
      flow -> 'childRun' as child_run
    from run_blocks where run_id = ${runId} and account_id = ${accountId}
    union all
    select block_id, 'Pending', null, null, 1, (details::jsonb -> 'child') - 'id' from run_waits w
    where run_id = ${runId} and account_id = ${accountId} and item_index < 0 and kind = 'subWorkflow'
      and not exists (select from run_blocks b where b.run_id = w.run_id and b.block_id = w.block_id)`)
  return rows.map((row) => ({
    uniqueBlockId: row.block_id,
    status: row.status,
    startDateTimeUTC: row.started_at?.toISOString() ?? null,
    endDateTimeUTC: row.ended_at?.toISOString() ?? null,
    tries: row.tries,
    childRun: row.child_run,
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
    revision: row.revision,
    startedByAccountId: row.started_by,
    itemsTotal: row.items_total,
    itemsFailed: row.items_failed,
    retryOfRunNumber: row.retry_of_number,
    blockErrors: row.block_errors,
    waitingFor: row.status === 'Waiting' ? row.waiting_for : null,
    parentRun: row.parent_run,
  }
}
