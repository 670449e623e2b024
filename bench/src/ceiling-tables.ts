// Large tables: looking for audit rows that are new, claiming runs, and the keys of runs, as it was done before and as it is done.
import type pg from 'pg'
import { medianOf } from './measure.ts'
import type { Row } from './report.ts'
import { ensureDaysBack } from './run-days.ts'

const auditRows = 500_000
const claims = 64
const keyRows = 100_000

/** The look that the chain over the audit log takes every second. */
export async function measureAudit(owner: pg.Client): Promise<Row[]> {
  await owner.query('create table bench_audit (like audit_log including defaults, primary key (id))')
  await owner.query('create table bench_chain (audit_id bigint primary key)')
  await owner.query(
    `insert into bench_audit (id, at, organization_id, action, target)
     select n, now() - interval '2 years' * (1 - n::float8 / $1), gen_random_uuid(), 'workflow.updated', gen_random_uuid() from generate_series(1, $1::integer) n`,
    [auditRows],
  )
  await owner.query('insert into bench_chain select id from bench_audit')
  await owner.query(
    `insert into audit_log (id, at, organization_id, action, target) select id, at, organization_id, action, target from bench_audit order by id`,
  )
  await owner.query('vacuum analyze bench_audit')
  await owner.query('vacuum analyze bench_chain')
  await owner.query('vacuum analyze audit_log')
  const look = (table: string) =>
    `select * from ${table} a where a.at > now() - interval '30 minutes' and not exists (select from bench_chain c where c.audit_id = a.id) order by a.id limit 5000`
  await owner.query('set enable_seqscan = off')
  const [before, after] = [await timeOf(owner, look('bench_audit')), await timeOf(owner, look('audit_log'))]
  await owner.query('set enable_seqscan = on')
  await owner.query('drop table bench_audit, bench_chain')
  return [
    {
      what: `1: looking for new rows in an audit log of ${auditRows}`,
      measured: `${after.toFixed(1)} ms; a started run adds no row`,
      wanted: `before: ${before.toFixed(1)} ms; a row of 0.27 kB for each run`,
      isMet: after <= before,
    },
  ]
}

/** Through all days, as the planner has to look at them, and through the table of the day. */
export async function measureClaims(owner: pg.Client): Promise<Row[]> {
  await ensureDaysBack(owner, 30)
  const { rows: found } = await owner.query<{ id: string; day: string }>(
    `insert into runs (id, account_id, workflow_id, run_number, revision, run_by, created_at, counts_from, moves_date_last_run)
     select (left(first_run_id((now() at time zone 'utc')::date)::text, 14) || right(gen_random_uuid()::text, 22))::uuid, gen_random_uuid(), gen_random_uuid(), n, 1, 'API', now(), now(), true
     from generate_series(1, $1::integer) n returning id, tableoid::regclass::text as day`,
    [claims],
  )
  const ids = found.map(({ id }) => id).sort()
  const day = found[0]?.day
  const before = await timeOf(
    owner,
    'select *, tableoid::regclass::text as partition from runs where id = any($1::uuid[]) and id >= $2 and id <= $3 and attempt = 0 and ended_at is null',
    [ids, ids[0], ids.at(-1)],
  )
  const after = await timeOf(
    owner,
    `select * from ${day} where id = any($1::uuid[]) and attempt = 0 and ended_at is null`,
    [ids],
  )
  await owner.query('delete from runs where id = any($1::uuid[])', [ids])
  return [
    {
      what: `6: claiming ${claims} runs, 38 days kept`,
      measured: `${after.toFixed(2)} ms`,
      wanted: `before: ${before.toFixed(2)} ms`,
      isMet: after <= before,
    },
  ]
}

/** What the account in the key of runs would cost. */
export async function measureKeys(owner: pg.Client): Promise<Row[]> {
  const bytesOf = async (key: string) => {
    await owner.query(`create table bench_runs (like runs including defaults, primary key (${key}))`)
    await owner.query('checkpoint')
    const { rows: at } = await owner.query('select pg_current_wal_insert_lsn() as lsn')
    await owner.query(
      `insert into bench_runs (id, account_id, workflow_id, run_number, revision, run_by, created_at, counts_from, moves_date_last_run)
       select (lpad(to_hex(n), 12, '0') || substr(md5(random()::text), 1, 20))::uuid, md5((n % 1000)::text)::uuid, gen_random_uuid(), n, 1, 'API', now(), now(), true
       from generate_series(1, $1::integer) n`,
      [keyRows],
    )
    const { rows } = await owner.query('select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), $1)::float8 as bytes', [
      at[0].lsn,
    ])
    await owner.query('drop table bench_runs')
    return rows[0].bytes / keyRows
  }
  const [plain, withAccount] = [await bytesOf('id'), await bytesOf('account_id, id')]
  return [
    {
      what: '6: log bytes of a new row of runs, by its key',
      measured: `${plain.toFixed(0)} (id)`,
      wanted: `with the account in the key: ${withAccount.toFixed(0)}`,
      isMet: undefined,
    },
  ]
}

async function timeOf(owner: pg.Client, text: string, values: unknown[] = []): Promise<number> {
  const times: number[] = []
  for (let round = 0; round < 21; round++) {
    const startedAt = performance.now()
    await owner.query({ name: `b${text.length}`, text, values })
    times.push(performance.now() - startedAt)
  }
  return medianOf(times)
}
