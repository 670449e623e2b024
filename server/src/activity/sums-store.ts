import { type Queryable, rawStatement, sql } from '../db/index.ts'

/** What sums are kept for. `managed`: the accounts that an account created. */
export type ScopeKind = 'workflow' | 'account' | 'managed' | 'organization'
export type ActivityScope = { kind: ScopeKind; scopeId: string }

export type TierName = 'minutes' | 'quarters' | 'hours'
export const sumTables: Record<TierName, string> = {
  minutes: 'activity_minutes',
  quarters: 'activity_quarters',
  hours: 'activity_hours',
}
export const tierMs: Record<TierName, number> = { minutes: 60_000, quarters: 900_000, hours: 3_600_000 }

export type SumRow = ActivityScope & {
  accountId: string | null
  startsAt: Date
  ready: number
  error: number
  stopped: number
  webhooks: number
}

/** Adds to what is there. `merge` gives the durations of a row, from its own and those stored before. */
export async function upsertSums<Row extends SumRow>(
  tx: Queryable,
  tier: TierName,
  rows: readonly Row[],
  merge: (row: Row, before: Buffer | null) => Buffer | null,
): Promise<void> {
  if (rows.length === 0) return
  const keys = [rows.map((row) => row.kind), rows.map((row) => row.scopeId), rows.map((row) => row.startsAt)]
  const before = await tx.query<{ position: number; durations: Buffer | null }>(
    rawStatement(
      `
        select k.position::integer as position, s.durations
        from unnest($1::text[], $2::uuid[], $3::timestamptz[]) with ordinality as k (kind, scope_id, starts_at, position)
        join ${sumTables[tier]} s on s.scope_id = k.scope_id and s.kind = k.kind and s.starts_at = k.starts_at`,
      keys,
    ),
  )
  const stored = new Map(before.rows.map(({ position, durations }) => [position - 1, durations]))
  await tx.query(
    rawStatement(
      `
        insert into ${sumTables[tier]} as s (kind, scope_id, starts_at, account_id, ready, error, stopped, webhooks, durations)
        select kind, scope_id, starts_at, account_id, ready, error, stopped, webhooks, decode(durations, 'hex')
        from unnest($1::text[], $2::uuid[], $3::timestamptz[], $4::uuid[], $5::integer[], $6::integer[], $7::integer[], $8::integer[], $9::text[])
          as i (kind, scope_id, starts_at, account_id, ready, error, stopped, webhooks, durations)
        on conflict (scope_id, kind, starts_at) do update set ready = s.ready + excluded.ready, error = s.error + excluded.error,
          stopped = s.stopped + excluded.stopped, webhooks = s.webhooks + excluded.webhooks, durations = excluded.durations`,
      [
        ...keys,
        rows.map((row) => row.accountId),
        rows.map((row) => row.ready),
        rows.map((row) => row.error),
        rows.map((row) => row.stopped),
        rows.map((row) => row.webhooks),
        rows.map((row, index) => merge(row, stored.get(index) ?? null)?.toString('hex') ?? null),
      ],
    ),
  )
}

export type UsageRow = {
  accountId: string
  /** YYYY-MM-DD, in UTC. */
  day: string
  runs: number
  blocks: number
  calls: number
  webhooks: number
  mails: number
  scriptMs: number
}

export async function upsertUsage(tx: Queryable, rows: readonly UsageRow[]): Promise<void> {
  if (rows.length === 0) return
  await tx.query(sql`
    insert into usage_days as u (account_id, day, runs, blocks, calls, webhooks, mails, script_ms)
    select * from unnest(
      ${rows.map((row) => row.accountId)}::uuid[], ${rows.map((row) => row.day)}::date[], ${rows.map((row) => row.runs)}::integer[],
      ${rows.map((row) => row.blocks)}::integer[], ${rows.map((row) => row.calls)}::integer[], ${rows.map((row) => row.webhooks)}::integer[],
      ${rows.map((row) => row.mails)}::integer[], ${rows.map((row) => row.scriptMs)}::bigint[])
    on conflict (account_id, day) do update set runs = u.runs + excluded.runs, blocks = u.blocks + excluded.blocks,
      calls = u.calls + excluded.calls, webhooks = u.webhooks + excluded.webhooks, mails = u.mails + excluded.mails,
      script_ms = u.script_ms + excluded.script_ms`)
}
