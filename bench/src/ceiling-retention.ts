// Removing runs beyond the number that a workflow keeps: log bytes a run, one by one and by emptied days.
import { randomUUID } from 'node:crypto'
import type pg from 'pg'
import { connectOwner } from './owner.ts'
import type { Row } from './report.ts'
import { ensureDaysBack } from './run-days.ts'
import { startBenchService } from './service.ts'

const kept = 1000
const surplus = 20_000
const settings = { PATCHBAY_RUN_RETENTION_COUNT: String(kept) }

/** The service is not running yet; each start sweeps. */
export async function measureRetention(dataDir: string): Promise<Row[]> {
  // A day of mostly kept runs is swept one by one.
  const single = await sweep(dataDir, 2, 25)
  const whole = await sweep(dataDir, 1, 1)
  return [
    {
      what: `2: log bytes for each of ${surplus} removed runs, day emptied as a whole`,
      measured: whole.toFixed(0),
      wanted: `before, one by one: ${single.toFixed(0)}`,
      isMet: whole <= single,
    },
  ]
}

/** A day of one busy workflow, and of others with as many runs as are kept. */
async function sweep(dataDir: string, daysBack: number, workflowsKept: number): Promise<number> {
  await using _service = await startBenchService(dataDir)
  const owner = await connectOwner(dataDir)
  try {
    await ensureDaysBack(owner, 4)
    const busy = await fillDay(owner, daysBack, surplus + kept)
    for (let other = 1; other < workflowsKept; other++) await fillDay(owner, daysBack, kept)
    await owner.query('checkpoint')
    const { rows: at } = await owner.query('select pg_current_wal_insert_lsn() as lsn')
    await using _sweeper = await startBenchService(dataDir, { ...settings, ...elsewhere(dataDir) })
    while ((await countOf(owner, busy)) > kept) await new Promise((done) => setTimeout(done, 100))
    const { rows } = await owner.query('select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), $1)::float8 as bytes', [
      at[0].lsn,
    ])
    return rows[0].bytes / surplus
  } finally {
    await owner.end()
  }
}

/** A second service on the database of the first. */
function elsewhere(dataDir: string): Record<string, string> {
  const host = encodeURIComponent(`${dataDir}/run`)
  return { PATCHBAY_DATABASE_URL: `postgres://postgres@localhost:5432/postgres?host=${host}` }
}

async function countOf(owner: pg.Client, workflowId: string): Promise<number> {
  const { rows } = await owner.query('select count(*)::int as n from runs where workflow_id = $1', [workflowId])
  return rows[0].n
}

async function fillDay(owner: pg.Client, daysBack: number, runs: number): Promise<string> {
  const workflowId = randomUUID()
  await owner.query(
    `with made as (
       insert into workflows (id, organization_id, account_id, name, description, is_customized_structure)
       select $1, organization_id, id, 'bench', '', true from accounts limit 1 returning id, account_id
     ), counted as (
       insert into run_counters select id, account_id, $2 from made
     ), filled as (
       insert into runs (id, account_id, workflow_id, run_number, revision, status, run_by, created_at, ended_at, counts_from, moves_date_last_run)
       select (left(first_run_id((now() at time zone 'utc')::date - $3::integer)::text, 14) || right(gen_random_uuid()::text, 22))::uuid,
         account_id, id, n, 1, 'Ready', 'API', now(), now(), now(), true from made, generate_series(1, $2::integer) n returning id, account_id
     )
     insert into run_blocks (run_id, block_id, account_id, seq, status, result, started_at, ended_at)
     select id, gen_random_uuid(), account_id, 1, 'Ready', '{"value":55}', now(), now() from filled`,
    [workflowId, runs, daysBack],
  )
  return workflowId
}
