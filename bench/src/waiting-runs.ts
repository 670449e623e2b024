// A hundred thousand runs that wait: what they cost while nothing happens, how late one that is due starts, how fast one that is woken does, and
// what becomes of ten thousand that are due in the same second. Two services stand side by side, so that what else the machine does falls on both.
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createClient } from '@patchbay/sdk'
import type pg from 'pg'
import { Database } from '../../server/src/db/index.ts'
import { JobQueue } from '../../server/src/queue/index.ts'
import { queues } from '../../server/src/queues.ts'
import { medianOf } from './measure.ts'
import { connectOwner } from './owner.ts'
import type { Row } from './report.ts'
import { deployBlocks } from './runs.ts'
import { type BenchService, memoryMb, newDataDir, startBenchService } from './service.ts'

const waiting = 100_000
const dueAtOnce = 10_000
const samples = 30
const idleMs = 60_000
const settleMs = 10_000

const pause = (ms: number) => new Promise((done) => setTimeout(done, ms))

export async function benchWaitingRuns(): Promise<Row[]> {
  using emptyDir = newDataDir()
  using fullDir = newDataDir()
  await using empty = await startBenchService(emptyDir.path)
  await using full = await startBenchService(fullDir.path)
  for (const service of [empty, full]) await deploy(service)
  const owner = await connectOwner(fullDir.path)
  try {
    await fill(owner)
    return [
      ...(await idleRows(empty, full)),
      ...(await lateRows(owner)),
      ...(await wokenRows(owner, fullDir.path)),
      ...(await burstRows(owner)),
    ]
  } finally {
    await owner.end()
  }
}

/** One run to warm up. */
async function deploy({ baseUrl, keys }: BenchService): Promise<void> {
  const client = createClient({ baseUrl, keys: { consumer: keys.Consumer, secretKey: keys.SecretKey } })
  const workflowId = await deployBlocks(client, 1)
  await client.call('RunWorkflow', { body: { workflowId } })
  for (;;) {
    const { items } = await client.call('GetRunHistory', { params: { workflowId }, body: { page: 0, size: 1 } })
    if (items[0]?.status === 'Ready') return
    await pause(50)
  }
}

/** The run that is over becomes many that wait for somebody to wake them. */
async function fill(owner: pg.Client): Promise<void> {
  await owner.query(
    `with made as materialized (
       select r.*, (left(r.id::text, 14) || right(gen_random_uuid()::text, 22))::uuid as new_id, n from runs r, generate_series(1, $1::integer) n
     ), stored as (
       insert into runs (id, account_id, workflow_id, run_number, revision, run_by, created_at, counts_from, moves_date_last_run)
       select new_id, account_id, workflow_id, run_number + n, revision, run_by, created_at, counts_from, moves_date_last_run from made
     )
     insert into jobs (queue, id, group_id, state) select 'runs', new_id, account_id, 'parked' from made`,
    [waiting],
  )
  await owner.query('vacuum analyze jobs')
  await owner.query('analyze runs')
  await owner.query('checkpoint')
}

async function idleRows(empty: BenchService, full: BenchService): Promise<Row[]> {
  await pause(settleMs)
  const both = [empty, full].map(({ pid }) => pid) as [number, number]
  const before = both.map(processorMs)
  await pause(idleMs)
  const used = both.map((pid, at) => processorMs(pid) - (before[at] as number)) as [number, number]
  const memory = both.map(memoryMb) as [number, number]
  return [
    {
      what: `idle processor time beside ${waiting} waiting runs, against none`,
      measured: `${(used[1] / used[0]).toFixed(2)} (${used[1]} : ${used[0]} ms in ${idleMs / 1000} s)`,
      wanted: 'at most 1.05',
      isMet: used[1] <= 1.05 * used[0],
    },
    {
      what: 'the same, memory of all processes',
      measured: `${(memory[1] / memory[0]).toFixed(2)} (${memory[1].toFixed(0)} : ${memory[0].toFixed(0)} MB)`,
      wanted: 'at most 1.05',
      isMet: memory[1] <= 1.05 * memory[0],
    },
  ]
}

