import { type Queryable, sql } from '../../db/index.ts'

/** True when this transaction may start requests of the account: one at a time does, so that shares are exact. */
export async function tryLockAccount(tx: Queryable, accountId: string): Promise<boolean> {
  const { rows } = await tx.query<{ locked: boolean }>(
    sql`select pg_try_advisory_xact_lock(hashtextextended('webhooks of ' || ${accountId}::text, 0)) as locked`,
  )
  return rows[0]?.locked === true
}

/**
 * Spares the wait for the disk. What is lost with the database server in that moment was not begun by anybody: a worker takes a job with a
 * commit that waits, and so for everything before it.
 */
export async function commitWithTheNext(tx: Queryable): Promise<void> {
  await tx.query(sql`set local synchronous_commit = off`)
}

/** Runs and checks that have requests of the account in hand. */
export async function countUnits(tx: Queryable, accountId: string): Promise<number> {
  const { rows } = await tx.query<{ count: number }>(sql`
    select count(distinct holder) as count from webhook_queue where account_id = ${accountId} and status = 'Processing'`)
  return rows[0]?.count ?? 0
}

export type StartableWorkflow = {
  workflowId: string
  isBatch: boolean
  batchSize: number
  hasSkipScript: boolean
  movesDateLastRun: boolean
  /** Senders wait for what the run answers. */
  answers: boolean
  /** It is paused by its failures and tries the first of its requests, whenever that would be due. */
  isTry: boolean
}

// Paused by its failures, a workflow may try one request now and then.
const mayTry = sql`w.next_try_at <= now() and not has_faulted_application(w.id)`
const mayStart = sql`w.state = 'deployed' and not coalesce(h.is_held, false) and a.state = 'active'
  and case when w.is_auto_run_paused then ${mayTry} else n.due_at <= now() end`

/**
 * Workflows of the account with a request that can start now. The index is jumped through from workflow to workflow, so the length of
 * their queues does not matter. Requests of a webhook that was cleaned go by the defaults.
 */
export async function listStartableWorkflows(tx: Queryable, accountId: string): Promise<StartableWorkflow[]> {
  const { rows } = await tx.query<{
    id: string
    is_batch: boolean
    batch_size: number
    has_skip_script: boolean
    moves_date_last_run: boolean
    answers: boolean
    is_try: boolean
  }>(sql`
    with recursive waiting as (
      (select workflow_id, due_at from webhook_queue
       where account_id = ${accountId} and is_ready and status <> 'Processing' order by workflow_id, due_at limit 1)
      union all
      select n.workflow_id, n.due_at from waiting w cross join lateral (
        select q.workflow_id, q.due_at from webhook_queue q
        where q.account_id = ${accountId} and q.is_ready and q.status <> 'Processing' and q.workflow_id > w.workflow_id
        order by q.workflow_id, q.due_at limit 1) n
    )
    select w.id, coalesce(h.is_batch, false) as is_batch, coalesce(h.batch_size, 1) as batch_size,
      coalesce(h.skip_script, '') <> '' as has_skip_script, coalesce(h.moves_date_last_run, false) as moves_date_last_run,
      coalesce(h.respond_with = 'result', false) as answers, w.is_auto_run_paused as is_try
    from waiting n join workflows w on w.id = n.workflow_id join accounts a on a.id = w.account_id left join webhooks h on h.workflow_id = w.id
    where ${mayStart}`)
  return rows.map((row) => ({
    workflowId: row.id,
    isBatch: row.is_batch,
    batchSize: row.batch_size,
    hasSkipScript: row.has_skip_script,
    movesDateLastRun: row.moves_date_last_run,
    answers: row.answers,
    isTry: row.is_try,
  }))
}

export type StartableItem = { webhookId: string; workflowId: string; lane: string | null }

