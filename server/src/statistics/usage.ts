import type { AnswerOf, BodyOf, Operations } from '@patchbay/contract'
import { accountName, accountsInReach, type Principal, reachOf } from '../access/index.ts'
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
  const edges = readBuckets(body)
  const range = { from: dayOf(edges[0] as number), to: dayOf(edges.at(-1) as number) }
  const inReach = accountsInReach(reachOf(principal, body.acrossAccounts))
  const db = database.system
  const [used, stored] = await Promise.all([
    db.query<UsageRow>(selectUsage(body.bucket, range, inReach)),
    db.query<{ account_id: string; stored_bytes: number }>(selectStoredBefore(range.from, inReach)),
  ])
  if (used.rows.length > itemsMax)
    throw invalid(`The answer would have more than ${itemsMax} items. Choose a shorter range or a larger bucket.`)
  // What was measured stays so until it is measured again.
  const bytesOf = new Map(stored.rows.map((row) => [row.account_id, row.stored_bytes]))
  return used.rows.map((row) => {
    if (row.stored_bytes !== null) bytesOf.set(row.account_id, row.stored_bytes)
    return toItem(row, bytesOf.get(row.account_id) ?? 0)
  })
}

type UsageRow = {
  account_id: string
  account_name: string
  email: string
  starts_at: Date
  runs: number
  blocks: number
  calls: number
  webhooks: number
  mails: number
  script_ms: number
  /** As last measured in the bucket. */
  stored_bytes: number | null
}

function dayOf(moment: number): string {
  return new Date(moment).toISOString().slice(0, 10)
}

/** In order of time. */
function selectUsage(bucket: 'day' | 'month', range: { from: string; to: string }, inReach: Sql): Sql {
  return sql`
    with used as (
      select u.account_id, u.day, u.runs, u.blocks, u.calls, u.webhooks, u.mails, u.script_ms, u.stored_bytes
      from accounts a join usage_days u on u.account_id = a.id where ${inReach} and u.day >= ${range.from}::date and u.day < ${range.to}::date
      union all
      select d.account_id, (d.minute at time zone 'utc')::date, d.runs, d.blocks, d.calls, d.webhooks, d.mails, d.script_ms, null
      from accounts a join activity_deltas d on d.account_id = a.id
      where ${inReach} and d.minute >= ${`${range.from}T00:00:00Z`}::timestamptz and d.minute < ${`${range.to}T00:00:00Z`}::timestamptz
    ), sums as (
      select account_id, date_trunc(${bucket}, day::timestamp) at time zone 'utc' as starts_at, sum(runs)::bigint as runs, sum(blocks)::bigint as blocks,
        sum(calls)::bigint as calls, sum(webhooks)::bigint as webhooks, sum(mails)::bigint as mails, sum(script_ms)::bigint as script_ms,
        (array_agg(stored_bytes order by day desc) filter (where stored_bytes is not null))[1] as stored_bytes
      from used group by 1, 2
    )
    select s.*, ${accountName} as account_name, a.email from sums s join accounts a on a.id = s.account_id order by s.starts_at, a.email limit ${itemsMax + 1}`
}

function selectStoredBefore(day: string, inReach: Sql): Sql {
  return sql`
    select a.id as account_id, m.stored_bytes from accounts a cross join lateral (
      select u.stored_bytes from usage_days u
      where u.account_id = a.id and u.day < ${day}::date and u.stored_bytes is not null order by u.day desc limit 1
    ) m where ${inReach}`
}

function toItem(row: UsageRow, storedBytes: number): UsageItem {
  return {
    accountId: row.account_id,
    accountName: row.account_name,
    email: row.email,
    startDateTimeUTC: row.starts_at.toISOString(),
    runs: row.runs,
    blocks: row.blocks,
    calls: row.calls,
    webhooks: row.webhooks,
    mails: row.mails,
    scriptMs: row.script_ms,
    storedBytes,
  }
}
