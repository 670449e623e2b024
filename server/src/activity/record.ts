// Counting what happened, in the transaction in which it happens: so it is counted exactly once, or did not happen. Webhook requests are
// counted by the statement that stores them (webhooks/intake/store.ts), for the same reason.
import { type Queryable, sql } from '../db/index.ts'
import { addDuration, type Durations, packDurations } from './durations.ts'

/** As much of an ended run as is counted. */
export type CountedRun = {
  accountId: string
  workflowId: string
  processorType: 'Standard' | 'Debug'
  status: 'Ready' | 'Error' | 'Stopped'
  endedAt: Date
  /** From start to end, pauses excluded. */
  activeMs: number
  /** What was executed in this run; what it took over from an earlier one was counted there. */
  work: { blocks: number; calls: number; scriptMs: number }
}

type Delta = {
  accountId: string
  workflowId: string
  minute: number
  ready: number
  error: number
  stopped: number
  durations: Durations
  runs: number
  blocks: number
  calls: number
  scriptMs: number
  succeededAt: Date | null
}

const minuteMs = 60_000

/** Runs of one workflow that ended in one minute become one row. Debug runs cost something, but are no statistics. */
export async function countRuns(tx: Queryable, ended: readonly CountedRun[]): Promise<void> {
  if (ended.length === 0) return
  const deltas = [...sumUp(ended).values()]
  const bytes = deltas.map(({ durations }) => packDurations(durations)?.toString('hex') ?? null)
  await tx.query(sql`
    insert into activity_deltas (account_id, workflow_id, minute, ready, error, stopped, durations, runs, blocks, calls, script_ms, succeeded_at)
    select account_id, workflow_id, minute, ready, error, stopped, decode(durations, 'hex'), runs, blocks, calls, script_ms, succeeded_at
    from unnest(
      ${deltas.map(({ accountId }) => accountId)}::uuid[],
      ${deltas.map(({ workflowId }) => workflowId)}::uuid[],
      ${deltas.map(({ minute }) => new Date(minute))}::timestamptz[],
      ${deltas.map(({ ready }) => ready)}::integer[],
      ${deltas.map(({ error }) => error)}::integer[],
      ${deltas.map(({ stopped }) => stopped)}::integer[],
      ${bytes}::text[],
      ${deltas.map(({ runs }) => runs)}::integer[],
      ${deltas.map(({ blocks }) => blocks)}::integer[],
      ${deltas.map(({ calls }) => calls)}::integer[],
      ${deltas.map(({ scriptMs }) => scriptMs)}::bigint[],
      ${deltas.map(({ succeededAt }) => succeededAt)}::timestamptz[]
    ) as d (account_id, workflow_id, minute, ready, error, stopped, durations, runs, blocks, calls, script_ms, succeeded_at)`)
}

function sumUp(ended: readonly CountedRun[]): Map<string, Delta> {
  const deltas = new Map<string, Delta>()
  for (const run of ended) {
    const minute = Math.floor(run.endedAt.getTime() / minuteMs) * minuteMs
    const key = `${run.workflowId} ${minute}`
    const delta = deltas.get(key) ?? emptyDelta(run, minute)
    deltas.set(key, delta)
    delta.runs++
    delta.blocks += run.work.blocks
    delta.calls += run.work.calls
    delta.scriptMs += Math.round(run.work.scriptMs)
    if (run.processorType === 'Debug') continue
    if (run.status === 'Ready') {
      delta.ready++
      if (delta.succeededAt === null || run.endedAt > delta.succeededAt) delta.succeededAt = run.endedAt
    } else if (run.status === 'Error') delta.error++
    else delta.stopped++
    addDuration(delta.durations, run.activeMs)
  }
  return deltas
}

function emptyDelta({ accountId, workflowId }: CountedRun, minute: number): Delta {
  const counts = { ready: 0, error: 0, stopped: 0, runs: 0, blocks: 0, calls: 0, scriptMs: 0 }
  return { accountId, workflowId, minute, ...counts, durations: new Map(), succeededAt: null }
}

export async function countMail(tx: Queryable, accountId: string): Promise<void> {
  await tx.query(
    sql`insert into activity_deltas (account_id, minute, mails) values (${accountId}, date_trunc('minute', now()), 1)`,
  )
}
