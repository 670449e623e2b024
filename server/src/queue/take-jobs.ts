// Taking jobs: the oldest, or by turns over groups, however many there are. Parked jobs are in none of the indexes that this goes through.
import { randomUUID } from 'node:crypto'
import { type Queryable, rawStatement } from '../db/index.ts'
import { preparedStatement } from './prepared-statement.ts'

/** The condition of the partial indexes, word for word. */
const waiting = "state = 'waiting' and not is_held"

export type TakenJob = { id: string; attempt: number; group_id: string | null; data: unknown }

/** The ids come as one array, so that no estimate can make the server go through the whole queue for every job. */
const take = (chosen: string) => `
  with chosen as materialized (${chosen})
  update patchbay.jobs j set state = 'active', attempt = attempt + 1, taken_at = now(), heartbeat_at = now(), is_woken = false
  where queue = $1 and id = any (array(select id from chosen))
  returning j.id, j.attempt, j.group_id, j.data`

const oldestText = take(`
  select id from patchbay.jobs where queue = $1 and ${waiting} order by queued_at limit $2 for update skip locked`)

const ofGroupsText = take(`
  select o.id from unnest($2::uuid[], $3::integer[]) as g (group_id, count) cross join lateral (
    select id from patchbay.jobs where queue = $1 and group_id = g.group_id and ${waiting}
    order by queued_at limit g.count for update skip locked
  ) o`)

/** Hops from group to group in the index: its cost follows the number of groups, not of jobs. Of each group, a few jobs are counted. */
const groupsText = `
  with recursive g as (
    (select group_id, queued_at from patchbay.jobs where queue = $1 and ${waiting} and group_id is not null
     order by group_id, queued_at limit 1)
    union all
    select n.group_id, n.queued_at from g cross join lateral (
      select group_id, queued_at from patchbay.jobs where queue = $1 and ${waiting} and group_id > g.group_id
      order by group_id, queued_at limit 1
    ) n
  )
  select group_id, extract(epoch from now() - queued_at)::float8 * 1000 as waited_ms, (
    select count(*) from (
      select from patchbay.jobs j where j.queue = $1 and ${waiting} and j.group_id = g.group_id limit $3
    ) few
  )::integer as count from g limit $2`

/** Backwards in the index of the oldest, so its cost follows the number of new jobs. */
const newestText = `
  select group_id, extract(epoch from now() - queued_at)::float8 * 1000 as waited_ms from patchbay.jobs
  where queue = $1 and ${waiting} and group_id is not null and queued_at > now() - $2 * interval '1 ms'
  order by queued_at desc limit $3`

/** Groups that wait, from a place on, as far as is worth looking. */
const groupsFrom = (name: string, place: string) => `${name} as (
      (select group_id from patchbay.jobs where queue = $1 and ${waiting} and group_id > ${place} order by group_id limit 1)
      union all
      select n.group_id from ${name} cross join lateral (
        select group_id from patchbay.jobs where queue = $1 and ${waiting} and group_id > ${name}.group_id order by group_id limit 1
      ) n
    )`

/**
 * Groups are accounts here: one account of each organization before the second of any, in no order in which a long row could be ahead, and of
 * each no more than it may have in hand. Jobs without an account come first.
 */
const inTurnsText = take(`
    with recursive ${groupsFrom('later', '$6::uuid')}, ${groupsFrom('all_groups', "'00000000-0000-0000-0000-000000000000'::uuid")},
    g as ((select group_id from later limit 500) union (select group_id from all_groups limit 500)),
    busy as (
      select * from unnest($4::uuid[], $5::integer[]) as b (group_id, count)
    ), open as (
      select g.group_id, $3::integer - coalesce(b.count, 0) as room,
        row_number() over (partition by a.organization_id order by random()) as place
      from g left join busy b using (group_id) left join patchbay.accounts a on a.id = g.group_id
      where coalesce(b.count, 0) < $3::integer
    ), picked as (
      select group_id, room, place from open order by place, random() limit $2
    ), early as (
      select id from patchbay.jobs
      where queue = $1 and ${waiting} and group_id is null
      order by queued_at limit $2 for update skip locked
    ), grouped as (
      select o.id from picked p cross join lateral (
        select id from patchbay.jobs
        where queue = $1 and group_id = p.group_id and ${waiting}
        order by queued_at limit p.room for update skip locked
      ) o order by p.place
    )
    (select id from early) union all (select id from grouped) limit $2`)

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
): Promise<TakenJob[]> {
  const busy = new Map<string, number>()
  for (const { groupId } of inHand) if (groupId !== null) busy.set(groupId, (busy.get(groupId) ?? 0) + 1)
  const values = [queue, count, perAccount, [...busy.keys()], [...busy.values()], randomUUID()]
  return (await db.query<TakenJob>(preparedStatement(inTurnsText, values))).rows
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
