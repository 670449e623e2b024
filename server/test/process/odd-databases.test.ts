// Databases that are set up in an unusual way: each works, or is refused in one sentence that says what to do.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { startEmbeddedServer } from '../../src/db/index.ts'
import { explainFailedStart } from '../../src/failed-start.ts'
import { uniqueEmail } from '../harness/accounts.ts'
import { eventually } from '../harness/eventually.ts'
import { hasPgBouncer, startPgBouncer } from '../harness/pgbouncer.ts'
import { readiness, unreadiness } from '../harness/readiness.ts'
import { startDatabaseNode } from '../harness/replicated-database.ts'
import { startService, type TestService } from '../harness/service.ts'
import { deployWorkflow, endOf, findRun, runToEnd, startRun } from '../harness/workflows.ts'

type Server = Awaited<ReturnType<typeof startEmbeddedServer>>

let base: TestService
let server: Server
const directory = mkdtempSync(join(tmpdir(), 'patchbay-odd-'))
beforeAll(async () => {
  base = await startService({ role: 'api' })
  server = await startEmbeddedServer(join(directory, 'server'), () => {})
})
afterAll(async () => {
  await base[Symbol.asyncDispose]()
  await server[Symbol.asyncDispose]()
  rmSync(directory, { recursive: true, force: true })
})

const given = () => ({ email: uniqueEmail(), firstName: 'A', lastName: 'B', roleName: 'User' })

/** Statements on the server of this file, as its superuser. */
const asSuperuser = (...statements: string[]) => run({ user: 'postgres' }, statements)

/** Returns the rows of the last statement. */
async function run(config: pg.ClientConfig, statements: string[]): Promise<unknown[]> {
  const client = new pg.Client({ ...server.connection, ...config })
  await client.connect()
  let rows: unknown[] = []
  for (const statement of statements) rows = (await client.query(statement)).rows
  await client.end()
  return rows
}

const urlOf = (user: string) =>
  `postgres://${user}@localhost:${server.connection.port}/${user}?host=${encodeURIComponent(server.connection.host)}`

/** Why a start was refused, as the operator reads it. */
async function refusalOf(url: string): Promise<string> {
  const started = base.startAnother({ PATCHBAY_DATABASE_URL: url, PATCHBAY_DATA_DIR: join(directory, 'data') })
  const error = await started.then(
    async (service) => {
      await service[Symbol.asyncDispose]()
      throw new Error('It started.')
    },
    (fault: Error) => fault,
  )
  return explainFailedStart(error) ?? `${error.stack}`
}

describe('an owner without the right to make roles', () => {
  const startPlain = () =>
    base.startAnother({ PATCHBAY_DATABASE_URL: urlOf('plain'), PATCHBAY_DATA_DIR: join(directory, 'plain') })

  it('is told what a superuser must do first, and works after that', async () => {
    // Without inheritance it has no more rights than those it was given itself.
    await asSuperuser('create role plain login nosuperuser nocreaterole noinherit', 'create database plain owner plain')
    const refusal = await refusalOf(urlOf('plain'))
    expect(refusal).toContain('The database user plain may not create roles.')
    const [, statements = ''] = refusal.match(/run: (create role .*)$/) ?? []
    await asSuperuser(statements)
    await using service = await startPlain()
    expect((await service.manager.post('/api/Account', given())).status).toBe(200)
    expect((await readiness(service.client(undefined))).status).toBe(200)
  })

  it('drops old days, but not one in which a run is under way', async () => {
    const inPlain = { database: 'plain', options: '-c search_path=patchbay' }
    const makeDay = (day: string, endedAt: string) =>
      run({ ...inPlain, user: 'postgres' }, [
        'set role plain',
        ...['runs', 'run_blocks'].map(
          (table) => `do $$ begin
            execute format('create table ${table}_${day} partition of ${table} for values from (%L) to (%L)', first_run_id('${day}'), first_run_id('${day}'::date + 1));
            call protect('${table}_${day}', 'account_id = current_account()'); end $$`,
        ),
        'reset role',
        `insert into runs (id, account_id, workflow_id, run_number, revision, run_by, created_at, ended_at, counts_from, moves_date_last_run)
         select first_run_id('${day}'), id, gen_random_uuid(), 1, 1, 'API', now(), ${endedAt}, now(), true from accounts limit 1`,
      ])
    await makeDay('20240101', 'now()')
    await makeDay('20240102', 'null')
    const asWorker = { ...inPlain, user: 'plain', options: `${inPlain.options} -c role=patchbay_system` }
    const dropped = await run(asWorker, ["select drop_run_partitions('2024-02-01') as day"])
    expect(dropped).toEqual([{ day: '20240101' }])
  })

  it('that loses a role is not ready until it is given back, and answers 503 meanwhile', async () => {
    await using service = await startPlain()
    await asSuperuser(
      'revoke patchbay_app from plain',
      "select pg_terminate_backend(pid) from pg_stat_activity where datname = 'plain'",
    )
    const refused = await eventually(async () => {
      const { status, body } = await service.client(undefined).get('/readyz')
      return status === 503 && body.errorMessage.includes('privilege') ? body : undefined
    })
    expect(refused.errorMessage).toContain('Run: grant patchbay_app to plain;')
    expect((await service.manager.post('/api/Accounts', {})).status).toBe(503)
    expect(service.logText()).toContain('permission denied to set role')
    await asSuperuser('grant patchbay_app to plain')
    await eventually(async () => (await service.client(undefined).get('/readyz')).status === 200)
    expect((await service.manager.post('/api/Accounts', {})).status).toBe(200)
  })
})

