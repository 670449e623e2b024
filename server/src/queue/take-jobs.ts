// Taking jobs in ways that the queue library does not know: by turns over groups, however many there are. The same columns are set as it sets.
import { type Queryable, rawStatement } from '../db/index.ts'
import { schema } from './install-queues.ts'
import { preparedStatement } from './prepared-statement.ts'

const waiting = "state < 'active' and not blocked"

export type TakenJob = { id: string; retry_count: number; group_id: string | null }

/** The ids come as one array, so that no estimate can make the server go through the whole queue for every job. */
const take = (chosen: string) => `
  with chosen as materialized (${chosen})
  update ${schema}.job_common j set state = 'active', started_on = ${schema}.job_now(), heartbeat_on = ${schema}.job_now(),
    retry_count = case when started_on is not null then retry_count + 1 else retry_count end
  where name = $1 and id = any (array(select id from chosen))
  returning j.id, j.retry_count, j.group_id`

// When a job may start is not looked at: those of queues that are taken from here may always, and a clock that was set back must not hold them up.
const oldestText = take(`
  select id from ${schema}.job_common where name = $1 and ${waiting} order by priority desc, created_on limit $2 for update skip locked`)

const ofGroupsText = take(`
  select o.id from unnest($2::text[], $3::integer[]) as g (group_id, count) cross join lateral (
    select id from ${schema}.job_common where name = $1 and group_id = g.group_id and ${waiting}
    order by created_on limit g.count for update skip locked
  ) o`)

/** Hops from group to group in the index: its cost follows the number of groups, not of jobs. */
const groupsText = `
  with recursive g as (
    (select group_id, created_on from ${schema}.job_common where name = $1 and ${waiting} and group_id is not null
     order by group_id, created_on limit 1)
    union all
    select n.group_id, n.created_on from g cross join lateral (
      select group_id, created_on from ${schema}.job_common where name = $1 and ${waiting} and group_id > g.group_id
      order by group_id, created_on limit 1
    ) n
  )
  select group_id, extract(epoch from ${schema}.job_now() - created_on)::float8 * 1000 as waited_ms from g limit $2`

export async function takeOldest(db: Queryable, queue: string, count: number): Promise<TakenJob[]> {
  return (await db.query<TakenJob>(preparedStatement(oldestText, [queue, count]))).rows
}

export async function takeOfGroups(
  db: Queryable,
  queue: string,
  takes: readonly { groupId: string; count: number }[],
): Promise<TakenJob[]> {
  const values = [queue, takes.map(({ groupId }) => groupId), takes.map(({ count }) => count)]
  return (await db.query<TakenJob>(preparedStatement(ofGroupsText, values))).rows
}

export type WaitingGroup = { groupId: string; waitedMs: number }

export async function listWaitingGroups(db: Queryable, queue: string, max: number): Promise<WaitingGroup[]> {
  const { rows } = await db.query<{ group_id: string; waited_ms: number }>(rawStatement(groupsText, [queue, max]))
  return rows.map(({ group_id, waited_ms }) => ({ groupId: group_id, waitedMs: waited_ms }))
}
