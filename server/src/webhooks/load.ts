import { type Database, type Queryable, sql } from '../db/index.ts'
import type { KeyRing } from '../secrets/index.ts'
import {
  openRequest,
  type ReceivedRequest,
  type RequestTable,
  toWebhookValue,
  type WebhookValue,
} from './request-record.ts'

export type StoredWebhook = {
  id: string
  accountId: string
  workflowId: string
  createdAt: Date
  table: RequestTable
  sealedRequest: Buffer
}

/** Requests of the account among the ids, those that came in development included. */
export async function findStored(db: Queryable, accountId: string, ids: readonly string[]): Promise<StoredWebhook[]> {
  const { rows } = await db.query<{
    id: string
    account_id: string
    workflow_id: string
    created_at: Date
    table_name: RequestTable
    sealed_request: Buffer
  }>(sql`
    select id, account_id, workflow_id, created_at, 'webhook_requests' as table_name, sealed_request
    from webhook_requests where account_id = ${accountId} and id = any(${ids}::uuid[])
    union all
    select id, account_id, workflow_id, created_at, 'webhook_samples', sealed_request
    from webhook_samples where account_id = ${accountId} and id = any(${ids}::uuid[])`)
  return rows.map((row) => ({
    id: row.id,
    accountId: row.account_id,
    workflowId: row.workflow_id,
    createdAt: row.created_at,
    table: row.table_name,
    sealedRequest: row.sealed_request,
  }))
}

export function openStored(keyRing: KeyRing, stored: StoredWebhook): Promise<ReceivedRequest> {
  return openRequest(keyRing, stored.table, stored)
}

/** In the order of the ids; what is not stored any more is left out. */
export async function loadWebhooks(
  deps: { database: Database; keyRing: KeyRing },
  accountId: string,
  ids: readonly string[],
): Promise<WebhookValue[]> {
  const stored = await findStored(deps.database.system, accountId, ids)
  const byId = new Map(stored.map((one) => [one.id, one]))
  const found = ids.flatMap((id) => byId.get(id) ?? [])
  return Promise.all(found.map(async (one) => toWebhookValue(one.id, await openStored(deps.keyRing, one))))
}