/** Of each workflow no more than its number, in the order in which they are due, locked; what somebody has in hand is passed over. */
export async function listStartable(
  tx: Queryable,
  accountId: string,
  wanted: readonly { workflowId: string; count: number; isTry: boolean }[],
): Promise<StartableItem[]> {
  const { rows } = await tx.query<{ webhook_id: string; workflow_id: string; lane: string | null }>(sql`
    select q.webhook_id, q.workflow_id, q.lane
    from unnest(${wanted.map(({ workflowId }) => workflowId)}::uuid[], ${wanted.map(({ count }) => count)}::integer[],
      ${wanted.map(({ isTry }) => isTry)}::boolean[]) as w (workflow_id, count, is_try)
    cross join lateral (
      select webhook_id, workflow_id, lane, due_at, seq from webhook_queue
      where account_id = ${accountId} and workflow_id = w.workflow_id and is_ready and status <> 'Processing'
        and (w.is_try or due_at <= now())
      order by due_at, seq limit w.count for update skip locked
    ) q
    order by q.due_at, q.seq`)
  return rows.map((row) => ({ webhookId: row.webhook_id, workflowId: row.workflow_id, lane: row.lane }))
}

/**
 * The requests at the front of lanes, each with those behind it that may go with it in one run; all locked. A lane ends where somebody has
 * a request in hand: those behind it must not overtake it.
 */
export async function listLanes(
  tx: Queryable,
  heads: readonly { workflowId: string; lane: string; count: number }[],
): Promise<Map<string, string[]>> {
  const { rows } = await tx.query<{ workflow_id: string; lane: string; webhook_id: string; place: number }>(sql`
    select l.workflow_id, l.lane, q.webhook_id, q.place
    from unnest(${heads.map(({ workflowId }) => workflowId)}::uuid[], ${heads.map(({ lane }) => lane)}::text[],
      ${heads.map(({ count }) => count)}::integer[]) as l (workflow_id, lane, count)
    cross join lateral (
      select q.webhook_id, p.place from (
        select webhook_id, row_number() over (order by seq) as place from webhook_queue
        where workflow_id = l.workflow_id and lane = l.lane and status <> 'Processing' order by seq limit l.count
      ) p join webhook_queue q on q.webhook_id = p.webhook_id
      where q.status <> 'Processing' for update of q skip locked
    ) q
    order by q.place`)
  const lanes = Map.groupBy(rows, (row) => `${row.workflow_id} ${row.lane}`)
  return new Map([...lanes].map(([lane, inLane]) => [lane, takeWithoutGap(inLane)]))
}

function takeWithoutGap(inLane: readonly { webhook_id: string; place: number }[]): string[] {
  return inLane.filter(({ place }, index) => place === index + 1).map((row) => row.webhook_id)
}

export async function markProcessing(
  tx: Queryable,
  taken: readonly { webhookId: string; holder: string; runNumber: number | null }[],
): Promise<void> {
  await tx.query(sql`
    update webhook_queue q set status = 'Processing', holder = t.holder, run_number = coalesce(t.run_number, q.run_number), modified_at = now()
    from unnest(${taken.map(({ webhookId }) => webhookId)}::uuid[], ${taken.map(({ holder }) => holder)}::uuid[],
      ${taken.map(({ runNumber }) => runNumber)}::integer[]) as t (webhook_id, holder, run_number)
    where q.webhook_id = t.webhook_id`)
}

/** Accounts of which something could start now. */
export async function listWaitingAccounts(db: Queryable): Promise<string[]> {
  const { rows } = await db.query<{ account_id: string }>(sql`
    with recursive waiting as (
      (select account_id, workflow_id, due_at from webhook_queue
       where is_ready and status <> 'Processing' order by account_id, workflow_id, due_at limit 1)
      union all
      select n.account_id, n.workflow_id, n.due_at from waiting w cross join lateral (
        select q.account_id, q.workflow_id, q.due_at from webhook_queue q
        where q.is_ready and q.status <> 'Processing' and (q.account_id, q.workflow_id) > (w.account_id, w.workflow_id)
        order by q.account_id, q.workflow_id, q.due_at limit 1) n
    )
    select distinct n.account_id
    from waiting n join workflows w on w.id = n.workflow_id join accounts a on a.id = w.account_id left join webhooks h on h.workflow_id = w.id
    where ${mayStart}`)
  return rows.map((row) => row.account_id)
}
