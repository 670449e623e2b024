import type { EventName } from '@patchbay/contract'
import { type Queryable, sql, type Tx } from '../db/index.ts'
import { newId } from '../lib/id.ts'
import type { NewEvent } from './event.ts'

/** Those of one account and type that happen within this time are told in one mail. */
const gathered: Partial<Record<EventName, { seconds: number; subject(count: number): string }>> = {
  'webhook.givenUp': { seconds: 10, subject: (count) => `Patchbay gave up on ${count} webhook requests` },
}

export async function insertEvents(tx: Queryable, events: readonly NewEvent[]): Promise<void> {
  const timestamp = new Date().toISOString()
  await tx.query(sql`
    insert into events (id, account_id, type, payload, mail_subject, mail_text, mails_owner, mail_after)
    select e.id, e.account_id, e.type, e.payload, e.mail_subject, e.mail_text,
      -- What the owner wants now counts, not what it wants when the mail is written a moment later.
      e.mails_owner and not exists (select from notification_settings n where n.account_id = e.account_id and not n.failure_mail),
      case when e.mail_subject is null then null else now() + e.gathered * interval '1 second' end
    from unnest(
      ${events.map(() => newId())}::uuid[],
      ${events.map(({ accountId }) => accountId)}::uuid[],
      ${events.map(({ type }) => type)}::text[],
      ${events.map(({ accountId, type, data }) => JSON.stringify({ type, timestamp, data: { accountId, ...data } }))}::text[],
      ${events.map(({ mail }) => mail?.subject ?? null)}::text[],
      ${events.map(({ mail }) => mail?.text.replaceAll('\0', '') ?? null)}::text[],
      ${events.map(({ mail }) => !mail?.isOwnerMailed)}::boolean[],
      ${events.map(({ type }) => gathered[type]?.seconds ?? 0)}::integer[]
    ) as e (id, account_id, type, payload, mail_subject, mail_text, mails_owner, gathered)`)
}

export type MailedEvent = {
  id: string
  accountId: string
  type: EventName
  subject: string
  text: string
  mailsOwner: boolean
}

/** Events that nobody has handed on yet, locked; the ids of those that were found. */
export async function takeUndelivered(tx: Queryable, limit: number): Promise<string[]> {
  const { rows } = await tx.query<{ id: string }>(sql`
    select id from events where not is_delivered order by id limit ${limit} for update skip locked`)
  return rows.map(({ id }) => id)
}

/** Mails that are due, locked, and with each all that is told together with it. */
export async function takeMails(tx: Tx, limit: number): Promise<MailedEvent[]> {
  const { rows } = await tx.query<{
    id: string
    account_id: string
    type: EventName
    mail_subject: string
    mail_text: string
    mails_owner: boolean
  }>(sql`
    with due as (select id, account_id, type from events where mail_after <= now() order by id limit ${limit})
    select e.id, e.account_id, e.type, e.mail_subject, e.mail_text, e.mails_owner from events e
    where e.mail_subject is not null and (
      e.id in (select id from due)
      or (e.type = any(${Object.keys(gathered)}::text[]) and (e.account_id, e.type) in (select account_id, type from due)))
    order by e.id for update skip locked`)
  return rows.map((row) => ({
    id: row.id,
    accountId: row.account_id,
    type: row.type,
    subject: row.mail_subject,
    text: row.mail_text,
    mailsOwner: row.mails_owner,
  }))
}

/** What is told together, in one mail. */
export function isGathered(type: EventName): boolean {
  return gathered[type] !== undefined
}

/** The subject of a mail about several of a kind; undefined for what is never told together. */
export function subjectOfSeveral(type: EventName, count: number): string | undefined {
  return gathered[type]?.subject(count)
}

export async function markDelivered(tx: Queryable, ids: readonly string[]): Promise<void> {
  await tx.query(sql`
    with over as (delete from events where id = any(${ids}::uuid[]) and mail_subject is null)
    update events set is_delivered = true where id = any(${ids}::uuid[]) and mail_subject is not null`)
}

export async function markMailed(tx: Queryable, ids: readonly string[]): Promise<void> {
  await tx.query(sql`
    with over as (delete from events where id = any(${ids}::uuid[]) and is_delivered)
    update events set mail_subject = null, mail_after = null where id = any(${ids}::uuid[]) and not is_delivered`)
}

// Who may act for an account: its creator as DevPartner, and every SuperPartner and Manager of its organization.
export const actsFor = sql`o.organization_id = a.organization_id and o.id <> a.id and o.state = 'active'
  and (o.role in ('SuperPartner', 'Manager') or (o.role = 'DevPartner' and a.created_by = o.id))`

/** A delivery for every active subscription that wants the event: the account's own, and those of whoever may act for it. */
export async function insertDeliveries(tx: Queryable, eventIds: readonly string[]): Promise<void> {
  await tx.query(sql`
    insert into event_deliveries (id, account_id, organization_id, subscription_id, event, payload)
    select gen_random_uuid(), s.account_id, s.organization_id, s.id, s.type, s.payload
    from (
      select s.id, s.account_id, a.organization_id, s.events, s.is_active, e.type, e.payload
      from events e join accounts a on a.id = e.account_id
      join event_subscriptions s on s.account_id = a.id and s.scope = 'account'
      where e.id = any(${eventIds}::uuid[])
      union all
      select s.id, s.account_id, a.organization_id, s.events, s.is_active, e.type, e.payload
      from events e join accounts a on a.id = e.account_id join event_subscriptions s on s.scope = 'managed'
      join accounts o on o.id = s.account_id and ${actsFor}
      where e.id = any(${eventIds}::uuid[])
    ) s
    where s.is_active and (s.events = '{}' or s.type = any(s.events))`)
}

export type Recipient = { accountId: string; email: string; isOwner: boolean; ownerEmail: string }

/** Who may be mailed about an account: its owner, and those who act for it and want mails. */
export async function listRecipients(tx: Queryable, accountId: string): Promise<Recipient[]> {
  const { rows } = await tx.query<{ id: string; email: string; is_owner: boolean; owner_email: string }>(sql`
    select a.id, a.email, true as is_owner, a.email as owner_email
    from accounts a where a.id = ${accountId}
    union all
    select o.id, o.email, false, a.email
    from accounts a join notification_settings n on n.managed_failure_mail join accounts o on o.id = n.account_id and ${actsFor}
    where a.id = ${accountId}`)
  return rows.map((row) => ({
    accountId: row.id,
    email: row.email,
    isOwner: row.is_owner,
    ownerEmail: row.owner_email,
  }))
}
