import type { EventName, EventScope } from '@patchbay/contract'
import { type Queryable, sql } from '../db/index.ts'

type SubscriptionRow = {
  id: string
  scope: EventScope
  url: string
  events: EventName[]
  is_active: boolean
  last_delivered_at: Date | null
  last_error: string | null
  created_at: Date
}

export async function listSubscriptions(db: Queryable, accountId: string, scope: EventScope) {
  const { rows } = await db.query<SubscriptionRow>(sql`
    select id, scope, url, events, is_active, last_delivered_at, last_error, created_at from event_subscriptions
    where account_id = ${accountId} and scope = ${scope} order by created_at, id`)
  return rows.map((row) => ({
    id: row.id,
    scope: row.scope,
    url: row.url,
    events: row.events,
    isActive: row.is_active,
    lastDeliveryDateTimeUTC: row.last_delivered_at?.toISOString() ?? null,
    lastError: row.last_error,
    createDateTimeUTC: row.created_at.toISOString(),
  }))
}

export async function countSubscriptions(db: Queryable, accountId: string): Promise<number> {
  const { rows } = await db.query<{ n: number }>(
    sql`select count(*)::integer as n from event_subscriptions where account_id = ${accountId}`,
  )
  return rows[0]?.n ?? 0
}

export type NewSubscription = {
  id: string
  accountId: string
  scope: EventScope
  url: string
  events: EventName[]
  sealedSecret: Buffer
}

export async function insertSubscription(tx: Queryable, subscription: NewSubscription): Promise<void> {
  const { id, accountId, scope, url, events, sealedSecret } = subscription
  await tx.query(sql`
    insert into event_subscriptions (id, account_id, scope, url, events, sealed_secret)
    values (${id}, ${accountId}, ${scope}, ${url}, ${events}, ${sealedSecret})`)
}

export type SubscriptionChange = { url?: string; events?: EventName[]; isActive?: boolean }

export async function updateSubscription(
  tx: Queryable,
  accountId: string,
  id: string,
  change: SubscriptionChange,
): Promise<boolean> {
  const { rowCount } = await tx.query(sql`
    update event_subscriptions set url = coalesce(${change.url ?? null}, url), events = coalesce(${change.events ?? null}::text[], events),
      is_active = coalesce(${change.isActive ?? null}::boolean, is_active), modified_at = now()
    where account_id = ${accountId} and id = ${id}`)
  return rowCount > 0
}

export async function deleteSubscription(tx: Queryable, accountId: string, id: string): Promise<boolean> {
  const { rowCount } = await tx.query(
    sql`delete from event_subscriptions where account_id = ${accountId} and id = ${id}`,
  )
  return rowCount > 0
}