/** One after the other, each due at a moment of its own. */
async function lateRows(owner: pg.Client): Promise<Row[]> {
  const late: number[] = []
  for (let sample = 0; sample < samples; sample++) {
    const { rows } = await owner.query(
      `update jobs set due_at = now() + (1 + random() * 5) * interval '1 s'
       where id = (select id from jobs where state = 'parked' and due_at is null limit 1) returning id, due_at`,
    )
    late.push(await msToStart(owner, rows[0].id, rows[0].due_at))
  }
  return [toRow('a run that is due, until its block starts, p50', medianOf(late), 1000)]
}

async function wokenRows(owner: pg.Client, dataDir: string): Promise<Row[]> {
  const settings = { host: join(dataDir, 'run'), port: 5432, user: 'postgres', database: 'postgres' }
  await using database = new Database(settings, () => {})
  await using jobs = await JobQueue.start(database, { definitions: queues, supervises: false, onError: () => {} })
  const took: number[] = []
  for (let sample = 0; sample < samples; sample++) {
    const { rows } = await owner.query("select id, clock_timestamp() as at from jobs where state = 'parked' limit 1")
    await database.system.transaction((tx) => jobs.wake(tx, 'runs', [rows[0].id]))
    took.push(await msToStart(owner, rows[0].id, rows[0].at))
  }
  return [toRow('a run that is woken, until its block starts, p50', medianOf(took), 300)]
}

async function burstRows(owner: pg.Client): Promise<Row[]> {
  const { rows: due } = await owner.query<{ id: string }>(
    `update jobs set due_at = date_trunc('second', now()) + (5 + random()) * interval '1 s'
     where id in (select id from jobs where state = 'parked' and due_at is null limit $1) returning id`,
    [dueAtOnce],
  )
  const ids = due.map(({ id }) => id)
  const { rows: until } = await owner.query('select max(due_at) as last from jobs where id = any($1)', [ids])
  for (;;) {
    const { rows } = await owner.query(
      `select count(*)::int as count, extract(epoch from max(started_at) - $2::timestamptz)::float8 as last from run_blocks where run_id = any($1)`,
      [ids, until[0].last],
    )
    if (rows[0].count === dueAtOnce)
      return [toRow(`${dueAtOnce} runs that are due in one second, until the last starts`, rows[0].last * 1000, 10_000)]
    await pause(500)
  }
}

async function msToStart(owner: pg.Client, runId: string, since: Date): Promise<number> {
  for (;;) {
    const { rows } = await owner.query(
      `select extract(epoch from started_at - $2::timestamptz)::float8 * 1000 as ms from run_blocks where run_id = $1`,
      [runId, since],
    )
    if (rows[0]) return rows[0].ms
    await pause(20)
  }
}

function toRow(what: string, ms: number, msMax: number): Row {
  return { what, measured: `${ms.toFixed(0)} ms`, wanted: `at most ${msMax} ms`, isMet: ms <= msMax }
}

/** Processor time so far of the service and of everything below it; the kernel counts it in hundredths of a second. */
function processorMs(pid: number): number {
  const rows = execFileSync('ps', ['-eo', 'pid=,ppid='], { encoding: 'utf8' })
    .split('\n')
    .map((line) => line.trim().split(/\s+/).map(Number))
  const below = (parent: number): number[] =>
    rows.flatMap(([child = 0, of]) => (of === parent ? [child, ...below(child)] : []))
  return [pid, ...below(pid)].reduce((sum, each) => sum + ticksOf(each) * 10, 0)
}

/** Of the process and of children that it has waited for. */
function ticksOf(pid: number): number {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
    return [11, 12, 13, 14].reduce((sum, at) => sum + Number(fields[at] ?? 0), 0)
  } catch {
    // It ended between the list and the look.
    return 0
  }
}
