// Old and new processes side by side, and processes that are told to go.
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Client } from '../harness/client.ts'
import { eventually } from '../harness/eventually.ts'
import { type Program, startProgram } from '../harness/program.ts'
import { readiness } from '../harness/readiness.ts'
import { startService, type TestService } from '../harness/service.ts'

/** The lock under which migrations are applied. */
const migrationLock = 7_230_118_442

let service: TestService
beforeAll(async () => {
  service = await startService({ role: 'api' })
})
afterAll(() => service[Symbol.asyncDispose]())

const startApi = (env: Record<string, string> = {}): Program =>
  startProgram('main', ['api'], {
    PATCHBAY_DATABASE_URL: service.databaseUrl,
    PATCHBAY_DATA_DIR: service.dataDir,
    PATCHBAY_PORT: '0',
    PATCHBAY_LOG_LEVEL: 'error',
    ...env,
  })

const statusOf = async (address: string, path: string) => (await fetch(address + path).catch(() => undefined))?.status

describe('a process beside a newer one', () => {
  it('stays ready when the migration says that it may, and else stops by itself with the reason', async () => {
    await using older = startApi()
    const [, address = ''] = await older.saw(/ready at (\S+) /)
    await service.asOwner("insert into migrations (name, checksum, older_may_stay) values ('9998_addition', 'x', true)")
    // The first look after the change already knows of it.
    expect((await readiness(new Client(address, undefined))).status).toBe(200)
    await service.asOwner("insert into migrations (name, checksum) values ('9999_removal', 'x')")
    expect(await older.ended).toBe(1)
    expect(older.output()).toMatch(
      /This Patchbay is older than its database, .* 9999_removal\. Start that version, and stop this one\./,
    )
    const refused = startApi()
    expect(await refused.ended).toBe(1)
    expect(refused.output()).toMatch(
      /older than its database, .*9998_addition, 9999_removal\. Start that version, or restore a backup/,
    )
    await service.asOwner("delete from migrations where name like '999%'")
    await eventually(async () => (await service.client(undefined).get('/readyz')).status === 200)
  })

  it('says so when the database is older than itself, after a restore for example', async () => {
    const [row] = await service.asOwner("delete from migrations where name = '0151_blocks_under_way' returning *")
    const answer = await readiness(service.client(undefined))
    expect(answer.status).toBe(503)
    expect(answer.body.errorMessage).toMatch(
      /^The database is older than this Patchbay: it lacks 0151_blocks_under_way\./,
    )
    await service.asOwner('insert into migrations (name, checksum, older_may_stay) values ($1, $2, true)', [
      row?.['name'],
      row?.['checksum'],
    ])
    expect((await readiness(service.client(undefined))).status).toBe(200)
  })
})

describe('SIGTERM', () => {
  it('is told on /readyz for the time that was set, while everything else is still served', async () => {
    await using leaving = startApi({ PATCHBAY_DRAIN_SECONDS: '3' })
    const [, address = ''] = await leaving.saw(/ready at (\S+) /)
    leaving.kill('SIGTERM')
    await eventually(async () => (await statusOf(address, '/readyz')) === 503)
    const served = await fetch(`${address}/api/Authenticate`, {
      headers: { Consumer: service.firstAccount.consumer, SecretKey: service.firstAccount.secretKey },
    })
    expect(served.status).toBe(200)
    expect(await leaving.ended).toBe(0)
    expect(await statusOf(address, '/readyz')).toBeUndefined()
  })

  it('during the start calls it off', async () => {
    const holder = new pg.Client({ connectionString: service.databaseUrl })
    await holder.connect()
    await holder.query('select pg_advisory_lock($1)', [migrationLock])
    const starting = startApi()
    await eventually(async () => {
      const rows = await service.asOwner("select 1 from pg_locks where locktype = 'advisory' and not granted")
      return rows.length > 0
    })
    starting.kill('SIGTERM')
    expect(await starting.ended).toBe(0)
    expect(starting.output()).toContain('Shutting down before startup is complete.')
    await holder.end()
  })
})
