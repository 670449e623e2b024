// How requests leave the queue or go back into it. The caller shares the order of their queues.
import { inOrder, type Queryable, sql } from '../../db/index.ts'
import { defaultSettings } from '../settings/settings.ts'
import { lockLanes } from './locks.ts'

export type HeldItem = {
  webhookId: string
  accountId: string
  workflowId: string
  workflowName: string
  lane: string | null
  holder: string
  runNumber: number | null
  errorCounter: number
  skipAfterErrors: number
  /** Whether an application that the workflow needs is faulted: then a failure is not the request's. */
  isFaulted: boolean
}

/** What runs or checks have in hand, in the order of the queue, locked. */
export async function listHeld(tx: Queryable, accountIds: readonly string[], holders: readonly string[]) {
  const { rows } = await tx.query<{
    webhook_id: string
    account_id: string
    workflow_id: string
    name: string
    lane: string | null
    holder: string
    run_number: number | null
    error_counter: number
    skip_after_errors: number
    is_faulted: boolean
  }>(sql`
    select q.webhook_id, q.account_id, q.workflow_id, w.name, q.lane, q.holder, q.run_number, q.error_counter,
      coalesce(h.skip_after_errors, ${defaultSettings.skipProcessingAfterErrors}) as skip_after_errors,
      has_faulted_application(q.workflow_id) as is_faulted
    from webhook_queue q join workflows w on w.id = q.workflow_id left join webhooks h on h.workflow_id = q.workflow_id
    where q.account_id = any(${accountIds}::uuid[]) and q.holder = any(${holders}::uuid[]) and q.status = 'Processing'
    order by q.seq for update of q`)
  return rows.map(
    (row): HeldItem => ({
      webhookId: row.webhook_id,
      accountId: row.account_id,
      workflowId: row.workflow_id,
      workflowName: row.name,
      lane: row.lane,
      holder: row.holder,
      runNumber: row.run_number,
      errorCounter: row.error_counter,
      skipAfterErrors: row.skip_after_errors,
      isFaulted: row.is_faulted,
    }),
  )
}

export async function isInQueue(db: Queryable, accountId: string, webhookId: string): Promise<boolean> {
  const { rowCount } = await db.query(
    sql`select from webhook_queue where account_id = ${accountId} and webhook_id = ${webhookId}`,
  )
  return rowCount > 0
}

/** Those of the workflows that have a request which failed and will be tried again. */
export async function listWaitingAfterErrors(db: Queryable, workflowIds: readonly string[]): Promise<Set<string>> {
  const { rows } = await db.query<{ id: string }>(sql`
    select w.id from workflows w where w.id = any(${workflowIds}::uuid[]) and exists (
      select from webhook_queue q where q.account_id = w.account_id and q.workflow_id = w.id and q.error_counter > 0)`)
  return new Set(rows.map(({ id }) => id))
}

export type Leaving = {
  webhookId: string
  /** Only if this run or check has it in hand. */
  holder?: string
  status: 'Done' | 'Skipped'
  errorMessage: string | null
  errorCounter?: number
  /** No run is to be named: none did what became of the request. */
  withoutRun?: boolean
  /** It failed too often. */
  isGivenUp?: boolean
}

