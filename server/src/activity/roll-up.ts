// Adds up what was counted: deltas -> minutes, quarters and hours of workflows, accounts and those above them, and days of use. One
// transaction moves a delta, so a reader who looks at both in one statement sees it exactly once.
import { type Database, type Queryable, sql, type Tx } from '../db/index.ts'
import { Recurring } from '../lib/recurring.ts'
import { addPacked, type Durations, packDurations } from './durations.ts'
import { type SumRow, sumTables, type TierName, tierMs, type UsageRow, upsertSums, upsertUsage } from './sums-store.ts'

const rollMs = 2_000
const deltasAtOnce = 5_000
/** Whoever holds it is the one that adds up. */
const rollLock = 7_230_118_480
/** Minutes are for looking at what happens now. */
export const minuteDaysKept = 35
const sweepMs = 10 * 60_000
const yearsSweepMs = 12 * 3_600_000

type DeltaRow = {
  account_id: string
  workflow_id: string | null
  minute: Date
  ready: number
  error: number
  stopped: number
  webhooks: number
  durations: Buffer | null
  runs: number
  blocks: number
  calls: number
  mails: number
  script_ms: number
  organization_id: string
  created_by: string | null
}

/** Sums of runs, and days of use. */
export type YearsKept = { statistics: number; usage: number }

export class ActivityRoller implements AsyncDisposable {
  readonly #database: Database
  readonly #rolling: Recurring
  readonly #sweeping: Recurring
  readonly #yearly: Recurring
  readonly #kept: YearsKept

  constructor(database: Database, kept: YearsKept, onFault: (error: unknown) => void) {
    this.#database = database
    this.#kept = kept
    this.#rolling = new Recurring(() => this.#rollAll(), { pauseMs: rollMs, onFault })
    this.#sweeping = new Recurring(() => this.#forgetMinutes(), { pauseMs: sweepMs, onFault })
    this.#yearly = new Recurring(() => this.forgetYears(), { pauseMs: yearsSweepMs, onFault })
  }

  start(): void {
    this.#rolling.start()
    this.#sweeping.start()
    this.#yearly.start()
  }

  /** These have no index on time, because they are asked for by whom they are about: so they are looked through rarely. */
  async forgetYears(): Promise<void> {
    const before = sql`now() - ${this.#kept.statistics}::integer * interval '1 year'`
    await this.#database.system.query(sql`delete from activity_quarters where starts_at < ${before}`)
    await this.#database.system.query(sql`delete from activity_hours where starts_at < ${before}`)
    await this.#database.system.query(
      sql`delete from usage_days where day < now() - ${this.#kept.usage}::integer * interval '1 year'`,
    )
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([this.#rolling, this.#sweeping, this.#yearly].map((work) => work[Symbol.asyncDispose]()))
  }

  async #rollAll(): Promise<void> {
    while (!this.#rolling.isStopping && (await this.#database.system.transaction(rollUp)) === deltasAtOnce);
  }

  async #forgetMinutes(): Promise<void> {
    await this.#database.system.query(
      sql`delete from activity_minutes where starts_at < now() - ${minuteDaysKept}::integer * interval '1 day'`,
    )
  }
}

/** How many deltas were added up; 0 also when another process is at it. */
async function rollUp(tx: Tx): Promise<number> {
  const { rows: turn } = await tx.query<{ is_mine: boolean }>(
    sql`select pg_try_advisory_xact_lock(${rollLock}) as is_mine`,
  )
  if (!turn[0]?.is_mine) return 0
  const deltas = await takeDeltas(tx)
  if (deltas.length === 0) return 0
  const tiers = Object.keys(sumTables) as TierName[]
  await Promise.all([
    ...tiers.map((tier) => addToTier(tx, tier, sumUp(deltas, tier))),
    upsertUsage(tx, sumUpUsage(deltas)),
  ])
  return deltas.length
}

async function takeDeltas(tx: Queryable): Promise<DeltaRow[]> {
  const { rows } = await tx.query<DeltaRow>(sql`
    with taken as (
      delete from activity_deltas where ctid = any(array(select ctid from activity_deltas limit ${deltasAtOnce})) returning *
    )
    select t.*, a.organization_id, a.created_by from taken t left join accounts a on a.id = t.account_id`)
  return rows
}

async function addToTier(tx: Tx, tier: TierName, sums: Map<string, SumRow & { histogram: Durations }>): Promise<void> {
  // Only the holder of the lock writes these rows: what is read here is still so when it is written.
  await upsertSums(tx, tier, [...sums.values()], (row, before) => {
    addPacked(row.histogram, before)
    return packDurations(row.histogram)
  })
}

function sumUp(deltas: readonly DeltaRow[], tier: TierName): Map<string, SumRow & { histogram: Durations }> {
  const sums = new Map<string, SumRow & { histogram: Durations }>()
  const sizeMs = tierMs[tier]
  for (const delta of deltas) {
    const startsAt = Math.floor(delta.minute.getTime() / sizeMs) * sizeMs
    if (delta.ready + delta.error + delta.stopped + delta.webhooks === 0) continue
    for (const scope of scopesOf(delta)) {
      const key = `${scope.kind} ${scope.scopeId} ${startsAt}`
      const none = { ready: 0, error: 0, stopped: 0, webhooks: 0, histogram: new Map() }
      const sum = sums.get(key) ?? { ...scope, startsAt: new Date(startsAt), ...none }
      sums.set(key, sum)
      sum.ready += delta.ready
      sum.error += delta.error
      sum.stopped += delta.stopped
      sum.webhooks += delta.webhooks
      addPacked(sum.histogram, delta.durations)
    }
  }
  return sums
}

/** None for an account that is gone. */
function scopesOf(delta: DeltaRow): Pick<SumRow, 'kind' | 'scopeId' | 'accountId'>[] {
  const { account_id: accountId, workflow_id: workflowId, organization_id: organizationId, created_by: creator } = delta
  if (organizationId === null) return []
  return [
    ...(workflowId === null ? [] : [{ kind: 'workflow' as const, scopeId: workflowId, accountId }]),
    { kind: 'account', scopeId: accountId, accountId },
    ...(creator === null ? [] : [{ kind: 'managed' as const, scopeId: creator, accountId: null }]),
    { kind: 'organization', scopeId: organizationId, accountId: null },
  ]
}

function sumUpUsage(deltas: readonly DeltaRow[]): UsageRow[] {
  const days = new Map<string, UsageRow>()
  for (const delta of deltas) {
    if (delta.organization_id === null) continue
    const day = delta.minute.toISOString().slice(0, 10)
    const key = `${delta.account_id} ${day}`
    const none = { runs: 0, blocks: 0, calls: 0, webhooks: 0, mails: 0, scriptMs: 0 }
    const sum = days.get(key) ?? { accountId: delta.account_id, day, ...none }
    days.set(key, sum)
    sum.runs += delta.runs
    sum.blocks += delta.blocks
    sum.calls += delta.calls
    sum.webhooks += delta.webhooks
    sum.mails += delta.mails
    sum.scriptMs += delta.script_ms
  }
  return [...days.values()]
}
