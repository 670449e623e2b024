// Jobs that nobody can go on with for now: they wait for a time, or until somebody wakes them. Nobody who takes jobs comes across them.
import type { Queryable } from '../db/index.ts'
import { isClaimed, type JobClaim } from './job.ts'
import { preparedStatement } from './prepared-statement.ts'

/** A job that was woken while somebody worked on it is not put aside: whoever takes it next finds what it was woken for. */
const parkText = `
  update patchbay.jobs set state = case when is_woken then 'waiting' else 'parked' end, is_woken = false,
    queued_at = now(), due_at = case when is_woken then null else $4::timestamptz end
  where ${isClaimed} and state = 'active'
  returning id, state = 'parked' as is_parked`

/** The state is not looked at before the row is locked: somebody may be taking or parking the job at this moment. */
const wakeText = `
  with woken as materialized (
    select id from patchbay.jobs where queue = $1 and id = any ($2::uuid[]) order by id for update
  )
  update patchbay.jobs set is_woken = state = 'active', state = case state when 'parked' then 'waiting' else state end,
    queued_at = case state when 'parked' then now() else queued_at end, due_at = null
  where queue = $1 and id = any (array(select id from woken))`

/** In the order in which they are due, which is their place among those that wait. */
const dueText = `
  with due as materialized (
    select queue, id from patchbay.jobs where state = 'parked' and not is_held and due_at is not null and due_at <= now()
    order by due_at limit $1 for update skip locked
  ), called as (
    update patchbay.jobs j set state = 'waiting', queued_at = j.due_at, due_at = null
    from due d where j.queue = d.queue and j.id = d.id returning j.queue
  )
  select queue, count(*)::integer as count from called group by queue`

const nextText = `
  select extract(epoch from due_at)::float8 * 1000 as due_ms, extract(epoch from clock_timestamp())::float8 * 1000 as now_ms
  from (select min(due_at) as due_at from patchbay.jobs where state = 'parked' and not is_held and due_at is not null) next`

/** Returns the ids of the jobs that were still the caller's, and whether all of them were put aside. */
export async function parkJobs(
  tx: Queryable,
  queue: string,
  claims: readonly JobClaim[],
  dueAt: Date | null,
): Promise<{ ids: Set<string>; areAllParked: boolean }> {
  const values = [queue, claims.map(({ id }) => id), claims.map(({ attempt }) => attempt), dueAt]
  const { rows } = await tx.query<{ id: string; is_parked: boolean }>(preparedStatement(parkText, values))
  return { ids: new Set(rows.map(({ id }) => id)), areAllParked: rows.every(({ is_parked }) => is_parked) }
}

export async function wakeJobs(tx: Queryable, queue: string, ids: readonly string[]): Promise<void> {
  await tx.query(preparedStatement(wakeText, [queue, ids]))
}

const lockText = 'select from patchbay.jobs where queue = $1 and id = any ($2::uuid[]) order by id for update'

export async function lockJobs(tx: Queryable, queue: string, ids: readonly string[]): Promise<void> {
  await tx.query(preparedStatement(lockText, [queue, ids]))
}

/** Jobs whose time has come may be taken from now on. Says of which queues, and how many in all. */
export async function callDueJobs(db: Queryable, max: number): Promise<{ queues: string[]; count: number }> {
  const { rows } = await db.query<{ queue: string; count: number }>(preparedStatement(dueText, [max]))
  return { queues: rows.map(({ queue }) => queue), count: rows.reduce((sum, { count }) => sum + count, 0) }
}

/** When the next one is due, and what time it is, by the clock of the database. */
export async function findNextDue(db: Queryable): Promise<{ dueMs: number | null; nowMs: number }> {
  const { rows } = await db.query<{ due_ms: number | null; now_ms: number }>(preparedStatement(nextText, []))
  return { dueMs: rows[0]?.due_ms ?? null, nowMs: rows[0]?.now_ms ?? 0 }
}
