// The requests of a failed run while its retry has them.
import { type Queryable, sql } from '../../db/index.ts'
import type { EndedRun } from '../../runs/index.ts'

export type QueuedForRetry = {
  webhookId: string
  isProcessing: boolean
  runNumber: number | null
  /** Another request of its lane, not among these, comes first. */
  isBehindOthers: boolean
}

/** Those that still wait in the queue, locked. */
export async function lockQueued(
  tx: Queryable,
  accountId: string,
  webhookIds: readonly string[],
): Promise<QueuedForRetry[]> {
  const { rows } = await tx.query<{
    webhook_id: string
    status: string
    run_number: number | null
    is_behind_others: boolean
  }>(sql`
    select q.webhook_id, q.status, q.run_number,
      q.lane is not null and exists (
        select from webhook_queue f where f.workflow_id = q.workflow_id and f.lane = q.lane and f.seq < q.seq
          and f.webhook_id <> all(${webhookIds}::uuid[])) as is_behind_others
    from webhook_queue q where q.account_id = ${accountId} and q.webhook_id = any(${webhookIds}::uuid[])
    order by q.seq for update of q`)
  return rows.map((row) => ({
    webhookId: row.webhook_id,
    isProcessing: row.status === 'Processing',
    runNumber: row.run_number,
    isBehindOthers: row.is_behind_others,
  }))
}

/** Those that were done since a time, with the run that did them. */
export async function listDoneSince(
  tx: Queryable,
  accountId: string,
  webhookIds: readonly string[],
  since: Date,
): Promise<{ webhookId: string; runNumber: number | null }[]> {
  const { rows } = await tx.query<{ webhook_id: string; run_number: number | null }>(sql`
    select webhook_id, run_number from webhook_history
    where account_id = ${accountId} and webhook_id = any(${webhookIds}::uuid[]) and status = 'Done' and left_at > ${since}`)
  return rows.map((row) => ({ webhookId: row.webhook_id, runNumber: row.run_number }))
}

/** Those that can be given to a script. */
export async function listKept(tx: Queryable, accountId: string, webhookIds: readonly string[]): Promise<Set<string>> {
  const { rows } = await tx.query<{ id: string }>(sql`
    select id from webhook_requests where account_id = ${accountId} and id = any(${webhookIds}::uuid[])
    union all select id from webhook_samples where account_id = ${accountId} and id = any(${webhookIds}::uuid[])`)
  return new Set(rows.map((row) => row.id))
}

/** Requests that had been given up before their retry ended well are done after all. */
export async function markRetried(tx: Queryable, retries: readonly EndedRun[]): Promise<void> {
  const done = retries.flatMap(({ accountId, webhookIds, runNumber }) =>
    (webhookIds ?? []).map((webhookId) => ({ accountId, webhookId, runNumber })),
  )
  await tx.query(sql`
    update webhook_history h set status = 'Done', run_number = d.run_number, error_message = null, left_at = clock_timestamp(), is_given_up = false
    from unnest(${done.map(({ webhookId }) => webhookId)}::uuid[], ${done.map(({ accountId }) => accountId)}::uuid[],
      ${done.map(({ runNumber }) => runNumber)}::integer[]) as d (webhook_id, account_id, run_number)
    where h.webhook_id = d.webhook_id and h.account_id = d.account_id and h.status = 'Skipped'`)
}
