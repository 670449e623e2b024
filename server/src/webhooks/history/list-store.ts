import { type Queryable, sql } from '../../db/index.ts'

export type Search = { page: number; size: number; searchFrom: string | null; searchTo: string | null }

export type ListedItem = {
  webhookId: string
  status: string
  createdAt: Date
  errorCounter: number
  dueAt: Date
  no: number
  runNumber: number | null
  errorMessage: string | null
}

type ItemRow = {
  webhook_id: string
  status: string
  created_at: Date
  error_counter: number
  due_at: Date
  no: number
  run_number: number | null
  error_message: string | null
}

function toItem(row: ItemRow): ListedItem {
  return {
    webhookId: row.webhook_id,
    status: row.status,
    createdAt: row.created_at,
    errorCounter: row.error_counter,
    dueAt: row.due_at,
    no: row.no,
    runNumber: row.run_number,
    errorMessage: row.error_message,
  }
}

export async function findWorkflowFlags(db: Queryable, accountId: string, workflowId: string) {
  const { rows } = await db.query<{ is_auto_run_paused: boolean; is_webhook_active: boolean }>(sql`
    select is_auto_run_paused, is_webhook_active from workflows where account_id = ${accountId} and id = ${workflowId}`)
  return rows[0] && { isAutoRunPaused: rows[0].is_auto_run_paused, isWebhookActive: rows[0].is_webhook_active }
}

/** Positions are those in the whole queue, whatever part of it is asked for. */
export async function listQueue(db: Queryable, accountId: string, workflowId: string, search: Search) {
  const { rows } = await db.query<ItemRow>(sql`
    with page as materialized (
      select * from webhook_queue
      where account_id = ${accountId} and workflow_id = ${workflowId}
        and created_at >= coalesce(${search.searchFrom}::timestamptz, '-infinity') and created_at < coalesce(${search.searchTo}::timestamptz, 'infinity')
      order by seq limit ${search.size} offset ${search.page * search.size}
    ), before as (
      select count(*) as count from webhook_queue
      where account_id = ${accountId} and workflow_id = ${workflowId} and seq < (select min(seq) from page)
    ), placed as (
      select webhook_id, row_number() over (order by seq) as place from webhook_queue
      where account_id = ${accountId} and workflow_id = ${workflowId} and seq between (select min(seq) from page) and (select max(seq) from page)
    )
    select p.webhook_id, p.status, p.created_at, p.error_counter, p.due_at, p.run_number, p.error_message, b.count + n.place as no
    from page p join placed n on n.webhook_id = p.webhook_id cross join before b order by p.seq`)
  return rows.map(toItem)
}

export async function countQueue(
  db: Queryable,
  accountId: string,
  workflowId: string,
  search: Search,
): Promise<number> {
  const { rows } = await db.query<{ count: number }>(sql`
    select count(*) as count from webhook_queue
    where account_id = ${accountId} and workflow_id = ${workflowId}
      and created_at >= coalesce(${search.searchFrom}::timestamptz, '-infinity') and created_at < coalesce(${search.searchTo}::timestamptz, 'infinity')`)
  return rows[0]?.count ?? 0
}

export async function listHistory(db: Queryable, accountId: string, workflowId: string, search: Search) {
  const offset = search.page * search.size
  const { rows } = await db.query<Omit<ItemRow, 'no'> & { left_at: Date }>(sql`
    select webhook_id, status, created_at, error_counter, due_at, run_number, error_message, left_at
    from webhook_history
    where account_id = ${accountId} and workflow_id = ${workflowId}
      and created_at >= coalesce(${search.searchFrom}::timestamptz, '-infinity') and created_at < coalesce(${search.searchTo}::timestamptz, 'infinity')
    order by created_at desc, webhook_id desc limit ${search.size} offset ${offset}`)
  return rows.map((row, index) => ({ ...toItem({ ...row, no: offset + index + 1 }), leftAt: row.left_at }))
}

export async function countHistory(
  db: Queryable,
  accountId: string,
  workflowId: string,
  search: Omit<Search, 'page' | 'size'>,
): Promise<number> {
  const { rows } = await db.query<{ count: number }>(sql`
    select count(*) as count from webhook_history
    where account_id = ${accountId} and workflow_id = ${workflowId}
      and created_at >= coalesce(${search.searchFrom}::timestamptz, '-infinity') and created_at < coalesce(${search.searchTo}::timestamptz, 'infinity')`)
  return rows[0]?.count ?? 0
}

/** When the place of a request in the queue changed last; undefined when it never had one. */
export async function findLastMove(db: Queryable, accountId: string, webhookId: string): Promise<Date | undefined> {
  const { rows } = await db.query<{ at: Date }>(sql`
    select modified_at as at from webhook_queue where account_id = ${accountId} and webhook_id = ${webhookId}
    union all select left_at from webhook_history where account_id = ${accountId} and webhook_id = ${webhookId}`)
  return rows[0]?.at
}

export async function findSampleId(db: Queryable, accountId: string, workflowId: string): Promise<string | undefined> {
  const { rows } = await db.query<{ id: string }>(sql`
    select id from webhook_samples where account_id = ${accountId} and workflow_id = ${workflowId}
    order by is_pinned desc, created_at desc, id desc limit 1`)
  return rows[0]?.id
}

export async function listSamples(db: Queryable, accountId: string, workflowId: string) {
  const { rows } = await db.query<{ id: string; created_at: Date; is_pinned: boolean }>(sql`
    select id, created_at, is_pinned from webhook_samples where account_id = ${accountId} and workflow_id = ${workflowId}
    order by created_at desc, id desc`)
  return rows.map((row) => ({
    webhookId: row.id,
    createDateTimeUTC: row.created_at.toISOString(),
    isPinned: row.is_pinned,
  }))
}