describe('a schema that a role may not use any more', () => {
  it.each([
    ['patchbay_app', 'Run: grant usage on schema patchbay to patchbay_app;', [503]],
    // An account whose key was just used needs that role for nothing in this request.
    ['patchbay_system', 'Run: grant usage on schema patchbay to patchbay_app, patchbay_system;', [200, 503]],
  ])('is named by readiness, and a run waits until it may: %s', async (role, sentence, statuses) => {
    await using service = await startService()
    const { id } = await deployWorkflow(service.manager, [
      'for (let n = 0; !myVault.contains("go"); n++) { myVault.set("n", n); await sleep(50) }\nreturn "went on"',
      'return "done"',
    ])
    const runNumber = await startRun(service.manager, id)
    await eventually(async () => (await findRun(service.manager, id, runNumber)).status === 'Processing')
    await service.asOwner(`revoke usage on schema patchbay from ${role}`)
    const refused = await unreadiness(service.client(undefined))
    expect(refused.body.errorMessage).toContain(sentence)
    expect(statuses).toContain((await service.manager.post('/api/Accounts', {})).status)
    await service.asOwner(`grant usage on schema patchbay to ${role}`)
    await eventually(async () => (await service.client(undefined).get('/readyz')).status === 200)
    await service.manager.post(`/api/MyVaultSet/${id}/go`, { jsonData: true })
    expect(await endOf(service.manager, id, runNumber)).toMatchObject({ status: 'Ready' })
  })
})

