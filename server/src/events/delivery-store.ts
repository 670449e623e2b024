import { type Queryable, sql } from '../db/index.ts'

export type Delivery = {
  id: string
  accountId: string
  organizationId: string
  subscriptionId: string
  url: string
  sealedSecret: Buffer
  payload: string
  /** This one included. */
  attempts: number
  isWanted: boolean
}

export type Shares = {
  /** Deliveries in all, and of one organization and one account at once. */
  total: number
  perOrganization: number
  perAccount: number
}

/** What this process has in hand, by account and by organization. */
export type InHand = { accounts: ReadonlyMap<string, number>; organizations: ReadonlyMap<string, number> }

type Claim = { free: number; inHand: InHand; shares: Shares; leaseMs: number }

/**
 * Takes what is due, organizations with the least in hand first and no more of anybody than its share. What is taken is due again after the
 * lease, in case its worker dies. The index is jumped through from account to account, so the length of one's queue does not matter.
 */
export async function claimDeliveries(db: Queryable, { free, inHand, shares, leaseMs }: Claim) {
  const { rows } = await db.query<{
    id: string
    account_id: string
    organization_id: string
    subscription_id: string
    url: string
    sealed_secret: Buffer
    payload: string
    attempts: number
    is_active: boolean
  }>(sql`
    with recursive waiting as (
      (select account_id from event_deliveries order by account_id limit 1)
      union all
      select (select d.account_id from event_deliveries d where d.account_id > w.account_id order by d.account_id limit 1)
      from waiting w where w.account_id is not null
    ), held_of_account as (
      select * from unnest(${[...inHand.accounts.keys()]}::uuid[], ${[...inHand.accounts.values()]}::integer[]) as h (account_id, count)
    ), held_of_organization as (
      select * from unnest(${[...inHand.organizations.keys()]}::uuid[], ${[...inHand.organizations.values()]}::integer[]) as h (organization_id, count)
    ), ready as materialized (
      select d.id, d.organization_id, d.due_at from waiting w left join held_of_account h on h.account_id = w.account_id
      cross join lateral (
        select id, organization_id, due_at from event_deliveries
        where account_id = w.account_id and due_at <= now()
        order by due_at limit greatest(0, ${shares.perAccount}::integer - coalesce(h.count, 0)) for update skip locked
      ) d
    ), ranked as (
      select r.id, r.due_at,
        row_number() over (partition by r.organization_id order by r.due_at) + coalesce(h.count, 0) as turn
      from ready r left join held_of_organization h on h.organization_id = r.organization_id
    ), chosen as (
      select id from ranked where turn <= ${shares.perOrganization}::integer order by turn, due_at limit ${free}::integer
    )
    update event_deliveries d set attempts = d.attempts + 1, due_at = now() + ${leaseMs}::integer * interval '1 millisecond'
    from chosen c, event_subscriptions s where d.id = c.id and s.id = d.subscription_id
    returning d.id, d.account_id, d.organization_id, d.subscription_id, s.url, s.sealed_secret, d.payload, d.attempts, s.is_active`)
  return rows.map(
    (row): Delivery => ({
      id: row.id,
      accountId: row.account_id,
      organizationId: row.organization_id,
      subscriptionId: row.subscription_id,
      url: row.url,
      sealedSecret: row.sealed_secret,
      payload: row.payload,
      attempts: row.attempts,
      isWanted: row.is_active,
    }),
  )
}

export async function deleteDelivery(db: Queryable, id: string): Promise<void> {
  await db.query(sql`delete from event_deliveries where id = ${id}`)
}

/** `againInMs` is null when it is over. */
export async function settleDelivery(
  db: Queryable,
  delivery: Delivery,
  outcome: { error: string | null; againInMs: number | null; deactivates: boolean },
): Promise<void> {
  await db.query(sql`
    with gone as (
      delete from event_deliveries where id = ${delivery.id} and ${outcome.againInMs}::float8 is null
    ), waiting as (
      update event_deliveries set due_at = now() + ${outcome.againInMs}::float8 * interval '1 millisecond'
      where id = ${delivery.id} and ${outcome.againInMs}::float8 is not null
    )
    update event_subscriptions set last_error = ${outcome.error},
      last_delivered_at = case when ${outcome.error}::text is null then now() else last_delivered_at end,
      is_active = is_active and not ${outcome.deactivates}::boolean
    where id = ${delivery.subscriptionId}`)
}
