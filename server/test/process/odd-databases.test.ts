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
import { startDatabaseNode } from '../harness/replicated-database.ts'
import { startService, type TestService } from '../harness/service.ts'
import { deployWorkflow, runToEnd } from '../harness/workflows.ts'

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

/** A statement on the server of this file, as its superuser. */
async function asSuperuser(...statements: string[]): Promise<void> {
  const admin = new pg.Client({ ...server.connection, user: 'postgres' })
  await admin.connect()
  for (const statement of statements) await admin.query(statement)
  await admin.end()
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
  it('is told what a superuser must do first, and works after that', async () => {
    await asSuperuser('create role plain login nosuperuser nocreaterole', 'create database plain owner plain')
    const refusal = await refusalOf(urlOf('plain'))
    expect(refusal).toContain('The database user plain may not create roles.')
    const [, statements = ''] = refusal.match(/run: (create role .*)$/) ?? []
    await asSuperuser(statements)
    await using service = await base.startAnother({
      PATCHBAY_DATABASE_URL: urlOf('plain'),
      PATCHBAY_DATA_DIR: join(directory, 'plain'),
    })
    expect((await service.manager.post('/api/Account', given())).status).toBe(200)
    expect((await service.client(undefined).get('/readyz')).status).toBe(200)
  }, 60_000)
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
      const refused = await eventually(async () => {
        const answer = await service.client(undefined).get('/readyz')
        return answer.status === 503 ? answer : undefined
      })
      expect(refused.body.errorMessage).toContain(sentence)
      await eventually(() => service.logText().includes('Not ready.'))
      expect((await service.client(undefined).get('/readyz')).status).toBe(503)
      expect(service.logText().match(/Not ready\./g)).toHaveLength(1)
    },
    60_000,
  )
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
  }, 60_000)
})

describe.runIf(hasPgBouncer)('PgBouncer before the database', () => {
  it('in session mode works like the database itself', async () => {
    const options = { pool_mode: 'session', ignore_startup_parameters: 'options' }
    await using pooler = await startPgBouncer(inject('postgres'), options)
    await using service = await base.startAnother({ PATCHBAY_DATABASE_URL: pooler.urlFor(base.databaseUrl) })
    const workflow = await deployWorkflow(service.manager, ['return 1'])
    expect(await runToEnd(service.manager, workflow.id)).toMatchObject({ status: 'Ready' })
    expect((await service.client(undefined).get('/readyz')).status).toBe(200)
    // The wall between accounts stands here, too: each request works as a role that row-level security binds.
    const other = await service.manager.post('/api/Account', given())
    expect(other.status).toBe(200)
  }, 60_000)

  it('in transaction mode is refused: statements would run under the role or account of others', async () => {
    const options = { pool_mode: 'transaction', ignore_startup_parameters: 'options' }
    await using pooler = await startPgBouncer(inject('postgres'), options)
    expect(await refusalOf(pooler.urlFor(base.databaseUrl))).toMatch(/^Patchbay cannot start\. .*pool_mode = session/)
  }, 60_000)

  it('that refuses our settings is named, with its own', async () => {
    await using pooler = await startPgBouncer(inject('postgres'), { pool_mode: 'session' })
    expect(await refusalOf(pooler.urlFor(base.databaseUrl))).toMatch(/ignore_startup_parameters = options/)
  }, 60_000)
})
