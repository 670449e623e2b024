import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { AuditRetention, verifyAuditChain } from '../../src/audit/index.ts'
import { Database } from '../../src/db/index.ts'
import { KeyRing, MasterKeys } from '../../src/secrets/index.ts'
import { createOrganization } from '../harness/accounts.ts'
import { eventually } from '../harness/eventually.ts'
import { startService, type TestService } from '../harness/service.ts'

let service: TestService
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service[Symbol.asyncDispose]())

const entries = async () => (await service.manager.post('/api/GetAuditLog', { page: 0, size: 1000 })).body.items

async function verify() {
  await using database = new Database({ connectionString: service.databaseUrl }, () => {})
  const base64 = readFileSync(join(service.dataDir, 'master.key'), 'utf8')
  const keyRing = await KeyRing.load(database, new MasterKeys({ kind: 'value', base64 }))
  return await verifyAuditChain(database, keyRing.systemKey('auditChain'))
}

const isChained = () =>
  eventually(async () => {
    const items = await entries()
    return items.length > 0 && items.every((item: { hash: string | null }) => item.hash !== null) ? items : undefined
  })

/** Changes the log behind the back of the service, looks, and undoes it. */
async function tampered(change: string, undo: string, values: unknown[]) {
  await service.asOwner(change, values)
  try {
    return (await verify()).fault
  } finally {
    await service.asOwner(undo, values)
  }
}

