import { type Queryable, rawStatement } from '../db/index.ts'
import { type ActivityScope, sumTables, type TierName, tierMs } from './sums-store.ts'

export type BucketSum = {
  /** Which of the ranges between the edges it is, from 0. */
  bucket: number
  ready: number
  error: number
  stopped: number
  webhooks: number
  /** The packed durations of all rows, one after the other. */
  durations: Buffer | null
}

/** Which rows to read, so that none of them lies across an edge between two buckets. */
export type SumsPlan = {
  edges: Date[]
  /** The hours that an edge cuts: these are read from rows of the finer tier, all others as hours. */
  cutHours: Date[]
  finer: Exclude<TierName, 'hours'>
}

/**
 * A day in a zone of half hours begins in the middle of an hour of UTC. Reading that hour alone in quarters, and the others whole, takes
 * as few rows as in a zone of full hours.
 */
export function planSums(edges: readonly number[]): SumsPlan {
  const cutting = edges.filter((edge) => edge % tierMs.hours !== 0)
  const cutHours = new Set(cutting.map((edge) => Math.floor(edge / tierMs.hours) * tierMs.hours))
  return {
    edges: edges.map((edge) => new Date(edge)),
    cutHours: [...cutHours].map((moment) => new Date(moment)),
    finer: cutting.every((edge) => edge % tierMs.quarters === 0) ? 'quarters' : 'minutes',
  }
}

/**
 * Sums of all scopes together, of the buckets that have any: those that are kept, and what was counted since they were last added up. The
 * database adds up, because a year has nine thousand hours and handing them over would take longer than reading them.
 */
export async function listSums(
  db: Queryable,
  scopes: readonly ActivityScope[],
  { edges, cutHours, finer }: SumsPlan,
): Promise<BucketSum[]> {
  const ids = (kind: ActivityScope['kind']) => scopes.filter((scope) => scope.kind === kind).map((one) => one.scopeId)
  const values = [
    scopes.map(({ kind }) => kind),
    scopes.map(({ scopeId }) => scopeId),
    edges[0],
    edges.at(-1),
    ids('workflow'),
    ids('account'),
    ids('managed'),
    ids('organization'),
    cutHours,
    edges,
  ]
  const { rows } = await db.query<BucketSum>(
    rawStatement(
      `with found as (
        select s.starts_at, s.ready, s.error, s.stopped, s.webhooks, s.durations
        from unnest($1::text[], $2::uuid[]) as w (kind, scope_id)
        join ${sumTables.hours} s on s.scope_id = w.scope_id and s.kind = w.kind and s.starts_at >= $3 and s.starts_at < $4
        where not exists (select from unnest($9::timestamptz[]) as cut (hour) where cut.hour = s.starts_at)
        union all
        select s.starts_at, s.ready, s.error, s.stopped, s.webhooks, s.durations
        from unnest($1::text[], $2::uuid[]) as w (kind, scope_id) cross join unnest($9::timestamptz[]) as cut (hour)
        join ${sumTables[finer]} s on s.scope_id = w.scope_id and s.kind = w.kind
          and s.starts_at >= greatest(cut.hour, $3) and s.starts_at < least(cut.hour + interval '1 hour', $4)
        union all
        select d.minute, d.ready, d.error, d.stopped, d.webhooks, d.durations
        from activity_deltas d join accounts a on a.id = d.account_id
        where d.minute >= $3 and d.minute < $4
          and (d.workflow_id = any($5) or d.account_id = any($6) or a.created_by = any($7) or a.organization_id = any($8))
      )
      select width_bucket(starts_at, $10::timestamptz[]) - 1 as bucket, sum(ready)::bigint as ready, sum(error)::bigint as error,
        sum(stopped)::bigint as stopped, sum(webhooks)::bigint as webhooks, string_agg(durations, '') as durations
      from found group by 1`,
      values,
    ),
  )
  return rows
}

/** Whether anything was counted in a range of which the minutes are gone. */
export async function hasHours(db: Queryable, scopes: readonly ActivityScope[], range: { from: Date; to: Date }) {
  const sums = await listSums(db, scopes, { edges: [range.from, range.to], cutHours: [], finer: 'quarters' })
  return sums.length > 0
}
