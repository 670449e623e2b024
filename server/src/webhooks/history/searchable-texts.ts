// What can be searched of webhook requests: their payloads.
import type { RunStatusName } from '@patchbay/contract'
import { DamagedContentError } from '../../contents/index.ts'
import { type Queryable, sql } from '../../db/index.ts'
import type { KeyRing } from '../../secrets/index.ts'
import { openRequest, payloadText } from '../request/request-record.ts'

export type WebhookText = { webhookId: string; accountId: string; workflowId: string; at: Date; text: string }

export async function sizeWebhookTexts(db: Queryable, ids: readonly string[]): Promise<{ id: string; size: number }[]> {
  const { rows } = await db.query<{ id: string; size: number }>(
    sql`select id, octet_length(sealed_request) + content_bytes(sealed_request) as size from webhook_requests where id = any(${ids}::uuid[])`,
  )
  return rows
}

export async function loadWebhookTexts(
  db: Queryable,
  keyRing: KeyRing,
  ids: readonly string[],
): Promise<WebhookText[]> {
  const { rows } = await db.query<{
    id: string
    account_id: string
    workflow_id: string
    created_at: Date
    sealed_request: Buffer
  }>(
    sql`select id, account_id, workflow_id, created_at, sealed_request from webhook_requests where id = any(${ids}::uuid[])`,
  )
  const texts = await Promise.all(
    rows.map(async (row) => {
      const stored = { id: row.id, accountId: row.account_id, sealedRequest: row.sealed_request }
      const request = await openRequest(keyRing, 'webhook_requests', stored).catch((error) => {
        // One that is damaged is left out, so that the others are found.
        if (error instanceof DamagedContentError) return undefined
        throw error
      })
      if (!request) return []
      const text = payloadText(request)
      return { webhookId: row.id, accountId: row.account_id, workflowId: row.workflow_id, at: row.created_at, text }
    }),
  )
  return texts.flat()
}

/** The run that took each request, and how it ended, where there is one. Requests that are kept no longer are left out. */
export async function findWebhookOutcomes(
  db: Queryable,
  ids: readonly string[],
): Promise<Map<string, { runNumber: number | null; status: RunStatusName | null }>> {
  if (ids.length === 0) return new Map()
  const { rows } = await db.query<{ id: string; run_number: number | null; status: RunStatusName | null }>(sql`
    select w.id, taken.run_number, r.status from webhook_requests w
    left join lateral (
      select h.run_number from webhook_history h where h.webhook_id = w.id
      union all select q.run_number from webhook_queue q where q.webhook_id = w.id limit 1
    ) taken on true
    left join runs r on r.workflow_id = w.workflow_id and r.run_number = taken.run_number
    where w.id = any(${ids}::uuid[])`)
  return new Map(rows.map((row) => [row.id, { runNumber: row.run_number, status: row.status }]))
}
