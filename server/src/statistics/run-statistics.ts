import type { AnswerOf, BodyOf, Operations } from '@patchbay/contract'
import { accountsInReach, type Principal, type Reach, reachOf, scopeOf } from '../access/index.ts'
import {
  type ActivityScope,
  countPacked,
  type DurationCounts,
  hasHours,
  listSums,
  minuteDaysKept,
  noDurations,
  percentileOf,
  planSums,
  tierMs,
} from '../activity/index.ts'
import { type Database, type Queryable, sql } from '../db/index.ts'
import { invalid, notFound } from '../lib/app-error.ts'
import { readBuckets } from './range.ts'

type Answer = AnswerOf<Operations['RunStatistics']>
type Sums = { ready: number; error: number; stopped: number; webhooks: number; durations: DurationCounts }

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
  const plan = planSums(edges)
  if (plan.cutHours.length > 0 && plan.finer === 'minutes') {
    const range = { from: new Date(edges[0] as number), to: new Date(edges.at(-1) as number) }
    await refuseForgotten(db, scopes, range)
  }
  const buckets = edges.slice(0, -1).map(noSums)
  const total = noSums()
  for (const { bucket, durations, ...counts } of await listSums(db, scopes, plan)) {
    const sums = buckets[bucket] as Sums
    Object.assign(sums, counts)
    addCounts(total, counts)
    countPacked(sums.durations, durations)
    countPacked(total.durations, durations)
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
  return { ready: 0, error: 0, stopped: 0, webhooks: 0, durations: noDurations() }
}

function addCounts(sums: Sums, more: Omit<Sums, 'durations'>): void {
  sums.ready += more.ready
  sums.error += more.error
  sums.stopped += more.stopped
  sums.webhooks += more.webhooks
}

function toAnswer({ durations, ...counts }: Sums) {
  return { ...counts, p50Ms: percentileOf(durations, 0.5), p95Ms: percentileOf(durations, 0.95) }
}
