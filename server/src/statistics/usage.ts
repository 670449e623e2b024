import type { AnswerOf, BodyOf, Operations } from '@patchbay/contract'
import { accountsInReach, type Principal, reachOf } from '../access/index.ts'
import { type Database, type Sql, sql } from '../db/index.ts'
import { invalid } from '../lib/app-error.ts'
import { readBuckets } from './range.ts'

export type UsageItem = AnswerOf<Operations['Usage']>['items'][number]

/** A hundred accounts for a thousand days, or a thousand accounts for three months. */
const itemsMax = 100_000

export async function getUsage(
  { database }: { database: Database },
  principal: Principal,
  body: BodyOf<Operations['Usage']>,
): Promise<UsageItem[]> {
  const edges = readBuckets(body).map((edge) => new Date(edge))
  const inReach = accountsInReach(reachOf(principal, body.acrossAccounts))
  const { rows } = await database.system.query<UsageRow>(selectUsage(edges, inReach))
  if (rows.length > itemsMax)
    throw invalid(`The answer would have more than ${itemsMax} items. Choose a shorter range or a larger bucket.`)
  return rows.map(toItem)
}

type UsageRow = {
  account_id: string
  email: string
  starts_at: Date
  runs: number
  blocks: number
  calls: number
  webhooks: number
  mails: number
  script_ms: number
  stored_bytes: number
}

function selectUsage(edges: readonly Date[], inReach: Sql): Sql {
  return sql`
    with buckets as (
      select (starts_at at time zone 'utc')::date as first_day, (ends_at at time zone 'utc')::date as end_day, starts_at
      from unnest(${edges.slice(0, -1)}::timestamptz[], ${edges.slice(1)}::timestamptz[]) as b (starts_at, ends_at)
    ), in_reach as (
      select a.id, a.email from accounts a where ${inReach}
    ), used as (
      select u.account_id, u.day, u.runs, u.blocks, u.calls, u.webhooks, u.mails, u.script_ms, u.stored_bytes
      from in_reach a join usage_days u on u.account_id = a.id
      where u.day >= (select min(first_day) from buckets) and u.day < (select max(end_day) from buckets)
      union all
      select d.account_id, (d.minute at time zone 'utc')::date, d.runs, d.blocks, d.calls, d.webhooks, d.mails, d.script_ms, null
      from in_reach a join activity_deltas d on d.account_id = a.id
    ), sums as (
      select u.account_id, b.starts_at, b.end_day, sum(u.runs)::bigint as runs, sum(u.blocks)::bigint as blocks, sum(u.calls)::bigint as calls,
        sum(u.webhooks)::bigint as webhooks, sum(u.mails)::bigint as mails, sum(u.script_ms)::bigint as script_ms
      from used u join buckets b on u.day >= b.first_day and u.day < b.end_day
      group by 1, 2, 3
    )
    select s.account_id, a.email, s.starts_at, s.runs, s.blocks, s.calls, s.webhooks, s.mails, s.script_ms, coalesce(m.stored_bytes, 0) as stored_bytes
    from sums s join in_reach a on a.id = s.account_id
    left join lateral (
      select u.stored_bytes from usage_days u
      where u.account_id = s.account_id and u.day < s.end_day and u.stored_bytes is not null order by u.day desc limit 1
    ) m on true
    order by s.starts_at, a.email limit ${itemsMax + 1}`
}

function toItem(row: UsageRow): UsageItem {
  return {
    accountId: row.account_id,
    email: row.email,
    startDateTimeUTC: row.starts_at.toISOString(),
    runs: row.runs,
    blocks: row.blocks,
    calls: row.calls,
    webhooks: row.webhooks,
    mails: row.mails,
    scriptMs: row.script_ms,
    storedBytes: row.stored_bytes,
  }
}
