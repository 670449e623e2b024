// The weeks before: the API can only make what happens now, so the runs of the past are written where the service keeps them, each made
// after a run that really happened. They are counted and found by search as any other.
import { randomBytes } from 'node:crypto'
import { countRuns } from '../server/src/activity/index.ts'
import { type Database, sql, type Tx } from '../server/src/db/index.ts'
import type { Moment } from './moments.ts'

export type Past = {
  workflowId: string
  runBy: 'Webhook' | 'Scheduler'
  moments: readonly Moment[]
  /** Which of the model runs stands for the run at this place: 'Ready' or 'Error'. */
  statusAt: (index: number) => 'Ready' | 'Error'
  /** The number in the model's texts that becomes the one of each order. */
  orderNumbers?: { models: Record<'Ready' | 'Error', number>; first: number }
}

type Model = {
  id: string
  account_id: string
  status: 'Ready' | 'Error'
  took_ms: number
  blocks: number
  calls: number
  revision: number
}

type Made = {
  id: string
  modelId: string
  number: number
  at: Date
  stretch: number
  tookMs: number
  from: string
  to: string
  model: Model
}

export async function writePast(database: Database, pasts: readonly Past[]): Promise<number> {
  let count = 0
  for (const past of pasts) count += await database.system.transaction((tx) => writeRuns(tx, past))
  return count
}

async function writeRuns(tx: Tx, past: Past): Promise<number> {
  const { rows: models } = await tx.query<Model>(sql`
    select r.id, r.account_id, r.status, r.revision, extract(epoch from r.ended_at - r.created_at) * 1000 as took_ms,
      count(b.*)::integer as blocks, count(b.calls)::integer as calls
    from runs r left join run_blocks b on b.run_id = r.id
    where r.workflow_id = ${past.workflowId} and r.status in ('Ready', 'Error') group by r.id order by r.run_number`)
  const made = past.moments.flatMap((moment, index) => {
    const status = past.statusAt(index)
    const model = models.find((one) => one.status === status) ?? models[0]
    return model ? [runLike(model, moment, index, past)] : []
  })
  // What has happened really is the newest: it moves behind the past.
  await tx.query(
    sql`update runs set run_number = run_number + ${made.length}::integer where workflow_id = ${past.workflowId}`,
  )
  await tx.query(
    sql`update run_counters set last_number = last_number + ${made.length}::integer where workflow_id = ${past.workflowId}`,
  )
  await tx.query(
    sql`update workflows set last_run_number = last_run_number + ${made.length}::integer where id = ${past.workflowId}`,
  )
  await tx.query(
    sql`update webhook_history set run_number = run_number + ${made.length}::integer where workflow_id = ${past.workflowId}`,
  )
  await tx.query(
    sql`update run_recordings set run_number = run_number + ${made.length}::integer where workflow_id = ${past.workflowId}`,
  )
  await insertRuns(tx, made, past.runBy)
  await insertBlocks(tx, made)
  await count(tx, made, past)
  return made.length
}

function runLike(model: Model, { at, stretch }: Moment, index: number, { orderNumbers }: Past): Made {
  const time = at.getTime().toString(16).padStart(12, '0')
  const rest = randomBytes(10).toString('hex')
  return {
    id: `${time.slice(0, 8)}-${time.slice(8)}-7${rest.slice(0, 3)}-8${rest.slice(3, 6)}-${rest.slice(6, 18)}`,
    modelId: model.id,
    number: index + 1,
    at,
    stretch,
    // A machine that was busy while the demo was made does not make the past slow.
    tookMs: Math.round(Math.min(500, model.took_ms) * stretch),
    from: orderNumbers ? String(orderNumbers.models[model.status]) : '\u0001',
    to: orderNumbers ? String(orderNumbers.first + index) : '',
    model,
  }
}

async function insertRuns(tx: Tx, made: readonly Made[], runBy: Past['runBy']): Promise<void> {
  await tx.query(sql`
    insert into runs (id, account_id, workflow_id, run_number, revision, status, run_by, created_at, ended_at, error_message, last_block_id,
      last_block_title, counts_from, moves_date_last_run)
    select n.id, m.account_id, m.workflow_id, n.number, m.revision, m.status, ${runBy}, n.at, n.at + n.took_ms * interval '1 ms',
      replace(m.error_message, n.old, n.new), m.last_block_id, m.last_block_title, n.at, true
    from unnest(
      ${made.map(({ id }) => id)}::uuid[], ${made.map(({ modelId }) => modelId)}::uuid[], ${made.map(({ number }) => number)}::integer[],
      ${made.map(({ at }) => at)}::timestamptz[], ${made.map(({ tookMs }) => tookMs)}::integer[],
      ${made.map(({ from }) => from)}::text[], ${made.map(({ to }) => to)}::text[]
    ) as n (id, model_id, number, at, took_ms, old, new) join runs m on m.id = n.model_id`)
}

async function insertBlocks(tx: Tx, made: readonly Made[]): Promise<void> {
  await tx.query(sql`
    insert into run_blocks (run_id, block_id, account_id, seq, status, result, error_message, log, session, started_at, ended_at, calls, item_count)
    select n.id, b.block_id, b.account_id, b.seq, b.status, replace(b.result, n.old, n.new), replace(b.error_message, n.old, n.new),
      replace(b.log, n.old, n.new), b.session, n.at + (b.started_at - m.created_at) * n.share, n.at + (b.ended_at - m.created_at) * n.share,
      replace(b.calls, n.old, n.new), b.item_count
    from unnest(
      ${made.map(({ id }) => id)}::uuid[], ${made.map(({ modelId }) => modelId)}::uuid[], ${made.map(({ at }) => at)}::timestamptz[],
      ${made.map(({ tookMs, model }) => tookMs / Math.max(1, model.took_ms))}::float8[],
      ${made.map(({ from }) => from)}::text[], ${made.map(({ to }) => to)}::text[]
    ) as n (id, model_id, at, share, old, new) join runs m on m.id = n.model_id join run_blocks b on b.run_id = m.id`)
}

async function count(tx: Tx, made: readonly Made[], { workflowId, runBy }: Past): Promise<void> {
  await countRuns(
    tx,
    made.map(({ at, tookMs, model }) => ({
      accountId: model.account_id,
      workflowId,
      processorType: 'Standard',
      status: model.status,
      endedAt: new Date(at.getTime() + tookMs),
      activeMs: tookMs,
      work: { blocks: model.blocks, calls: model.calls, scriptMs: tookMs },
    })),
  )
  if (runBy === 'Webhook') {
    await tx.query(sql`
      insert into activity_deltas (account_id, workflow_id, minute, webhooks, received_at)
      select r.account_id, r.workflow_id, date_trunc('minute', r.created_at), count(*), max(r.created_at)
      from runs r where r.id = any(${made.map(({ id }) => id)}::uuid[]) group by 1, 2, 3`)
  }
  const newest = made.slice(-500).map(({ id }) => id)
  if (newest.length > 0) await tx.query(sql`insert into search_feed (kind, ids) values ('run', ${newest}::uuid[])`)
}
