// Sealed values open where they were put and nowhere else; and what is sealed is not readable anywhere beside.
import { randomBytes, randomUUID } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAccount } from '../harness/accounts.ts'
import type { Client } from '../harness/client.ts'
import { startService, type TestService } from '../harness/service.ts'

let service: TestService
let other: { id: string; client: Client }
let workflows: string[]
let owner: pg.Client
beforeAll(async () => {
  service = await startService()
  owner = new pg.Client({ connectionString: service.databaseUrl, options: '-c search_path=patchbay' })
  await owner.connect()
  other = await createAccount(service, service.manager, 'User')
  const rows = await service.asOwner(
    `insert into workflows (id, organization_id, account_id, name, description, is_customized_structure)
     select gen_random_uuid(), $1, $2, 'W', '', true from generate_series(1, 2) returning id`,
    [service.firstAccount.organizationId, service.firstAccount.accountId],
  )
  workflows = rows.map((row) => row['id'] as string)
})
afterAll(async () => {
  await owner.end()
  await service[Symbol.asyncDispose]()
})

type Entry = { client: Client; path: string; holderId: string; key: string; sealed: Buffer }

async function store(client: Client, holderId: string, suffix: string, value: unknown): Promise<Entry> {
  const key = `k-${randomUUID()}`
  expect((await client.post(`/api/MyVaultSet${suffix}/${holderId}/${key}`, { jsonData: value })).body).toBe(true)
  const [row] = await service.asOwner('select sealed_value from vault_entries where key = convert_to($1, $2)', [
    key,
    'UTF8',
  ])
  return {
    client,
    path: `/api/MyVaultGet${suffix}/${holderId}/${key}`,
    holderId,
    key,
    sealed: row?.['sealed_value'] as Buffer,
  }
}

const put = (entry: Entry, sealed: Buffer) =>
  owner.query({
    name: 'put',
    text: "update vault_entries set sealed_value = $1 where key = convert_to($2, 'UTF8')",
    values: [sealed, entry.key],
  })

/** An error that tells nothing, and above all no value. */
async function expectRefusal(entry: Entry): Promise<void> {
  const answer = await entry.client.get(entry.path)
  expect([answer.status, answer.body.response]).toEqual([500, null])
  expect(answer.text).not.toContain('secret')
}

