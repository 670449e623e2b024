// Taking jobs beside many that are worked on or parked, and commits that file jobs.
import type pg from 'pg'
import { takeOldest } from '../../server/src/queue/index.ts'
import { medianOf } from './measure.ts'
import { connectOwner } from './owner.ts'
import type { Row } from './report.ts'

const batch = 64
const clients = 32
const commitMs = 5000
const noticeGapMs = 25

export async function measureTaking(owner: pg.Client): Promise<Row[]> {
  const db = { query: (statement: { toQuery(): pg.QueryConfig }) => owner.query(statement.toQuery()) as never }
  const taking = async (others: { active?: number; parked?: number }) => {
    await fillQueue(owner, others)
    return timeRolledBack(owner, () => takeOldest(db, 'bench', batch))
  }
  const alone = await taking({})
  const rows: Row[] = []
  for (const others of [{ active: 25_600 }, { parked: 100_000 }]) {
    const beside = await taking(others)
    const what = Object.entries(others).map(([state, count]) => `${count} are ${state}`)
    rows.push({
      what: `3: taking ${batch} jobs while ${what}`,
      measured: `${beside.toFixed(1)} ms`,
      wanted: `at most 1.5 times as long as alone: ${alone.toFixed(1)} ms`,
      isMet: beside <= 1.5 * alone,
    })
  }
  await owner.query("delete from jobs where queue = 'bench'")
  return rows
}

async function fillQueue(owner: pg.Client, { active = 0, parked = 0 }: { active?: number; parked?: number }) {
  await owner.query("delete from jobs where queue = 'bench'")
  await owner.query(
    `insert into jobs (queue, state, due_at, taken_at, heartbeat_at) select 'bench', state, now() + interval '1 day', now(), now()
     from (values ('active', $1::integer), ('parked', $2), ('waiting', 5000)) as f (state, count), generate_series(1, count)`,
    [active, parked],
  )
  await owner.query('vacuum analyze jobs')
}

async function timeRolledBack(owner: pg.Client, take: () => Promise<unknown>): Promise<number> {
  const times: number[] = []
  for (let round = 0; round < 21; round++) {
    await owner.query('begin')
    const startedAt = performance.now()
    await take()
    times.push(performance.now() - startedAt)
    await owner.query('rollback')
  }
  return medianOf(times)
}

/** A small row and a notice within each transaction, against the same rows and a notice now and then. */
export async function measureCommits(dataDir: string): Promise<Row[]> {
  const connections = await Promise.all(Array.from({ length: clients + 1 }, () => connectOwner(dataDir)))
  try {
    const [announcer, ...writers] = connections as [pg.Client, ...pg.Client[]]
    await announcer.query('create table bench_rows (n integer)')
    const within = await commitsPerSecond(
      writers,
      "with added as (insert into bench_rows values (1)) select pg_notify('bench', 'runs')",
    )
    const timer = setInterval(() => void announcer.query("select pg_notify('bench', 'runs')"), noticeGapMs)
    const after = await commitsPerSecond(writers, 'insert into bench_rows values (1)')
    clearInterval(timer)
    await announcer.query('drop table bench_rows')
    return [
      {
        what: `4: commits a second of ${clients} clients, notifications sent after the commit`,
        measured: after.toFixed(0),
        wanted: `before, within the transaction: ${within.toFixed(0)}`,
        isMet: after >= within,
      },
    ]
  } finally {
    await Promise.all(connections.map((connection) => connection.end()))
  }
}

async function commitsPerSecond(writers: readonly pg.Client[], text: string): Promise<number> {
  let commits = 0
  const startedAt = performance.now()
  await Promise.all(
    writers.map(async (writer) => {
      while (performance.now() - startedAt < commitMs) {
        await writer.query(text)
        commits++
      }
    }),
  )
  return commits / ((performance.now() - startedAt) / 1000)
}
