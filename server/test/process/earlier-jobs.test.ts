// Installations and backups from the time when jobs lay in the tables of a queue library.
import { randomUUID } from 'node:crypto'
import { readdirSync } from 'node:fs'
import pg from 'pg'
import { expect, inject, it, onTestFinished } from 'vitest'
import { makeEarlierJobs } from '../../src/backup/earlier-jobs.ts'
import { applyMigrations, migrate } from '../../src/db/index.ts'

const columns = [
  ...['id', 'name', 'priority', 'data', 'state', 'retry_limit', 'retry_count', 'group_id', 'start_after'],
  ...['created_on', 'started_on', 'completed_on', 'output', 'heartbeat_on', 'heartbeat_seconds', 'blocked'],
]

/** As the library made it: a table in partitions, with a type of its own. */
const asInstalled = (owner: pg.Client) =>
  owner.query(`create schema pgboss;
    create type pgboss.job_state as enum ('created', 'retry', 'active', 'completed', 'cancelled', 'failed');
    create table pgboss.job (id uuid not null, name text not null, priority integer default 0, data jsonb, state pgboss.job_state, retry_limit integer,
      retry_count integer, group_id text, start_after timestamptz, created_on timestamptz, started_on timestamptz, completed_on timestamptz,
      output jsonb, heartbeat_on timestamptz, heartbeat_seconds integer, blocked boolean) partition by list (name);
    create table pgboss.job_common partition of pgboss.job default;
    create table installed_queues (definitions text)`)
const asRestored = (owner: pg.Client) => makeEarlierJobs(owner, [{ schema: 'pgboss', name: 'job', columns }])

it.each([
  ['of an installation', asInstalled],
  ['of a backup', asRestored],
])('jobs %s are moved to the table of today', async (_name, makeTables) => {
  const { connection, owner } = await emptyDatabase()
  const names = readdirSync(new URL('../../src/db/migrations/', import.meta.url)).map((file) => file.slice(0, -4))
  await applyMigrations(
    owner,
    names.filter((name) => name < '0330').map((name) => ({ name, checksum: '' })),
  )
  await makeTables(owner)
  const groupId = randomUUID()
  await owner.query(
    `insert into pgboss.job (id, name, data, state, retry_count, group_id, start_after, created_on, started_on, blocked)
     select gen_random_uuid(), name, data::jsonb, state, tries, $1, start_after, created_on, started_on, blocked from (values
       ('runs', null, 'created', 0, '2000-01-02'::timestamptz, '2000-01-02'::timestamptz, null::timestamptz, false),
       ('runs', null, 'retry', 2, '2000-01-01', '2000-01-01', '2000-01-01', false),
       ('mail', '{"mailId":"x"}', 'retry', 1, '2100-01-01', '2000-01-03', '2000-01-03', false),
       ('runs', null, 'active', 1, '2000-01-04', '2000-01-04', '2000-01-04', false),
       ('runs', null, 'created', 0, '2000-01-05', '2000-01-05', null, true),
       ('runs', null, 'completed', 0, '2000-01-06', '2000-01-06', '2000-01-06', false)
     ) as j (name, data, state, tries, start_after, created_on, started_on, blocked)`.replace(
      'data::jsonb, state,',
      `data::jsonb, state${makeTables === asInstalled ? '::pgboss.job_state' : ''},`,
    ),
    [groupId],
  )
  await owner.query('select pg_advisory_unlock_all()')
  expect(await migrate(connection)).toContain('0330_jobs')
  const { rows } = await owner.query(
    `select queue, data, state, attempt, is_held, group_id, extract(year from due_at at time zone 'UTC')::int as due, heartbeat_at > now() - interval '1 hour' as is_alive
     from jobs order by queued_at`,
  )
  const job = { queue: 'runs', data: null, is_held: false, group_id: groupId, due: null, is_alive: null }
  expect(rows).toEqual([
    { ...job, state: 'waiting', attempt: 2 },
    { ...job, state: 'waiting', attempt: -1 },
    { ...job, queue: 'mail', data: { mailId: 'x' }, state: 'parked', attempt: 1, due: 2100 },
    { ...job, state: 'active', attempt: 1, is_alive: true },
    { ...job, state: 'waiting', attempt: -1, is_held: true },
  ])
  const left = await owner.query(
    "select to_regnamespace('pgboss') as library, to_regclass('patchbay.installed_queues') as installed",
  )
  expect(left.rows).toEqual([{ library: null, installed: null }])
  // What processes from before would file could not be kept.
  expect((await owner.query("select older_may_stay from migrations where name = '0330_jobs'")).rows).toEqual([
    { older_may_stay: false },
  ])
})

async function emptyDatabase() {
  const connection = {
    ...inject('postgres'),
    user: 'postgres',
    database: `earlier_${randomUUID().replaceAll('-', '')}`,
  }
  const server = new pg.Client({ ...connection, database: 'postgres' })
  await server.connect()
  await server.query(`create database ${connection.database}`)
  const owner = new pg.Client(connection)
  await owner.connect()
  onTestFinished(async () => {
    await owner.end()
    await server.query(`drop database ${connection.database}`)
    await server.end()
  })
  return { connection, owner }
}