describe('a sealed value', () => {
  it('does not open in any row, level or account but its own', async () => {
    const { accountId } = service.firstAccount
    const entries = [
      await store(service.manager, workflows[0]!, '', 'secret 1'),
      await store(service.manager, workflows[0]!, '', 'secret 2'),
      await store(service.manager, workflows[1]!, '', 'secret 3'),
      await store(service.manager, accountId, 'Global', 'secret 4'),
      await store(service.manager, accountId, 'Global', 'secret 5'),
      await store(other.client, other.id, 'Global', 'secret 6'),
    ]
    let refused = 0
    for (const target of entries) {
      for (const source of entries) {
        if (source === target) continue
        await put(target, source.sealed)
        await expectRefusal(target)
        refused++
      }
      await put(target, target.sealed)
      expect((await target.client.get(target.path)).body).toMatch(/^secret/)
    }
    expect(refused).toBe(30)
  })

  it('does not open as a value of another table or column', async () => {
    const entry = await store(other.client, other.id, 'Global', 'secret')
    const columns = await service.asOwner(`
      select c.table_name, c.column_name from information_schema.columns c
      join information_schema.columns a on a.table_name = c.table_name and a.column_name = 'account_id'
      where c.table_schema = 'patchbay' and c.data_type = 'bytea' and c.column_name like 'sealed%' and c.table_name <> 'vault_entries'`)
    let refused = 0
    for (const { table_name: table, column_name: column } of columns) {
      const rows = await service.asOwner(
        `select ${column} as sealed from ${table} where account_id = $1 and ${column} is not null`,
        [other.id],
      )
      for (const row of rows) {
        await put(entry, row['sealed'] as Buffer)
        await expectRefusal(entry)
        refused++
      }
    }
    // The welcome mail of the account at least; the other way round, a value of the vault as its waiting secret.
    expect(refused).toBeGreaterThan(0)
    const waiting = await service.manager.post('/api/Account', {
      ...{ email: `${randomUUID()}@example.com`, firstName: 'A', lastName: 'B', roleName: 'User', activated: true },
    })
    await service.asOwner('update api_keys set sealed_secret = $1 where account_id = $2', [entry.sealed, waiting.body])
    const reveal = await service.manager.get(`/api/RevealApiKey/${waiting.body}`)
    expect([reveal.status, reveal.body.response]).toEqual([500, null])
  })

  it('does not open under another key of the same row, nor for another holder', async () => {
    const entry = await store(service.manager, workflows[0]!, '', 'secret')
    await service.asOwner("update vault_entries set holder_id = $1 where key = convert_to($2, 'UTF8')", [
      workflows[1],
      entry.key,
    ])
    await expectRefusal({ ...entry, path: entry.path.replace(workflows[0]!, workflows[1]!) })
    await service.asOwner("update vault_entries set holder_id = account_id where key = convert_to($1, 'UTF8')", [
      entry.key,
    ])
    const { accountId } = service.firstAccount
    await expectRefusal({ ...entry, path: `/api/MyVaultGetGlobal/${accountId}/${entry.key}` })
  })

  it('does not open when any one bit of it is another', async () => {
    const entry = await store(service.manager, workflows[0]!, '', 'secret')
    for (let bit = 0; bit < entry.sealed.length * 8; bit++) {
      const flipped = Buffer.from(entry.sealed)
      flipped[bit >> 3] = flipped[bit >> 3]! ^ (1 << (bit & 7))
      await put(entry, flipped)
      await expectRefusal(entry)
    }
    await put(entry, entry.sealed)
    expect((await entry.client.get(entry.path)).body).toBe('secret')
  })

  it('does not open cut, lengthened, emptied or replaced', async () => {
    const entry = await store(service.manager, workflows[0]!, '', 'secret')
    const { sealed } = entry
    const mutants = [
      Buffer.alloc(0),
      ...Array.from({ length: sealed.length - 1 }, (_, length) => sealed.subarray(0, length + 1)),
      Buffer.concat([sealed, Buffer.alloc(1)]),
      sealed.subarray(1),
      randomBytes(sealed.length),
      Buffer.from(JSON.stringify('secret')),
    ]
    for (const mutant of mutants) {
      await put(entry, mutant)
      await expectRefusal(entry)
    }
  })

  it('does not open when it names the data key of another account', async () => {
    const entry = await store(service.manager, workflows[0]!, '', 'secret')
    const [row] = await service.asOwner('select id from data_keys where account_id = $1', [other.id])
    const renamed = Buffer.from(entry.sealed)
    Buffer.from(String(row?.['id']).replaceAll('-', ''), 'hex').copy(renamed, 1)
    await put(entry, renamed)
    await expectRefusal(entry)
  })

  it('is different each time, also for the same value', async () => {
    const one = await store(service.manager, workflows[0]!, '', 'secret')
    await service.manager.post(one.path.replace('Get', 'Set'), { jsonData: 'secret' })
    const [row] = await service.asOwner("select sealed_value from vault_entries where key = convert_to($1, 'UTF8')", [
      one.key,
    ])
    expect(one.sealed.equals(row?.['sealed_value'] as Buffer)).toBe(false)
  })
})