describe('the audit chain', () => {
  it('gives every entry a hash of its own within seconds, however many are made at once', async () => {
    await Promise.all(
      Array.from({ length: 40 }, (_, no) => service.manager.post('/api/ApiKey', { label: `key ${no}` })),
    )
    const other = await createOrganization(service)
    await other.manager.post('/api/ApiKey', {})
    const items = await isChained()
    const hashes = items.map((item: { hash: string }) => item.hash)
    expect(new Set(hashes).size).toBe(hashes.length)
    expect(hashes[0]).toMatch(/^[0-9a-f]{64}$/)
    const check = await verify()
    expect(check.fault).toBeUndefined()
    expect(check.rowsChecked).toBeGreaterThanOrEqual(40)
  })

  it('names the first row that was changed', async () => {
    await service.manager.post('/api/ApiKey', {})
    const [, item] = await isChained()
    const fault = await tampered(
      "update audit_log set action = action || '!' where id = $1",
      "update audit_log set action = rtrim(action, '!') where id = $1",
      [item.id],
    )
    expect(fault).toContain(`Row ${item.id} of organization`)
    expect((await verify()).fault).toBeUndefined()
  })

  it('names a row that was removed', async () => {
    const [, , item] = await isChained()
    const [row] = await service.asOwner('select to_jsonb(a) as row from audit_log a where id = $1', [item.id])
    await service.asOwner('delete from audit_log where id = $1', [item.id])
    expect((await verify()).fault).toContain(`Row ${item.id}`)
    await service.asOwner(
      'insert into audit_log overriding system value select * from jsonb_populate_record(null::audit_log, $1::jsonb)',
      [JSON.stringify(row?.['row'])],
    )
    expect((await verify()).fault).toBeUndefined()
  })

  it('names the row after one whose link was removed, and a row that was put in past the service', async () => {
    const items = await isChained()
    const [link] = await service.asOwner('select * from audit_chain where audit_id = $1', [items[3].id])
    await service.asOwner('delete from audit_chain where audit_id = $1', [items[3].id])
    expect((await verify()).fault).toMatch(/^Row \d+ of organization/)
    // The service may have linked the row anew meanwhile, at the end of the chain.
    await service.asOwner('delete from audit_chain where audit_id = $1', [items[3].id])
    await service.asOwner(
      'insert into audit_chain (position, audit_id, organization_id, hash) overriding system value values ($1, $2, $3, $4)',
      [link?.['position'], link?.['audit_id'], link?.['organization_id'], link?.['hash']],
    )
    expect((await verify()).fault).toBeUndefined()
  })

  it('cannot be written by the service once it is there', async () => {
    await using database = new Database({ connectionString: service.databaseUrl }, () => {})
    const { sql } = await import('../../src/db/index.ts')
    await expect(database.system.query(sql`update audit_chain set hash = hash`)).rejects.toThrow(/permission denied/)
    await expect(database.system.query(sql`delete from audit_chain`)).rejects.toThrow(/permission denied/)
  })

  it('goes on after the oldest rows were removed, and nothing younger than a year is', async () => {
    const other = await createOrganization(service)
    for (let no = 0; no < 6; no++) await other.manager.post('/api/ApiKey', { label: `key ${no}` })
    const [{ organization_id: id } = {}] = await service.asOwner(
      `select organization_id from audit_log order by id desc limit 1`,
    )
    const ofIt = () => service.asOwner('select id from audit_log where organization_id = $1 order by id', [id])
    const links = () => service.asOwner('select from audit_chain where organization_id = $1', [id])
    const rows = await eventually(async () => {
      const found = await ofIt()
      return found.length >= 6 && (await links()).length === found.length ? found : undefined
    })
    await using database = new Database({ connectionString: service.databaseUrl }, () => {})
    await using retention = new AuditRetention(database, 3, (error) => {
      throw error
    })
    await retention.sweep()
    expect(await ofIt()).toEqual(rows)
    // As if the first three had been written long ago; that the chain covers the time does not matter for rows that go.
    await service.asOwner(`update audit_log set at = at - interval '4 years' where id = any($1)`, [
      rows.slice(0, 3).map((row) => row['id']),
    ])
    await retention.sweep()
    expect(await ofIt()).toEqual(rows.slice(3))
    expect((await verify()).fault).toBeUndefined()
    await other.manager.post('/api/ApiKey', { label: 'after' })
    await eventually(async () => (await links()).length === rows.length - 3 + 1)
    expect((await verify()).fault).toBeUndefined()
    const { sql } = await import('../../src/db/index.ts')
    const young = sql`select forget_audit(${id}::uuid, now() - interval '1 month', 10)`
    await expect(database.system.query(young)).rejects.toThrow(/last year cannot be removed/)
  })

  it('holds over months: what is older than today lies in a table of its own, which goes once retention has emptied it', async () => {
    await isChained()
    const [{ month } = { month: '' }] = (await service.asOwner(
      "select to_char(now() at time zone 'utc' - interval '30 months', 'YYYYMM') as month",
    )) as { month: string }[]
    // As if the table of what was there before began only last year.
    await service.asOwner('alter table audit_log detach partition audit_log_before')
    await service.asOwner(`create table audit_log_${month} (like audit_log_before)`)
    await service.asOwner(`do $$ declare first timestamptz := to_date('${month}', 'YYYYMM')::timestamp at time zone 'utc'; begin
      execute format('alter table audit_log attach partition audit_log_${month} for values from (%L) to (%L)', first, first + interval '28 days');
      execute format('alter table audit_log attach partition audit_log_before for values from (%L) to (%L)', first + interval '28 days',
        (date_trunc('month', now() at time zone 'utc') + interval '1 month') at time zone 'utc');
    end $$`)
    const other = await createOrganization(service)
    await eventually(
      async () =>
        (await service.asOwner('select from audit_chain where organization_id = $1', [other.organizationId])).length >
        0,
    )
    // Retention takes from the beginning of a chain: that of this organization begins with what is old.
    for (const table of ['audit_chain', 'audit_log'])
      await service.asOwner(`delete from ${table} where organization_id = $1`, [other.organizationId])
    await service.asOwner(
      `insert into audit_log (at, organization_id, action) select to_date('${month}', 'YYYYMM') + interval '1 day', $1, 'old' from generate_series(1, 3)`,
      [other.organizationId],
    )
    const old = () =>
      service.asOwner(
        "select from audit_log a join audit_chain c on c.audit_id = a.id where a.at < now() - interval '1 year'",
      )
    const database = new Database({ connectionString: service.databaseUrl }, () => {})
    await using _database = database
    await using _next = await service.startAnother()
    await eventually(async () => (await old()).length === 3)
    expect((await verify()).fault).toBeUndefined()
    await new AuditRetention(database, 2, () => {}).sweep()
    expect(await old()).toHaveLength(0)
    const [table] = await service.asOwner(`select to_regclass('audit_log_${month}') as name`)
    expect(table?.['name']).toBeNull()
    expect((await verify()).fault).toBeUndefined()
  })

  it('has a table ready for the months to come', async () => {
    const rows = await service.asOwner(
      "select to_regclass('audit_log_' || to_char(now() at time zone 'utc' + n * interval '1 month', 'YYYYMM')) is not null as is_there from generate_series(1, 2) n",
    )
    expect(rows.map(({ is_there }) => is_there)).toEqual([true, true])
  })
})
