import type { Reach } from '../access/index.ts'
import { type Database, type Queryable, sql } from '../db/index.ts'
import type { AccountPlace, StreamEvent } from './stream-event.ts'

/** Whoever writes events holds it until its commit: so they become visible in the order of their ids. */
const writeLock = 7_230_118_481
export const streamChannel = 'patchbay_stream'
/** What is said on the channel. */
export const news = { events: 'events', interest: 'interest' } as const

export type WaitingEvent = StreamEvent & { at: Date }

/** One transaction and one notice for all of them. */
export async function insertEvents(database: Database, events: readonly WaitingEvent[]): Promise<void> {
  const names = await findNames(database.system, events)
  const texts = events.map((event) => toText(event, names))
  await database.system.transaction(async (tx) => {
    await Promise.all([
      tx.query(sql`select pg_advisory_xact_lock(${writeLock})`),
      tx.query(sql`
        insert into stream_events (account_id, workflow_id, type, data, happened_at)
        select * from unnest(
          ${events.map(({ accountId }) => accountId)}::uuid[], ${events.map(({ workflowId }) => workflowId)}::uuid[],
          ${events.map(({ type }) => type)}::text[], ${texts}::text[], ${events.map(({ at }) => at)}::timestamptz[])`),
      tx.query(sql`select pg_notify(${streamChannel}, ${news.events})`),
    ])
  })
}

/** Of the workflows whose events do not name them. Those that were deleted meanwhile have none. */
async function findNames(db: Queryable, events: readonly WaitingEvent[]): Promise<Map<string, string>> {
  const unnamed = events.flatMap(({ workflowId, data }) => (workflowId && !('workflowName' in data) ? workflowId : []))
  if (unnamed.length === 0) return new Map()
  const { rows } = await db.query<{ id: string; name: string }>(
    sql`select id, name from workflows where id = any(${[...new Set(unnamed)]}::uuid[])`,
  )
  return new Map(rows.map(({ id, name }) => [id, name]))
}

function toText({ accountId, workflowId, data, at }: WaitingEvent, names: ReadonlyMap<string, string>): string {
  const workflowName = workflowId ? names.get(workflowId) : undefined
  return JSON.stringify({
    accountId,
    ...(workflowId && { workflowId }),
    ...(workflowName !== undefined && { workflowName }),
    ...data,
    timestamp: at.toISOString(),
  })
}

export type StoredEvent = {
  id: number
  accountId: string
  workflowId: string | null
  type: string
  data: string
  happenedAt: number
}

type EventRow = {
  id: number
  account_id: string
  workflow_id: string | null
  type: string
  data: string
  happened_at: Date
}

function toEvent(row: EventRow): StoredEvent {
  const { id, type, data } = row
  return {
    id,
    accountId: row.account_id,
    workflowId: row.workflow_id,
    type,
    data,
    happenedAt: row.happened_at.getTime(),
  }
}

/** In the order of their ids. */
export async function listEvents(db: Queryable, after: number, countMax: number): Promise<StoredEvent[]> {
  const { rows } = await db.query<EventRow>(sql`
    select id, account_id, workflow_id, type, data, happened_at from stream_events where id > ${after} order by id limit ${countMax}`)
  return rows.map(toEvent)
}

/** Those of the accounts in reach, for a reader who comes back. */
export async function listEventsInReach(
  db: Queryable,
  reach: Reach,
  range: { after: number; upTo: number; countMax: number },
): Promise<StoredEvent[]> {
  const organization = reach.organizationId
  const own = reach.kind === 'organization' ? null : reach.accountId
  const creator = reach.kind === 'created' ? reach.accountId : null
  const { rows } = await db.query<EventRow>(sql`
    select e.id, e.account_id, e.workflow_id, e.type, e.data, e.happened_at from stream_events e join accounts a on a.id = e.account_id
    where e.id > ${range.after} and e.id <= ${range.upTo} and a.organization_id = ${organization}
      and (${own}::uuid is null or a.id = ${own}::uuid or a.created_by = ${creator}::uuid)
    order by e.id limit ${range.countMax}`)
  return rows.map(toEvent)
}

/** The newest id there is; 0 without any. */
export async function findLastId(db: Queryable): Promise<number> {
  const { rows } = await db.query<{ last: number }>(sql`select coalesce(max(id), 0) as last from stream_events`)
  return rows[0]?.last ?? 0
}

export async function deleteOldEvents(db: Queryable, minutesKept: number): Promise<void> {
  await db.query(
    sql`delete from stream_events where created_at < now() - ${minutesKept}::integer * interval '1 minute'`,
  )
  await db.query(sql`delete from stream_interest where wanted_until < now()`)
}

export type Interest = { kind: Reach['kind']; scopeId: string }

export function interestOf(reach: Reach): Interest {
  return { kind: reach.kind, scopeId: reach.kind === 'organization' ? reach.organizationId : reach.accountId }
}

export async function upsertInterest(database: Database, wanted: readonly Interest[], minutes: number): Promise<void> {
  await database.system.transaction(async (tx) => {
    await Promise.all([
      tx.query(sql`
        insert into stream_interest (kind, scope_id, wanted_until)
        select kind, scope_id, now() + ${minutes}::integer * interval '1 minute'
        from unnest(${wanted.map(({ kind }) => kind)}::text[], ${wanted.map(({ scopeId }) => scopeId)}::uuid[]) as i (kind, scope_id)
        order by scope_id, kind
        on conflict (scope_id, kind) do update set wanted_until = excluded.wanted_until`),
      tx.query(sql`select pg_notify(${streamChannel}, ${news.interest})`),
    ])
  })
}

export async function listInterest(db: Queryable): Promise<Interest[]> {
  const { rows } = await db.query<{ kind: Interest['kind']; scope_id: string }>(
    sql`select kind, scope_id from stream_interest where wanted_until > now()`,
  )
  return rows.map((row) => ({ kind: row.kind, scopeId: row.scope_id }))
}

export async function listPlaces(db: Queryable, ids: readonly string[]): Promise<Map<string, AccountPlace>> {
  const { rows } = await db.query<{ id: string; organization_id: string; created_by: string | null }>(
    sql`select id, organization_id, created_by from accounts where id = any(${ids}::uuid[])`,
  )
  return new Map(rows.map((row) => [row.id, { organizationId: row.organization_id, createdBy: row.created_by }]))
}

/** Undefined when no workflow of an account in reach has this id. */
export async function findWorkflowInReach(db: Queryable, inReach: ReturnType<typeof sql>, workflowId: string) {
  const { rows } = await db.query<{ id: string }>(
    sql`select w.id from workflows w join accounts a on a.id = w.account_id where w.id = ${workflowId} and ${inReach}`,
  )
  return rows[0]?.id
}