describe('a wrapped data key', () => {
  /** A fresh process has no key in memory: it must open what the database gives it. */
  async function expectRefusalAfter(change: string, values: unknown[]): Promise<void> {
    const entry = await store(other.client, other.id, 'Global', 'secret')
    const [before] = await service.asOwner('select * from data_keys where account_id = $1', [other.id])
    await service.asOwner(change, values)
    try {
      await using fresh = await service.startAnother()
      await expectRefusal({ ...entry, client: fresh.client(other.client.keys) })
    } finally {
      await service.asOwner('update data_keys set id = $2, wrapped = $3, master_key_id = $4 where account_id = $1', [
        other.id,
        before?.['id'],
        before?.['wrapped'],
        before?.['master_key_id'],
      ])
    }
  }

  it('does not open when it is the one of another account', () =>
    expectRefusalAfter(
      'update data_keys set wrapped = (select wrapped from data_keys where account_id = $2) where account_id = $1',
      [other.id, service.firstAccount.accountId],
    ))

  it('does not open under another id', () =>
    expectRefusalAfter('update data_keys set id = gen_random_uuid() where account_id = $1', [other.id]))

  it('does not open when a bit of it is another', () =>
    expectRefusalAfter(
      'update data_keys set wrapped = set_bit(wrapped, 200, 1 - get_bit(wrapped, 200)) where account_id = $1',
      [other.id],
    ))

  it('does not open when it names a master key that nobody has', async () => {
    await service.asOwner("insert into master_keys (id, is_current) values ('0123456789abcdef', false)")
    await expectRefusalAfter("update data_keys set master_key_id = '0123456789abcdef' where account_id = $1", [
      other.id,
    ])
  })

  it('cannot name a master key that is not in use', async () => {
    const change = service.asOwner("update data_keys set master_key_id = 'fedcba9876543210'")
    await expect(change).rejects.toThrow('data_keys_master_key')
  })
})

describe('a secret', () => {
  it('is found nowhere: not in the database files, not in a dump, not in the log, not in an error', async () => {
    const canary = `canary-${randomBytes(16).toString('hex')}`
    const entry = await store(service.manager, workflows[0]!, '', { nested: [canary] })
    await store(service.manager, service.firstAccount.accountId, 'Global', canary)
    // Values that are refused must not come back in the refusal either.
    const refusals = [
      await service.manager.post(`/api/MyVaultSet/${randomUUID()}/x`, { jsonData: canary }),
      await service.manager.post(`/api/MyVaultSet/${workflows[0]}/x`, { jsonData: canary.repeat(40_000) }),
      await service.manager.post(`/api/MyVaultSet/${workflows[0]}/x`, { jsonData: canary, more: canary }),
      await service.manager.send('POST', `/api/MyVaultSet/${workflows[0]}/x`, `{"jsonData":"${canary}"`),
    ]
    for (const refusal of refusals) {
      expect(refusal.status).toBeGreaterThanOrEqual(400)
      expect(refusal.text).not.toContain(canary)
    }
    await put(entry, randomBytes(200))
    await expectRefusal(entry)

    await service.asOwner('checkpoint')
    expect(service.logText()).not.toContain(canary)
    const [cluster] = await service.asOwner('show data_directory')
    const roots = [service.dataDir, cluster?.['data_directory'] as string]
    const files = roots.flatMap((root) =>
      readdirSync(root, { recursive: true, withFileTypes: true })
        .filter((file) => file.isFile())
        .map((file) => join(file.parentPath, file.name)),
    )
    expect(files.length).toBeGreaterThan(100)
    // The search can fail: the key of the entry, which is no secret, is in the files.
    const holding = (text: string) => files.filter((file) => readIfThere(file).includes(text))
    expect(holding(entry.key).length).toBeGreaterThan(0)
    expect(holding(canary)).toEqual([])
    const rows = await readEveryRow()
    expect(rows).toContain(Buffer.from(entry.key).toString('hex'))
    expect(rows).not.toContain(canary)
    expect(rows).not.toContain(Buffer.from(canary).toString('hex'))
  })

  it('that opens the others is in its file and nowhere else', async () => {
    const key = readFileSync(join(service.dataDir, 'master.key'), 'utf8').trim()
    const rows = await readEveryRow()
    for (const form of [key, Buffer.from(key, 'base64').toString('hex')]) {
      expect(rows).not.toContain(form)
      expect(service.logText()).not.toContain(form)
    }
  })
})

/** Every row of every table as text: what a dump would hold. */
async function readEveryRow(): Promise<string> {
  const tables = await service.asOwner(
    "select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname = 'patchbay'",
  )
  // One after the other: there are about as many tables as the server has connections.
  const texts: unknown[] = []
  for (const { name } of tables) texts.push((await owner.query(`select t::text as row from ${name as string} t`)).rows)
  return JSON.stringify(texts)
}

function readIfThere(path: string): Buffer {
  try {
    return readFileSync(path)
  } catch {
    return Buffer.alloc(0)
  }
}
