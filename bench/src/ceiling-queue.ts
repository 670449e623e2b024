// Taking jobs beside many that are being worked on, and commits that file jobs: as it was done before, and as it is done.
import type pg from 'pg'
import { PgBoss } from 'pg-boss'
import { takeOldest } from '../../server/src/queue/index.ts'
import { medianOf } from './measure.ts'
import { connectOwner } from './owner.ts'
import type { Row } from './report.ts'

const batch = 64
const clients = 32
const commitMs = 5000
const noticeGapMs = 25

export async function measureTaking(owner: pg.Client): Promise<Row[]> {
  const boss = new PgBoss({
    schema: 'pgboss',
    migrate: false,
    supervise: false,
    schedule: false,
    db: { executeSql: (text, values) => owner.query(text, values as unknown[]) },
  })
  await boss.start()
  const counting = () => boss.fetch('bench', { batchSize: batch, groupConcurrency: 100_000 })
  const db = { query: (statement: { toQuery(): pg.QueryConfig }) => owner.query(statement.toQuery()) as never }
  const taking = () => takeOldest(db, 'bench', batch)
  if (!(await boss.getQueue('bench'))) await boss.createQueue('bench')
  const rows: Row[] = []
  for (const active of [256, 25_600]) {
    await owner.query("delete from pgboss.job_common where name = 'bench'")
    await owner.query(
      `insert into pgboss.job_common (id, name, state, group_id) select gen_random_uuid(), 'bench', case when n <= $1 then 'active' else 'created' end::pgboss.job_state, 'g' || n % 100
       from generate_series(1, $1::integer + 5000) n`,
      [active],
    )
    await owner.query('vacuum analyze pgboss.job_common')
    const before = await timeRolledBack(owner, counting)
    const after = await timeRolledBack(owner, taking)
    rows.push({
      what: `3: taking ${batch} jobs while ${active} are worked on`,
      measured: `${after.toFixed(1)} ms`,
      wanted: `before: ${before.toFixed(1)} ms`,
      isMet: after <= before,
    })
  }
  await owner.query("delete from pgboss.job_common where name = 'bench'")
  await boss.stop({ graceful: false })
  return rows
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
