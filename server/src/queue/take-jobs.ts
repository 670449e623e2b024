// Taking jobs in ways that the queue library does not know: by turns over groups, however many there are. The same columns are set as it sets.
import { randomUUID } from 'node:crypto'
import { type Queryable, rawStatement } from '../db/index.ts'
import { schema } from './install-queues.ts'
import { preparedStatement } from './prepared-statement.ts'

const waiting = "state < 'active' and not blocked"

export type TakenJob = { id: string; retry_count: number; group_id: string | null }

/** The ids come as one array, so that no estimate can make the server go through the whole queue for every job. */
const take = (chosen: string) => `
  with chosen as materialized (${chosen})
  update ${schema}.job_common j set state = 'active', started_on = ${schema}.job_now(), heartbeat_on = ${schema}.job_now(),
    is_woken = false, retry_count = case when started_on is not null then retry_count + 1 else retry_count end
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

/** Hops from group to group in the index: its cost follows the number of groups, not of jobs. Of each group, a few jobs are counted. */
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
  select group_id, extract(epoch from ${schema}.job_now() - created_on)::float8 * 1000 as waited_ms, (
    select count(*) from (
      select from ${schema}.job_common j where j.name = $1 and ${waiting} and j.group_id = g.group_id limit $3
    ) few
  )::integer as count from g limit $2`

/** Backwards in the index of the oldest, so its cost follows the number of new jobs. All have the same priority. */
const newestText = `
  select group_id, extract(epoch from ${schema}.job_now() - created_on)::float8 * 1000 as waited_ms from ${schema}.job_common
  where name = $1 and ${waiting} and priority = 0 and group_id is not null and created_on > ${schema}.job_now() - $2 * interval '1 ms'
  order by created_on desc limit $3`

const due = `${waiting} and start_after <= ${schema}.job_now()`

/** Groups that wait, from a place on, as far as is worth looking. */
const groupsFrom = (name: string, place: string) => `${name} as (
      (select group_id from ${schema}.job_common where name = $1 and ${due} and group_id > ${place} order by group_id limit 1)
      union all
      select n.group_id from ${name} cross join lateral (
        select group_id from ${schema}.job_common where name = $1 and ${due} and group_id > ${name}.group_id order by group_id limit 1
      ) n
    )`

/**
 * Groups are accounts here: one account of each organization before the second of any, in no order in which a long row could be ahead, and of
 * each no more than it may have in hand. Jobs without an account are from before there were turns.
 */
const inTurnsText = `
  with chosen as materialized (
    with recursive ${groupsFrom('later', '$6::text')}, ${groupsFrom('all_groups', "''")},
    g as ((select group_id from later limit 500) union (select group_id from all_groups limit 500)),
    busy as (
      select * from unnest($4::text[], $5::integer[]) as b (group_id, count)
    ), open as (
      select g.group_id, $3::integer - coalesce(b.count, 0) as room,
        row_number() over (partition by a.organization_id order by random()) as place
      from g left join busy b using (group_id) left join patchbay.accounts a on a.id = g.group_id::uuid
      where coalesce(b.count, 0) < $3::integer
    ), picked as (
      select group_id, room, place from open order by place, random() limit $2
    ), early as (
      select id from ${schema}.job_common
      where name = $1 and ${due} and group_id is null
      order by created_on limit $2 for update skip locked
    ), grouped as (
      select o.id from picked p cross join lateral (
        select id from ${schema}.job_common
        where name = $1 and group_id = p.group_id and ${due}
        order by created_on limit p.room for update skip locked
      ) o order by p.place
    )
    (select id from early) union all (select id from grouped) limit $2
  )
  update ${schema}.job_common j set state = 'active', started_on = ${schema}.job_now(), heartbeat_on = ${schema}.job_now(),
    is_woken = false, retry_count = case when started_on is not null then retry_count + 1 else retry_count end
  where name = $1 and id = any (array(select id from chosen))
  returning j.id, j.retry_count, j.group_id, j.data`

export type Turns = {
  count: number
  /** Of one account, in hand in this process. */
  perAccount: number
  inHand: Iterable<{ groupId: string | null }>
}

export async function takeInTurns(
  db: Queryable,
  queue: string,
  { count, perAccount, inHand }: Turns,
): Promise<(TakenJob & { data: unknown })[]> {
  const busy = new Map<string, number>()
  for (const { groupId } of inHand) if (groupId !== null) busy.set(groupId, (busy.get(groupId) ?? 0) + 1)
  const values = [queue, count, perAccount, [...busy.keys()], [...busy.values()], randomUUID()]
  return (await db.query<TakenJob & { data: unknown }>(preparedStatement(inTurnsText, values))).rows
}

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

export type WaitingGroup = {
  groupId: string
  /** Of its oldest job. */
  waitedMs: number
  /** How many of its jobs wait, `countMax` at most. */
  count: number
}

export async function listWaitingGroups(
  db: Queryable,
  queue: string,
  { groupsMax, countMax }: { groupsMax: number; countMax: number },
): Promise<WaitingGroup[]> {
  const { rows } = await db.query<{ group_id: string; waited_ms: number; count: number }>(
    rawStatement(groupsText, [queue, groupsMax, countMax]),
  )
  return rows.map(({ group_id, waited_ms, count }) => ({ groupId: group_id, waitedMs: waited_ms, count }))
}

/** Groups of the jobs that were filed last, each with what of it is among them. */
export async function listNewestGroups(
  db: Queryable,
  queue: string,
  { withinMs, jobsMax }: { withinMs: number; jobsMax: number },
): Promise<WaitingGroup[]> {
  const { rows } = await db.query<{ group_id: string; waited_ms: number }>(
    preparedStatement(newestText, [queue, withinMs, jobsMax]),
  )
  return [...Map.groupBy(rows, ({ group_id }) => group_id)].map(([groupId, jobs]) => ({
    groupId,
    waitedMs: Math.max(...jobs.map(({ waited_ms }) => waited_ms)),
    count: jobs.length,
  }))
}