/** Into the history, and the next of each lane to its front. Answers the accounts of which something else waits to be started. */
export async function leaveQueue(tx: Queryable, leaving: readonly Leaving[]): Promise<Set<string>> {
  if (leaving.length === 0) return new Set()
  const { rows } = await tx.query<{
    account_id: string
    workflow_id: string
    lane: string | null
    is_followed: boolean
  }>(sql`
    with leaving as materialized (
      select * from unnest(
        ${leaving.map(({ webhookId }) => webhookId)}::uuid[],
        ${leaving.map(({ holder }) => holder ?? null)}::uuid[],
        ${leaving.map(({ status }) => status)}::text[],
        ${leaving.map(({ errorMessage }) => errorMessage)}::text[],
        ${leaving.map(({ errorCounter }) => errorCounter ?? null)}::integer[],
        ${leaving.map(({ withoutRun }) => withoutRun ?? false)}::boolean[],
        ${leaving.map(({ isGivenUp }) => isGivenUp ?? false)}::boolean[]
      ) as l (webhook_id, holder, status, error_message, error_counter, without_run, is_given_up)
    ), gone as (
      delete from webhook_queue q using leaving l where q.webhook_id = l.webhook_id and (l.holder is null or q.holder = l.holder)
      returning q.webhook_id, q.account_id, q.workflow_id, q.lane, q.created_at, q.due_at, l.status, coalesce(l.error_message, q.error_message) as error_message,
        coalesce(l.error_counter, q.error_counter) as error_counter, case when l.without_run then null else q.run_number end as run_number, l.is_given_up
    ), kept as (
      insert into webhook_history (webhook_id, account_id, workflow_id, created_at, left_at, due_at, status, error_counter, run_number, error_message, is_given_up)
      select webhook_id, account_id, workflow_id, created_at, clock_timestamp(), due_at, status, error_counter, run_number,
        case when status = 'Done' then null else error_message end, is_given_up
      from gone
    )
    select account_id, workflow_id, lane,
      lane is not null or exists (
        select from webhook_queue q where q.account_id = gone.account_id and q.is_ready and q.status <> 'Processing') as is_followed
    from gone`)
  await moveUp(tx, rows.flatMap(toLane))
  return new Set(rows.flatMap((row) => (row.is_followed ? row.account_id : [])))
}

type Lane = { accountId: string; workflowId: string; lane: string }

function toLane(row: { account_id: string; workflow_id: string; lane: string | null }): Lane[] {
  return row.lane === null ? [] : [{ accountId: row.account_id, workflowId: row.workflow_id, lane: row.lane }]
}

/** The first of each lane becomes ready; while one of the lane is being processed, that is the one. */
async function moveUp(tx: Queryable, lanes: readonly Lane[]) {
  if (lanes.length === 0) return
  const distinct = [...new Map(lanes.map((lane) => [`${lane.workflowId} ${lane.lane}`, lane])).values()]
  const next = sql`
    update webhook_queue q set is_ready = true
    from unnest(${distinct.map(({ accountId }) => accountId)}::uuid[], ${distinct.map(({ workflowId }) => workflowId)}::uuid[],
      ${distinct.map(({ lane }) => lane)}::text[]) as l (account_id, workflow_id, lane)
    where q.webhook_id = coalesce(
      (select p.webhook_id from webhook_queue p
       where p.account_id = l.account_id and p.status = 'Processing' and p.workflow_id = l.workflow_id and p.lane = l.lane order by p.seq limit 1),
      (select f.webhook_id from webhook_queue f where f.workflow_id = l.workflow_id and f.lane = l.lane order by f.seq limit 1))
      and not q.is_ready`
  // Locked only now that they have left: whoever came to the lane meanwhile is seen by the next statement.
  const workflowIds = distinct.map(({ workflowId }) => workflowId)
  await inOrder(tx, [(db) => lockLanes(db, workflowIds), (db) => db.query(next)])
}

export type Waiting = {
  webhookId: string
  errorCounter: number
  errorMessage: string | null
  delayMs: number
}

/** Back to wait, Failed if it ever did. Requests that came before may wait in its lane since the order was changed: they are first then. */
export async function backToQueue(tx: Queryable, waiting: readonly Waiting[]): Promise<void> {
  if (waiting.length === 0) return
  const { rows } = await tx.query<{ account_id: string; workflow_id: string; lane: string | null }>(sql`
    update webhook_queue q set is_ready = q.lane is null, status = case when w.error_counter > 0 or w.error_message is not null then 'Failed' else 'Pending' end, holder = null,
      error_counter = w.error_counter, error_message = coalesce(w.error_message, q.error_message),
      due_at = clock_timestamp() + w.delay_ms * interval '1 millisecond', modified_at = clock_timestamp()
    from unnest(
      ${waiting.map(({ webhookId }) => webhookId)}::uuid[],
      ${waiting.map(({ errorCounter }) => errorCounter)}::integer[],
      ${waiting.map(({ errorMessage }) => errorMessage)}::text[],
      ${waiting.map(({ delayMs }) => delayMs)}::integer[]
    ) as w (webhook_id, error_counter, error_message, delay_ms)
    where q.webhook_id = w.webhook_id returning q.account_id, q.workflow_id, q.lane`)
  await moveUp(tx, rows.flatMap(toLane))
}
