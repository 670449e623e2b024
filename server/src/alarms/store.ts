import type { ExpectationKind } from '@patchbay/contract'
import { accountsInReach, type Reach } from '../access/index.ts'
import { type Queryable, sql, when } from '../db/index.ts'
import type { Expectation } from './expectation.ts'

type ExpectationRow = {
  id: string
  account_id: string
  workflow_id: string
  kind: ExpectationKind
  unique_block_id: string | null
  hours: number | null
  items_min: number | null
  items_max: number | null
  is_met: boolean
  last_seen_at: Date
  has_been_seen: boolean
}

function toExpectation(row: ExpectationRow): Expectation {
  return {
    id: row.id,
    accountId: row.account_id,
    workflowId: row.workflow_id,
    kind: row.kind,
    uniqueBlockId: row.unique_block_id,
    hours: row.hours,
    min: row.items_min,
    max: row.items_max,
    isMet: row.is_met,
    lastSeenAt: row.last_seen_at,
    hasBeenSeen: row.has_been_seen,
  }
}

export async function listExpectations(db: Queryable, accountId: string, workflowId: string): Promise<Expectation[]> {
  const { rows } = await db.query<ExpectationRow>(
    sql`select * from expectations where account_id = ${accountId} and workflow_id = ${workflowId} order by position`,
  )
  return rows.map(toExpectation)
}

/** Locked, so that one process at a time judges a workflow. */
export async function lockExpectations(tx: Queryable, workflowId: string): Promise<Expectation[]> {
  const { rows } = await tx.query<ExpectationRow>(
    sql`select * from expectations where workflow_id = ${workflowId} order by id for update`,
  )
  return rows.map(toExpectation)
}

export async function deleteExpectations(tx: Queryable, ids: readonly string[]): Promise<void> {
  await tx.query(sql`delete from expectations where id = any(${ids}::uuid[])`)
}

export type NewExpectation = Pick<
  Expectation,
  'id' | 'accountId' | 'workflowId' | 'kind' | 'uniqueBlockId' | 'hours' | 'min' | 'max'
> & { position: number }

/** The last success or request that is known stands for what was seen before. */
export async function insertExpectation(tx: Queryable, one: NewExpectation): Promise<void> {
  await tx.query(sql`
    insert into expectations (id, account_id, workflow_id, kind, unique_block_id, hours, items_min, items_max, position, last_seen_at, has_been_seen)
    select ${one.id}, ${one.accountId}, ${one.workflowId}, ${one.kind}, ${one.uniqueBlockId}, ${one.hours}, ${one.min}, ${one.max}, ${one.position},
      coalesce(s.at, now()), s.at is not null
    from (select case ${one.kind}::text
      when 'succeedsWithin' then (select max(r.ended_at) from runs r where r.workflow_id = ${one.workflowId} and r.status = 'Ready' and r.processor_type = 'Standard')
      when 'receivesWithin' then last_request_at(${one.accountId}, ${one.workflowId})
    end as at) s`)
  if (one.kind !== 'usual') return
  await tx.query(sql`
    insert into item_samples (workflow_id, block_id, account_id, at, items)
    select r.workflow_id, b.block_id, r.account_id, r.ended_at, b.item_count
    from runs r join run_blocks b on b.run_id = r.id
    where r.workflow_id = ${one.workflowId} and r.status = 'Ready' and r.processor_type = 'Standard' and r.ended_at > now() - interval '30 days'
      and b.block_id = ${one.uniqueBlockId} and b.item_count is not null
      and not exists (select from item_samples s where s.workflow_id = r.workflow_id and s.block_id = b.block_id and s.at = r.ended_at)`)
}

export async function moveExpectation(tx: Queryable, id: string, position: number): Promise<void> {
  await tx.query(sql`update expectations set position = ${position} where id = ${id}`)
}

export async function setMet(tx: Queryable, id: string, isMet: boolean): Promise<void> {
  await tx.query(sql`update expectations set is_met = ${isMet} where id = ${id}`)
}

export type NewAlarm = { id: string; expectation: Expectation; message: string }

export async function insertAlarm(tx: Queryable, { id, expectation, message }: NewAlarm): Promise<void> {
  const { accountId, workflowId, kind, uniqueBlockId } = expectation
  await tx.query(sql`
    insert into alarms (id, account_id, workflow_id, expectation_id, kind, unique_block_id, message)
    values (${id}, ${accountId}, ${workflowId}, ${expectation.id}, ${kind}, ${uniqueBlockId}, ${message})`)
}

/** Undefined when none was open: dismissed alarms are not cleared a second time. */
export async function clearAlarm(tx: Queryable, expectationId: string) {
  const { rows } = await tx.query<{ id: string; message: string }>(sql`
    update alarms set is_open = false, cleared_at = clock_timestamp() where expectation_id = ${expectationId} and is_open returning id, message`)
  return rows[0]
}

export async function updateAlarm(
  tx: Queryable,
  accountId: string,
  id: string,
  action: 'acknowledge' | 'dismiss',
): Promise<{ workflowId: string } | undefined> {
  const { rows } = await tx.query<{ workflow_id: string }>(sql`
    update alarms set
      acknowledged_at = case when ${action} = 'acknowledge' and is_open then coalesce(acknowledged_at, clock_timestamp()) else acknowledged_at end,
      cleared_at = case when ${action} = 'dismiss' and is_open then clock_timestamp() else cleared_at end,
      is_open = is_open and ${action} <> 'dismiss'
    where account_id = ${accountId} and id = ${id} returning workflow_id`)
  return rows[0] && { workflowId: rows[0].workflow_id }
}

export async function listAlarmPage(
  db: Queryable,
  reach: Reach,
  query: { page: number; size: number; isOpen: boolean | undefined },
) {
  const matching = sql`from alarms l join accounts a on a.id = l.account_id join workflows w on w.id = l.workflow_id
    where ${accountsInReach(reach)} ${when(query.isOpen, (isOpen) => sql`and l.is_open = ${isOpen}`)}`
  const [page, count] = await Promise.all([
    db.query<{
      id: string
      account_id: string
      workflow_id: string
      name: string
      kind: ExpectationKind
      unique_block_id: string | null
      message: string
      is_open: boolean
      raised_at: Date
      acknowledged_at: Date | null
      cleared_at: Date | null
    }>(
      sql`select l.*, w.name ${matching} order by l.raised_at desc, l.id limit ${query.size} offset ${query.page * query.size}`,
    ),
    db.query<{ total: number }>(sql`select count(*) as total ${matching}`),
  ])
  const items = page.rows.map((row) => ({
    id: row.id,
    accountId: row.account_id,
    workflowId: row.workflow_id,
    workflowName: row.name,
    kind: row.kind,
    uniqueBlockId: row.unique_block_id,
    message: row.message,
    isOpen: row.is_open,
    raisedDateTimeUTC: row.raised_at.toISOString(),
    acknowledgedDateTimeUTC: row.acknowledged_at?.toISOString() ?? null,
    clearedDateTimeUTC: row.cleared_at?.toISOString() ?? null,
  }))
  return { items, total: count.rows[0]?.total ?? 0 }
}
