import { type Queryable, sql } from '../../db/index.ts'
import type { Order } from '../queue/lane.ts'

export type Replay = {
  id: string
  accountId: string
  workflowId: string
  createdAt: Date
  total: number
  queued: number
  waiting: number
  isQueued: boolean
}

export async function insertReplay(
  tx: Queryable,
  replay: {
    id: string
    accountId: string
    workflowId: string
    searchFrom: string | null
    searchTo: string | null
    statuses: readonly string[]
  },
): Promise<void> {
  const { id, accountId, workflowId, searchFrom, searchTo, statuses } = replay
  await tx.query(sql`
    insert into webhook_replays (id, account_id, workflow_id, search_from, search_to, statuses, total)
    select ${id}, ${accountId}, ${workflowId}, ${searchFrom}::timestamptz, ${searchTo}::timestamptz, ${statuses}::text[], count(*)
    from webhook_history
    where account_id = ${accountId} and workflow_id = ${workflowId} and status = any(${statuses}::text[])
      and created_at >= coalesce(${searchFrom}::timestamptz, '-infinity') and created_at < coalesce(${searchTo}::timestamptz, 'infinity')`)
}

export async function findReplay(db: Queryable, accountId: string, id: string): Promise<Replay | undefined> {
  const { rows } = await db.query<{
    id: string
    account_id: string
    workflow_id: string
    created_at: Date
    total: number
    queued: number
    waiting: number
    is_queued: boolean
  }>(sql`
    select id, account_id, workflow_id, created_at, total, queued, is_queued,
      (select count(*) from webhook_queue q where q.replay_id = r.id and q.account_id = r.account_id) as waiting
    from webhook_replays r where account_id = ${accountId} and id = ${id}`)
  const row = rows[0]
  return (
    row && {
      id: row.id,
      accountId: row.account_id,
      workflowId: row.workflow_id,
      createdAt: row.created_at,
      total: row.total,
      queued: row.queued,
      waiting: row.waiting,
      isQueued: row.is_queued,
    }
  )
}

/** Undefined when there is nothing more to do. */
export async function lockReplay(
  tx: Queryable,
  id: string,
): Promise<{ accountId: string; workflowId: string } | undefined> {
  const { rows } = await tx.query<{ account_id: string; workflow_id: string }>(sql`
    select r.account_id, r.workflow_id from webhook_replays r join workflows w on w.id = r.workflow_id
    where r.id = ${id} and not r.is_queued and w.state <> 'archived'
    for no key update of r`)
  return rows[0] && { accountId: rows[0].account_id, workflowId: rows[0].workflow_id }
}

/** In force as long as the caller shares the order of the queue. */
export async function findOrder(tx: Queryable, workflowId: string): Promise<Order> {
  const { rows } = await tx.query<{ is_strict_order: boolean; order_key: string }>(
    sql`select is_strict_order, order_key from webhooks where workflow_id = ${workflowId}`,
  )
  return { strictOrderProcessing: rows[0]?.is_strict_order ?? false, orderKey: rows[0]?.order_key ?? '' }
}

/** The next of the history in order of acceptance. What left the queue after the replay had begun is not among them. */
export async function listReplayed(tx: Queryable, id: string, count: number) {
  const { rows } = await tx.query<{ webhook_id: string; created_at: Date }>(sql`
    select h.webhook_id, h.created_at
    from webhook_replays r join webhook_history h on h.account_id = r.account_id and h.workflow_id = r.workflow_id
    where r.id = ${id} and h.status = any(r.statuses) and h.left_at <= r.created_at
      and h.created_at >= coalesce(r.search_from, '-infinity') and h.created_at < coalesce(r.search_to, 'infinity')
      and (r.cursor_at is null or (h.created_at, h.webhook_id) > (r.cursor_at, r.cursor_id))
    order by h.created_at, h.webhook_id limit ${count}`)
  return rows.map((row) => row.webhook_id)
}

/** Out of the history and to the end of the queue; lanes in the order of the ids. */
export async function requeue(
  tx: Queryable,
  { id, workflowId }: { id: string; workflowId: string },
  items: readonly { webhookId: string; lane: string | null }[],
  isLast: boolean,
): Promise<void> {
  await tx.query(sql`
    with given as materialized (
      select * from unnest(${items.map(({ webhookId }) => webhookId)}::uuid[], ${items.map(({ lane }) => lane)}::text[])
        with ordinality as g (webhook_id, lane, position)
    ), gone as (
      delete from webhook_history h using given g where h.webhook_id = g.webhook_id
      returning h.webhook_id, h.account_id, h.workflow_id, h.created_at, g.lane, g.position
    ), queued as (
      insert into webhook_queue (webhook_id, account_id, workflow_id, lane, is_ready, due_at, created_at, modified_at, replay_id)
      select n.webhook_id, n.account_id, n.workflow_id, n.lane,
        n.lane is null or (n.turn = 1 and not exists (select from webhook_queue q where q.workflow_id = ${workflowId} and q.lane = n.lane)),
        statement_timestamp(), n.created_at, statement_timestamp(), ${id}
      from (select gone.*, row_number() over (partition by lane order by position) as turn from gone) n order by n.position
    )
    update webhook_replays r set queued = queued + (select count(*) from gone), is_queued = ${isLast},
      cursor_at = coalesce((select created_at from gone order by position desc limit 1), cursor_at),
      cursor_id = coalesce((select webhook_id from gone order by position desc limit 1), cursor_id)
    where r.id = ${id}`)
}
