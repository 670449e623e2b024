// What becomes of jobs that somebody has in hand: kept alive, done, handed back, taken away from a worker that is not heard of any more.
import type { Queryable } from '../db/index.ts'
import { definitionOf, isClaimed, type JobClaim, type QueueDefinition, type QueueDefinitions } from './job.ts'
import { preparedStatement } from './prepared-statement.ts'

const touchText = `update patchbay.jobs set heartbeat_at = now() where ${isClaimed} and state = 'active' returning id`

// The state is not looked at: what the job served is over, also when its worker had already been given up.
const finishText = `delete from patchbay.jobs where ${isClaimed}`

/** Those that were tried often enough are gone; the others wait again, or are parked until the next try. */
const tryAgain = (lost: string) => `
  with lost as materialized (${lost}), gone as (
    delete from patchbay.jobs j using lost l where j.queue = l.queue and j.id = l.id and j.attempt >= l.retry_limit
  ), again as (
    update patchbay.jobs j set
      state = case when l.delay > 0 and not j.is_woken then 'parked' else 'waiting' end, is_woken = false,
      due_at = case when l.delay > 0 and not j.is_woken then now() + l.delay * interval '1 s' end,
      queued_at = case when l.delay > 0 then now() else j.queued_at end
    from lost l where j.queue = l.queue and j.id = l.id and j.attempt < l.retry_limit
    returning j.queue, j.state
  )
  select queue, bool_or(state = 'waiting') as is_waiting, bool_or(state = 'parked') as is_parked from again group by queue`

/** Doubled each time, somewhere between half and whole, so that what failed together is not tried together again. */
const delay = `case when d.grows then least(d.delay_max, greatest(d.delay, 1) * 2 ^ least(16, j.attempt) * (1 + random())) else d.delay end`

const definition = (from: number) =>
  `unnest(${['text', 'integer', 'float8', 'float8', 'boolean', 'float8', 'float8'].map((type, at) => `$${from + at}::${type}[]`).join(', ')})
     as d (queue, retry_limit, delay, delay_max, grows, heartbeat_seconds, expire_seconds)`

const handBackText = tryAgain(`
  select j.queue, j.id, d.retry_limit, ${delay} as delay
  from (select * from patchbay.jobs where ${isClaimed} and state = 'active' order by id for update) j, ${definition(4)}`)

const reclaimText = tryAgain(`
  select j.queue, j.id, d.retry_limit, ${delay} as delay from ${definition(1)} join patchbay.jobs j on j.queue = d.queue
  where j.state = 'active' and (j.heartbeat_at < now() - d.heartbeat_seconds * interval '1 s' or j.taken_at < now() - d.expire_seconds * interval '1 s')
  order by j.id for update of j skip locked`)

/** Queues of which jobs may be taken now, and whether any is due later. */
export type TriedAgain = { waiting: string[]; areSomeParked: boolean }

/** Returns the ids of those that are still the caller's. */
export async function touchJobs(db: Queryable, queue: string, claims: readonly JobClaim[]): Promise<Set<string>> {
  const { rows } = await db.query<{ id: string }>(preparedStatement(touchText, [queue, ...columnsOf(claims)]))
  return new Set(rows.map(({ id }) => id))
}

export async function finishJobs(tx: Queryable, queue: string, claims: readonly JobClaim[]): Promise<void> {
  await tx.query(preparedStatement(finishText, [queue, ...columnsOf(claims)]))
}

export async function handBackJobs(
  tx: Queryable,
  definitions: QueueDefinitions,
  queue: string,
  claims: readonly JobClaim[],
): Promise<TriedAgain> {
  const of = arraysOf([[queue, definitionOf(definitions, queue)]])
  return triedAgain(tx, handBackText, [queue, ...columnsOf(claims), ...of])
}

/** Takes jobs away from workers that are not heard of any more, or are at them for too long. */
export function reclaimJobs(db: Queryable, definitions: QueueDefinitions): Promise<TriedAgain> {
  return triedAgain(db, reclaimText, arraysOf(Object.entries(definitions)))
}

async function triedAgain(db: Queryable, text: string, values: unknown[]): Promise<TriedAgain> {
  const { rows } = await db.query<{ queue: string; is_waiting: boolean; is_parked: boolean }>(
    preparedStatement(text, values),
  )
  return {
    waiting: rows.flatMap(({ queue, is_waiting }) => (is_waiting ? [queue] : [])),
    areSomeParked: rows.some(({ is_parked }) => is_parked),
  }
}

function columnsOf(claims: readonly JobClaim[]): unknown[] {
  return [claims.map(({ id }) => id), claims.map(({ attempt }) => attempt)]
}

function arraysOf(definitions: readonly (readonly [string, QueueDefinition])[]): unknown[] {
  const column = (value: (one: QueueDefinition) => unknown) => definitions.map(([, one]) => value(one))
  return [
    definitions.map(([queue]) => queue),
    column(({ retryLimit }) => retryLimit),
    column(({ retryDelaySeconds }) => retryDelaySeconds),
    column(({ retryDelaySecondsMax }) => retryDelaySecondsMax ?? null),
    column(({ growsDelay }) => growsDelay ?? true),
    column(({ heartbeatSeconds }) => heartbeatSeconds ?? null),
    column(({ expireSeconds }) => expireSeconds ?? expireSecondsUsual),
  ]
}

const expireSecondsUsual = 900
