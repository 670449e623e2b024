import type { EventName } from '@patchbay/contract'
import { type Queryable, sql } from '../db/index.ts'

type SubscriptionRow = {
  id: string
  url: string
  events: EventName[]
  is_active: boolean
  last_delivered_at: Date | null
  last_error: string | null
  created_at: Date
}

export async function listSubscriptions(db: Queryable, accountId: string) {
  const { rows } = await db.query<SubscriptionRow>(sql`
    select id, url, events, is_active, last_delivered_at, last_error, created_at from event_subscriptions
    where account_id = ${accountId} order by created_at, id`)
  return rows.map((row) => ({
    id: row.id,
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

export type NewSubscription = { id: string; accountId: string; url: string; events: EventName[]; sealedSecret: Buffer }

export async function insertSubscription(tx: Queryable, subscription: NewSubscription): Promise<void> {
  const { id, accountId, url, events, sealedSecret } = subscription
  await tx.query(sql`
    insert into event_subscriptions (id, account_id, url, events, sealed_secret) values (${id}, ${accountId}, ${url}, ${events}, ${sealedSecret})`)
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

/** A delivery for every active subscription of the account that wants the event; returns their ids. */
export async function insertDeliveries(
  tx: Queryable,
  accountId: string,
  event: EventName,
  payload: string,
): Promise<string[]> {
  const { rows } = await tx.query<{ id: string }>(sql`
    insert into event_deliveries (id, account_id, subscription_id, event, payload)
    select gen_random_uuid(), account_id, id, ${event}, ${payload} from event_subscriptions
    where account_id = ${accountId} and is_active and (events = '{}' or ${event} = any(events))
    returning id`)
  return rows.map((row) => row.id)
}

export type Delivery = {
  id: string
  accountId: string
  subscriptionId: string
  url: string
  sealedSecret: Buffer
  payload: string
}

/** Undefined when it was delivered or its subscription is gone or inactive. */
export async function findDelivery(db: Queryable, id: string): Promise<Delivery | undefined> {
  const { rows } = await db.query<{
    id: string
    account_id: string
    subscription_id: string
    url: string
    sealed_secret: Buffer
    payload: string
  }>(sql`
    select d.id, d.account_id, d.subscription_id, s.url, s.sealed_secret, d.payload
    from event_deliveries d join event_subscriptions s on s.id = d.subscription_id where d.id = ${id} and s.is_active`)
  const row = rows[0]
  return (
    row && {
      id: row.id,
      accountId: row.account_id,
      subscriptionId: row.subscription_id,
      url: row.url,
      sealedSecret: row.sealed_secret,
      payload: row.payload,
    }
  )
}

export async function settleDelivery(
  db: Queryable,
  delivery: Delivery,
  outcome: { isOver: boolean; error: string | null; deactivates: boolean },
): Promise<void> {
  await db.query(sql`
    with gone as (
      delete from event_deliveries where id = ${delivery.id} and ${outcome.isOver}
    )
    update event_subscriptions set last_error = ${outcome.error},
      last_delivered_at = case when ${outcome.error}::text is null then now() else last_delivered_at end,
      is_active = is_active and not ${outcome.deactivates}::boolean
    where id = ${delivery.subscriptionId}`)
}

export async function wantsFailureMail(db: Queryable, accountId: string): Promise<boolean> {
  const { rows } = await db.query<{ failure_mail: boolean }>(
    sql`select failure_mail from notification_settings where account_id = ${accountId}`,
  )
  return rows[0]?.failure_mail ?? true
}

export async function setFailureMail(tx: Queryable, accountId: string, isWanted: boolean): Promise<void> {
  await tx.query(sql`
    insert into notification_settings (account_id, failure_mail) values (${accountId}, ${isWanted})
    on conflict (account_id) do update set failure_mail = excluded.failure_mail`)
}

export async function findEmail(db: Queryable, accountId: string): Promise<string | undefined> {
  const { rows } = await db.query<{ email: string }>(sql`select email from accounts where id = ${accountId}`)
  return rows[0]?.email
}
