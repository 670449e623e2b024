// Jobs that nobody can go on with for now: they wait for a time, or until somebody wakes them. Nobody who takes jobs comes across them.
import type { Queryable } from '../db/index.ts'
import { schema } from './install-queues.ts'
import type { JobClaim } from './job.ts'
import { preparedStatement } from './prepared-statement.ts'

/** A job that was woken while somebody worked on it is not put aside: whoever takes it next finds what it was woken for. */
const parkText = `
  update ${schema}.job_common j set state = 'retry', heartbeat_on = null, is_woken = false,
    blocked = not is_woken, parked_until = case when is_woken then null else coalesce($4::timestamptz, 'infinity') end
  from unnest($2::uuid[], $3::integer[]) as c (id, attempt)
  where j.name = $1 and j.id = c.id and j.retry_count = c.attempt and j.state = 'active'
  returning j.id, j.blocked as is_parked`

/** The state is not looked at before the row is locked: somebody may be taking or parking the job at this moment. */
const wakeText = `
  update ${schema}.job_common set is_woken = state = 'active', blocked = blocked and parked_until is null,
    created_on = case when parked_until is null then created_on else ${schema}.job_now() end, parked_until = null
  where name = $1 and id = any ($2::uuid[])`

const dueText = `
  with due as materialized (
    select id from ${schema}.job_common where parked_until <= ${schema}.job_now() order by parked_until limit 1000 for update skip locked
  ), called as (
    update ${schema}.job_common set blocked = false, created_on = parked_until, parked_until = null where id = any (array(select id from due)) returning name
  )
  select distinct name from called`

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
  await tx.query(preparedStatement(wakeText, [queue, ids.toSorted()]))
}

/** Jobs whose time has come may be taken from now on. Returns the names of their queues. */
export async function callDueJobs(db: Queryable): Promise<string[]> {
  return (await db.query<{ name: string }>(preparedStatement(dueText, []))).rows.map(({ name }) => name)
}
