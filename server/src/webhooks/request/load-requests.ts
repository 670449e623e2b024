import { DamagedContentError } from '../../contents/index.ts'
import { type Database, isAway, type Queryable, sql } from '../../db/index.ts'
import { GroupCommit } from '../../lib/group-commit.ts'
import type { JsonText } from '../../lib/json-text.ts'
import type { KeyRing } from '../../secrets/index.ts'
import type { RecentRequests } from './recent-requests.ts'
import {
  openRequest,
  type ReceivedRequest,
  type RequestTable,
  toWebhookValue,
  type WebhookValue,
} from './request-record.ts'

/** Text where it is large. */
export type LoadedWebhook = WebhookValue | JsonText

export type StoredWebhook = {
  id: string
  accountId: string
  workflowId: string
  createdAt: Date
  table: RequestTable
  sealedRequest: Buffer
}

type StoredRow = { id: string; account_id: string; workflow_id: string; created_at: Date; sealed_request: Buffer }

/** Requests of the account among the ids, those that came in development included. */
export async function findStored(db: Queryable, accountId: string, ids: readonly string[]): Promise<StoredWebhook[]> {
  const { rows } = await db.query<StoredRow>(sql`
    select id, account_id, workflow_id, created_at, sealed_request
    from webhook_requests where account_id = ${accountId} and id = any(${ids}::uuid[])`)
  const requests = rows.map((row) => toStored('webhook_requests', row))
  if (requests.length === ids.length) return requests
  const samples = await db.query<StoredRow>(sql`
    select id, account_id, workflow_id, created_at, sealed_request
    from webhook_samples where account_id = ${accountId} and id = any(${ids}::uuid[])`)
  return [...requests, ...samples.rows.map((row) => toStored('webhook_samples', row))]
}

function toStored(table: RequestTable, row: StoredRow): StoredWebhook {
  return {
    id: row.id,
    accountId: row.account_id,
    workflowId: row.workflow_id,
    createdAt: row.created_at,
    table,
    sealedRequest: row.sealed_request,
  }
}

export function openStored(keyRing: KeyRing, stored: StoredWebhook): Promise<ReceivedRequest> {
  return openRequest(keyRing, stored.table, stored)
}

/** To find its lane: what is damaged has no value at any key. */
export function openForLane(
  keyRing: KeyRing,
  stored: StoredWebhook,
): Promise<Pick<ReceivedRequest, 'body' | 'headers'>> {
  return openStored(keyRing, stored).catch((error) => {
    if (!(error instanceof DamagedContentError)) throw error
    return { body: Buffer.alloc(0), headers: {} }
  })
}

/** In the order of the ids; what is not stored any more is left out. */
export async function loadWebhooks(
  deps: { database: Database; keyRing: KeyRing },
  accountId: string,
  ids: readonly string[],
): Promise<LoadedWebhook[]> {
  return openInOrder(deps.keyRing, accountId, ids, await findStored(deps.database.system, accountId, ids))
}

/** For runs, which begin by the dozen: those that begin in the same moment read their requests together, unless they are remembered. */
export function createLoader(deps: { database: Database; keyRing: KeyRing; recent: RecentRequests }) {
  type Wanted = { accountId: string; ids: readonly string[] }
  const group = new GroupCommit<Wanted, StoredWebhook[]>(
    async (wanted) => {
      const accounts = Map.groupBy(wanted, ({ accountId }) => accountId)
      const found = await Promise.all(
        [...accounts].map(([accountId, ofAccount]) =>
          findStored(
            deps.database.system,
            accountId,
            ofAccount.flatMap(({ ids }) => ids),
          ),
        ),
      )
      const byId = new Map(found.flat().map((one) => [one.id, one]))
      return wanted.map(({ ids }) => ids.flatMap((id) => byId.get(id) ?? []))
    },
    { batchesAtOnce: 2, itemsMax: 64, weight: { of: ({ ids }) => ids.length, max: 100 }, isShared: isAway },
  )
  return async (accountId: string, ids: readonly string[]): Promise<LoadedWebhook[]> => {
    const remembered = ids.map((id) => deps.recent.take(id))
    if (remembered.every((request) => request !== undefined))
      return Promise.all(remembered.map((request, index) => toWebhookValue(accountId, ids[index] as string, request)))
    return openInOrder(deps.keyRing, accountId, ids, await group.add({ accountId, ids }))
  }
}

function openInOrder(
  keyRing: KeyRing,
  accountId: string,
  ids: readonly string[],
  stored: readonly StoredWebhook[],
): Promise<LoadedWebhook[]> {
  const byId = new Map(stored.map((one) => [one.id, one]))
  const found = ids.flatMap((id) => byId.get(id) ?? [])
  return Promise.all(found.map(async (one) => toWebhookValue(accountId, one.id, await openStored(keyRing, one))))
}
