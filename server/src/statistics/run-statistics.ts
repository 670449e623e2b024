import type { AnswerOf, BodyOf, Operations } from '@patchbay/contract'
import { accountsInReach, type Principal, type Reach, reachOf, scopeOf } from '../access/index.ts'
import {
  type ActivityScope,
  addPacked,
  type Durations,
  hasHours,
  listSums,
  minuteDaysKept,
  percentileOf,
  type TierName,
  tierMs,
} from '../activity/index.ts'
import { type Database, type Queryable, sql } from '../db/index.ts'
import { invalid, notFound } from '../lib/app-error.ts'
import { readBuckets } from './range.ts'

type Answer = AnswerOf<Operations['RunStatistics']>
type Sums = { ready: number; error: number; stopped: number; webhooks: number; durations: Durations }

export async function getRunStatistics(
  { database }: { database: Database },
  principal: Principal,
  body: BodyOf<Operations['RunStatistics']>,
): Promise<Answer> {
  const edges = readBuckets(body)
  const reach = reachOf(principal, body.acrossAccounts)
  // Rows of several accounts are nobody's own: the conditions on them are those of the reach.
  const db = reach.kind === 'account' ? database.forScope(scopeOf(principal)) : database.system
  const scopes = await scopesOf(db, reach, body.workflowId)
  const range = { from: new Date(edges[0] as number), to: new Date(edges.at(-1) as number) }
  const tier = tierFor(edges)
  if (tier === 'minutes') await refuseForgotten(db, scopes, range)
  const buckets = edges.slice(0, -1).map(noSums)
  const total = noSums()
  for (const row of await listSums(db, tier, scopes, range)) {
    const bucket = buckets[bucketAt(edges, row.startsAt.getTime())] as Sums
    for (const sums of [bucket, total]) {
      sums.ready += row.ready
      sums.error += row.error
      sums.stopped += row.stopped
      sums.webhooks += row.webhooks
      addPacked(sums.durations, row.durations)
    }
  }
  return {
    buckets: buckets.map((sums, index) => ({
      startDateTimeUTC: new Date(edges[index] as number).toISOString(),
      ...toAnswer(sums),
    })),
    total: toAnswer(total),
  }
}

async function scopesOf(db: Queryable, reach: Reach, workflowId: string | undefined): Promise<ActivityScope[]> {
  if (workflowId !== undefined) {
    const { rowCount } = await db.query(sql`
      select from workflows w join accounts a on a.id = w.account_id where w.id = ${workflowId} and ${accountsInReach(reach)}`)
    if (rowCount === 0) throw notFound('workflow')
    return [{ kind: 'workflow', scopeId: workflowId }]
  }
  if (reach.kind === 'organization') return [{ kind: 'organization', scopeId: reach.organizationId }]
  const own: ActivityScope = { kind: 'account', scopeId: reach.accountId }
  return reach.kind === 'account' ? [own] : [own, { kind: 'managed', scopeId: reach.accountId }]
}

/** The largest rows that fit between the edges. */
function tierFor(edges: readonly number[]): TierName {
  const fits = (tier: TierName) => edges.every((edge) => edge % tierMs[tier] === 0)
  return fits('hours') ? 'hours' : fits('quarters') ? 'quarters' : 'minutes'
}

/** Zeros for minutes that are no longer known would be wrong, unless nothing happened in them. */
async function refuseForgotten(
  db: Queryable,
  scopes: readonly ActivityScope[],
  range: { from: Date; to: Date },
): Promise<void> {
  const keptFrom = new Date(Date.now() - minuteDaysKept * 86_400_000)
  if (range.from >= keptFrom) return
  const forgotten = {
    from: new Date(Math.floor(range.from.getTime() / tierMs.hours) * tierMs.hours),
    to: range.to < keptFrom ? range.to : keptFrom,
  }
  if (await hasHours(db, scopes, forgotten))
    throw invalid(`Minutes are kept for ${minuteDaysKept} days. Use the bucket hour or day for earlier ones.`)
}

function noSums(): Sums {
  return { ready: 0, error: 0, stopped: 0, webhooks: 0, durations: new Map() }
}

function bucketAt(edges: readonly number[], moment: number): number {
  let low = 0
  let high = edges.length - 1
  while (high - low > 1) {
    const middle = (low + high) >> 1
    if ((edges[middle] as number) <= moment) low = middle
    else high = middle
  }
  return low
}

function toAnswer({ durations, ...counts }: Sums) {
  return { ...counts, p50Ms: percentileOf(durations, 0.5), p95Ms: percentileOf(durations, 0.95) }
}
