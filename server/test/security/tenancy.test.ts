// The wall between accounts, generated from the table of operations: every operation is asked about every id of a victim, by a stranger of
// another organization and by a peer of the same one, and must answer exactly as it answers about an id that never existed.
import { randomUUID } from 'node:crypto'
import { isGuid, type OperationSpec, operations } from '@patchbay/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Database, rawStatement, sql } from '../../src/db/index.ts'
import { createAccount, createOrganization } from '../harness/accounts.ts'
import type { Answer, Client } from '../harness/client.ts'
import { eventually } from '../harness/eventually.ts'
import { type Schema, valid } from '../harness/from-schema.ts'
import { Random } from '../harness/random.ts'
import { seedEverything } from '../harness/seed-everything.ts'
import { startService, type TestService } from '../harness/service.ts'

const all: OperationSpec[] = Object.values(operations)

/** Fields of an operation that hold an id, in its path, query or body. */
function idFields(spec: OperationSpec): { part: 'params' | 'query' | 'body'; name: string }[] {
  return (['params', 'query', 'body'] as const).flatMap((part) => {
    const properties = ((spec[part] as Schema | undefined)?.properties ?? {}) as Record<string, Schema>
    return Object.entries(properties)
      .filter(([name, schema]) => schema.format === 'uuid' || /id$/i.test(name))
      .map(([name]) => ({ part, name }))
  })
}

const cases = all
  // The ids of a grant belong to an identity provider elsewhere, and asking about them would call it.
  .filter((spec) => spec.access !== 'public' && spec.name !== 'DocumentLibraryGrant')
  .flatMap((spec) => idFields(spec).map((field) => [`${spec.name} ${field.part}.${field.name}`, spec, field] as const))

describe('the wall between accounts', () => {
  let service: TestService
  let victimIds: string[]
  let stranger: Client
  let peer: Client
  let victim: { id: string; client: Client }
  beforeAll(async () => {
    service = await startService({ env: { PATCHBAY_LOG_LEVEL: 'error' } })
    victim = await createAccount(service, service.manager, 'User')
    victimIds = (
      await seedEverything(service, victim.client, {
        accountId: victim.id,
        organizationId: service.firstAccount.organizationId,
      })
    ).filter((id) => id !== service.firstAccount.organizationId)
    stranger = (await createOrganization(service)).manager
    peer = (await createAccount(service, service.manager, 'User')).client
    await settled()
  })
  afterAll(() => service[Symbol.asyncDispose]())

  /** What was seeded goes on for a while: runs end, mails and replays are worked off. Quiet is what looks the same several times in a row. */
  async function settled(): Promise<void> {
    const seen: string[] = []
    await eventually(async () => {
      seen.push(JSON.stringify(await snapshot(service, victim.id)))
      return seen.length > 40 && new Set(seen.slice(-40)).size === 1
    })
  }

  it('has something to protect', () => {
    expect(victimIds.length).toBeGreaterThan(1)
    expect(victimIds.every(isGuid)).toBe(true)
    expect(cases.length).toBeGreaterThan(5)
  })

  it.each(cases)('%s', async (_title, spec, field) => {
    const before = await snapshot(service, victim.id)
    for (const client of [stranger, peer]) {
      const never = await ask(client, spec, field, randomUUID())
      for (const id of victimIds) {
        const answer = await ask(client, spec, field, id)
        // What the caller itself sent may come back; nothing else may differ.
        expect([answer.status, withoutIds(answer, id)]).toEqual([never.status, withoutIds(never, never.id)])
        expect(answer.status).toBeLessThan(500)
      }
    }
    expect(await snapshot(service, victim.id)).toEqual(before)
  })

  it('foreign accounts cannot be managed, by anyone below or outside', async () => {
    for (const client of [stranger, peer]) {
      const never = await client.as(randomUUID()).get('/api/Authenticate')
      const answer = await client.as(victim.id).get('/api/Authenticate')
      expect([answer.status, answer.text]).toEqual([403, never.text])
    }
  })

  async function ask(
    client: Client,
    spec: OperationSpec,
    field: { part: string; name: string },
    id: string,
  ): Promise<Answer & { id: string }> {
    // The same seed for every question, so that everything but the id is the same.
    const random = new Random(7)
    const values = (part: 'params' | 'query' | 'body') => {
      const example = part === 'body' && spec.example?.body !== undefined ? spec.example.body : undefined
      const made = (example ?? (spec[part] ? valid(spec[part] as Schema, random) : {})) as Record<string, unknown>
      const typed = part === 'params' && 'entityType' in made ? { ...made, entityType: 'account' } : made
      return part === field.part ? { ...typed, [field.name]: id } : typed
    }
    const params = values('params')
    const path = spec.path.replaceAll(/:(\w+)/g, (_, name: string) => encodeURIComponent(String(params[name])))
    const query = new URLSearchParams(
      Object.entries(values('query')).map(([name, value]): [string, string] => [name, String(value)]),
    )
    const answer = await client.send(
      spec.method,
      `${path}?${query}`,
      spec.body ? JSON.stringify(values('body')) : undefined,
    )
    return { ...answer, id }
  }
})