describe('a database that readiness can only read', () => {
  it.each([
    [
      'a right was taken away',
      'revoke insert, update on write_probe from patchbay_system',
      'denies the service a privilege',
    ],
    [
      'the disk is full',
      `create function full_disk() returns trigger language plpgsql as $$ begin
         raise exception 'could not extend file "base/1/2": No space left on device' using errcode = '53100'; end $$;
       create trigger full_disk before insert or update on write_probe for each row execute function full_disk()`,
      'The disk of the database is full: could not extend file',
    ],
  ])(
    'is not ready, and says why once: %s',
    async (_name, change, sentence) => {
      await using service = await startService({ role: 'api' })
      await service.asOwner(change)
      const refused = await unreadiness(service.client(undefined))
      expect(refused.body.errorMessage).toContain(sentence)
      await eventually(() => service.logText().includes('Not ready.'))
      expect((await readiness(service.client(undefined))).status).toBe(503)
      const said = service.logText().match(/Not ready\. [^"]*/g) ?? []
      expect(said.filter((line, index) => line === said[index - 1])).toEqual([])
      expect(new Set(said.filter((line) => line !== 'Not ready. The database does not answer.')).size).toBe(1)
    },
    60_000,
  )
})

describe('a database whose disk is full', () => {
  const fullDisk = `create function full_disk() returns trigger language plpgsql as $$ begin
      raise exception 'could not extend file "base/1/2": No space left on device' using errcode = '53100'; end $$;
    create trigger full_disk before insert on tags for each row execute function full_disk();
    create trigger full_disk before insert on space_probe for each row execute function full_disk()`

  it('is not ready once a request has met it, says so truly, and is ready when a write finds room', async () => {
    await using service = await startService({ role: 'api' })
    const { id } = await deployWorkflow(service.manager, ['return 1'])
    const tag = () => service.manager.post(`/api/AttributeTagAdd/workflow/${id}`, { value: 'x' })
    await service.asOwner(fullDisk)
    // What fits into pages that are there already is written: the probe of readiness alone would notice nothing.
    expect((await readiness(service.client(undefined))).status).toBe(200)
    const refused = await tag()
    expect(refused).toMatchObject({
      status: 503,
      body: { errorMessage: 'The disk of the database is full. Try again later.' },
    })
    const unready = await unreadiness(service.client(undefined))
    expect(unready.body.errorMessage).toBe(
      'The disk of the database is full: could not extend file "base/1/2": No space left on device.',
    )
    const figures = async () => (await service.client(undefined).get('/metrics')).text
    await eventually(async () => /^patchbay_ready 0$/m.test(await figures()))
    await service.asOwner('drop function full_disk cascade')
    await eventually(async () => (await readiness(service.client(undefined))).status === 200)
    expect((await tag()).status).toBe(200)
    expect(await figures()).toMatch(/^patchbay_http_answers_total\{operation="POST [^"]+",status="503"\} [1-9]/m)
    expect(await figures()).toMatch(/^patchbay_disk_free_bytes [1-9]/m)
    expect(await figures()).toMatch(/^patchbay_disk_floor_bytes [1-9]/m)
  })
})

describe('a database of somebody else', () => {
  it('is refused in one sentence', async () => {
    await asSuperuser('create role guest login createrole', 'create database guest owner postgres')
    expect(await refusalOf(urlOf('guest'))).toMatch(/^Patchbay cannot start\. The user of .* must own the database: /)
  })
})

describe('a database without connections to spare', () => {
  it('is named as the reason', async () => {
    await asSuperuser('create role crowd login createrole connection limit 0', 'create database crowd owner crowd')
    expect(await refusalOf(urlOf('crowd'))).toMatch(/^Patchbay cannot start\. The database has no connections left\./)
  })
})

describe('a certificate that does not verify', () => {
  it('is refused, with the setting that names its authority', async () => {
    const request = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj', '/CN=database']
    await using node = await startDatabaseNode(['ssl=on'], (data) => {
      const files = ['-keyout', join(data, 'server.key'), '-out', join(data, 'server.crt')]
      execFileSync('openssl', [...request, ...files], { stdio: 'pipe' })
    })
    const refusal = await refusalOf(`postgres://postgres@127.0.0.1:${node.port}/postgres?sslmode=verify-full`)
    expect(refusal).toMatch(/certificate of the database server cannot be verified: .*sslrootcert=/)
  })
})

describe.runIf(hasPgBouncer)('PgBouncer before the database', () => {
  it('in session mode works like the database itself', async () => {
    const options = { pool_mode: 'session', ignore_startup_parameters: 'options' }
    await using pooler = await startPgBouncer(inject('postgres'), options)
    await using service = await base.startAnother({ PATCHBAY_DATABASE_URL: pooler.urlFor(base.databaseUrl) })
    const workflow = await deployWorkflow(service.manager, ['return 1'])
    expect(await runToEnd(service.manager, workflow.id)).toMatchObject({ status: 'Ready' })
    expect((await readiness(service.client(undefined))).status).toBe(200)
    // The wall between accounts stands here, too: each request works as a role that row-level security binds.
    const other = await service.manager.post('/api/Account', given())
    expect(other.status).toBe(200)
  })

  it('in transaction mode is refused: statements would run under the role or account of others', async () => {
    const options = { pool_mode: 'transaction', ignore_startup_parameters: 'options' }
    await using pooler = await startPgBouncer(inject('postgres'), options)
    expect(await refusalOf(pooler.urlFor(base.databaseUrl))).toMatch(/^Patchbay cannot start\. .*pool_mode = session/)
  })

  it('with too few connections is named, with the setting that gives more', async () => {
    const options = { pool_mode: 'session', ignore_startup_parameters: 'options', default_pool_size: '2' }
    await using pooler = await startPgBouncer(inject('postgres'), options)
    expect(await refusalOf(pooler.urlFor(base.databaseUrl))).toMatch(/^Patchbay cannot start\. .*default_pool_size/)
  })

  it('that refuses our settings is named, with its own', async () => {
    await using pooler = await startPgBouncer(inject('postgres'), { pool_mode: 'session' })
    expect(await refusalOf(pooler.urlFor(base.databaseUrl))).toMatch(/ignore_startup_parameters = options/)
  })
})
