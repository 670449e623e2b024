import { type Queryable, sql } from '../../db/index.ts'

export type Progress = {
  answer:
    | {
        statusCode: number
        headers: [string, string][]
        /** Null: the result of the run. */
        body: string | null
        runId: string | null
        /** For senders that repeat their delivery. */
        isKept: boolean
      }
    | undefined
  /** It waits, or a run or a check has it. */
  isQueued: boolean
  /** Nothing of the workflow starts by itself. */
  isPaused: boolean
}

/** What became of a request, at one moment. */
export async function findProgress(db: Queryable, webhookId: string): Promise<Progress> {
  const { rows } = await db.query<{
    status_code: number | null
    headers: [string, string][]
    body: string | null
    run_id: string | null
    is_kept: boolean
    queue_status: string | null
    is_paused: boolean
  }>(sql`
    select a.status_code, a.headers, a.body, a.run_id, coalesce(octet_length(a.body) <= 65536, false) as is_kept, q.status as queue_status,
      coalesce(w.is_auto_run_paused or h.is_held, false) as is_paused
    from (select ${webhookId}::uuid as id) r left join webhook_answers a on a.webhook_id = r.id
    left join webhook_queue q on q.webhook_id = r.id left join workflows w on w.id = q.workflow_id left join webhooks h on h.workflow_id = w.id`)
  const row = rows[0]
  const isQueued = row?.queue_status != null
  return {
    answer:
      row?.status_code == null
        ? undefined
        : { statusCode: row.status_code, headers: row.headers, body: row.body, runId: row.run_id, isKept: row.is_kept },
    isQueued,
    isPaused: isQueued && row.is_paused && row.queue_status !== 'Processing',
  }
}