function withoutIds(answer: Answer, id: string): string {
  return answer.text
    .replaceAll(id, '<id>')
    .replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, '<guid>')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<time>')
}

/** A digest of everything stored for the account, table by table, apart from what moves by itself. */
async function snapshot(service: TestService, accountId: string): Promise<unknown> {
  const tables = await service.asOwner(`
    select c.table_name from information_schema.columns c join pg_class t on t.oid = format('patchbay.%I', c.table_name)::regclass
    where c.table_schema = 'patchbay' and c.column_name = 'account_id' and not t.relispartition
      and c.table_name not in ('audit_log', 'sessions', 'usage_days', 'alarm_checks', 'item_samples') and c.table_name !~ '^(activity|search)_' order by 1`)
  const digests = tables.map(
    ({ table_name: name }) =>
      `select '${name}' as name, md5(string_agg((to_jsonb(t) - 'last_used_at')::text, ' ' order by to_jsonb(t)::text)) as digest
       from ${name} t where account_id = $1`,
  )
  return service.asOwner(digests.join(' union all '), [accountId])
}

describe('row-level security, the second wall', () => {
  let service: TestService
  beforeAll(async () => {
    service = await startService()
  })
  afterAll(() => service[Symbol.asyncDispose]())

  it('is forced on every table that belongs to an account or an organization, with a policy for the application role', async () => {
    const unprotected = await service.asOwner(`
      select c.relname from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where n.nspname = 'patchbay' and c.relkind in ('r', 'p')
        and exists (select from pg_attribute a where a.attrelid = c.oid and a.attname in ('account_id', 'organization_id', 'workflow_id'))
        and not (c.relrowsecurity and c.relforcerowsecurity
          and (exists (select from pg_policy p where p.polrelid = c.oid) or c.relispartition))`)
    expect(unprotected).toEqual([])
  })

  it('serves roles that are neither owner nor superuser and cannot bypass it', async () => {
    const roles = await service.asOwner(`
      select rolname, rolsuper, rolbypassrls, exists (select from pg_class where relowner = r.oid) as owns
      from pg_roles r where rolname in ('patchbay_app', 'patchbay_system') order by 1`)
    expect(roles).toEqual([
      { rolname: 'patchbay_app', rolsuper: false, rolbypassrls: false, owns: false },
      { rolname: 'patchbay_system', rolsuper: false, rolbypassrls: false, owns: false },
    ])
    await using database = new Database({ connectionString: service.databaseUrl }, () => {})
    const scope = { organizationId: randomUUID(), accountId: randomUUID() }
    const whoAmI = sql`select current_user::text as name`
    const names = await Promise.all([database.forScope(scope).query(whoAmI), database.system.query(whoAmI)])
    expect(names.map(({ rows }) => rows[0])).toEqual([{ name: 'patchbay_app' }, { name: 'patchbay_system' }])
  })

  it('shows a statement without any condition only the rows of its scope', async () => {
    const other = await createOrganization(service)
    await using database = new Database({ connectionString: service.databaseUrl }, () => {})
    const scope = { organizationId: other.organizationId, accountId: other.accountId }
    const tables = (
      await service.asOwner(`select c.relname from pg_class c join pg_namespace n on n.oid = c.relnamespace
        where n.nspname = 'patchbay' and c.relkind in ('r', 'p') and c.relrowsecurity
          and has_table_privilege('patchbay_app', c.oid, 'select')`)
    ).map((row) => String(row['relname']))
    expect(tables.length).toBeGreaterThan(5)
    const mine = await database.forScope(scope).query<{ id: string }>(sql`select id from accounts`)
    expect(mine.rows.map((row) => row.id)).toEqual([other.accountId])
    const keys = await database.forScope(scope).query<{ account_id: string }>(sql`select account_id from api_keys`)
    expect(keys.rows.map((row) => row.account_id)).toEqual([other.accountId])
    // No scope, no rows, in no table.
    const nobody = { organizationId: randomUUID(), accountId: randomUUID() }
    for (const table of tables) {
      const seen = await database.forScope(nobody).query(rawStatement(`select 1 from ${table} limit 1`, []))
      expect([table, seen.rowCount]).toEqual([table, 0])
    }
    await expect(
      database.forScope(nobody).query(sql`update api_keys set label = 'mine' where account_id = ${other.accountId}`),
    ).resolves.toMatchObject({ rowCount: 0 })
    await expect(
      database
        .forScope(nobody)
        .query(
          sql`insert into tags (organization_id, entity_type, entity_id, value) values (${other.organizationId}, 'account', ${other.accountId}, 'x')`,
        ),
    ).rejects.toThrow(/row-level security/)
  })
})
