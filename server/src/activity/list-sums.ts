import { type Queryable, rawStatement } from '../db/index.ts'
import { type ActivityScope, sumTables, type TierName } from './sums-store.ts'

export type ActivitySum = {
  startsAt: Date
  ready: number
  error: number
  stopped: number
  webhooks: number
  durations: Buffer | null
}

/** Sums of all scopes together, in no order: those that are kept, and what was counted since they were last added up. */
export async function listSums(
  db: Queryable,
  tier: TierName,
  scopes: readonly ActivityScope[],
  range: { from: Date; to: Date },
): Promise<ActivitySum[]> {
  const ids = (kind: ActivityScope['kind']) => scopes.filter((scope) => scope.kind === kind).map((one) => one.scopeId)
  const values = [
    scopes.map(({ kind }) => kind),
    scopes.map(({ scopeId }) => scopeId),
    range.from,
    range.to,
    ids('workflow'),
    ids('account'),
    ids('managed'),
    ids('organization'),
  ]
  const { rows } = await db.query<{
    starts_at: Date
    ready: number
    error: number
    stopped: number
    webhooks: number
    durations: Buffer | null
  }>(
    rawStatement(
      `select s.starts_at, s.ready, s.error, s.stopped, s.webhooks, s.durations
      from unnest($1::text[], $2::uuid[]) as w (kind, scope_id)
      join ${sumTables[tier]} s on s.scope_id = w.scope_id and s.kind = w.kind and s.starts_at >= $3 and s.starts_at < $4
      union all
      select d.minute, d.ready, d.error, d.stopped, d.webhooks, d.durations
      from activity_deltas d join accounts a on a.id = d.account_id
      where d.minute >= $3 and d.minute < $4
        and (d.workflow_id = any($5) or d.account_id = any($6) or a.created_by = any($7) or a.organization_id = any($8))`,
      values,
    ),
  )
  return rows.map((row) => ({ ...row, startsAt: row.starts_at }))
}

/** Whether anything was counted in a range of which the minutes are gone. */
export async function hasHours(db: Queryable, scopes: readonly ActivityScope[], range: { from: Date; to: Date }) {
  const sums = await listSums(db, 'hours', scopes, range)
  return sums.length > 0
}
