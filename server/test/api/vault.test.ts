import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAccount, createOrganization } from '../harness/accounts.ts'
import type { Client } from '../harness/client.ts'
import { startService, type TestService } from '../harness/service.ts'

let service: TestService
let workflowId: string
let accountId: string
let count = 0

/** A workflow as its own feature stores it; the vault only asks whether it is there. */
async function insertWorkflow(organizationId: string, owner: string): Promise<string> {
  const [row] = await service.asOwner(
    `insert into workflows (id, organization_id, account_id, name, description, is_customized_structure)
     values (gen_random_uuid(), $1, $2, 'A workflow', '', true) returning id`,
    [organizationId, owner],
  )
  return row?.['id'] as string
}

const newKey = () => `key ${++count}`
const path = (verb: string, holder: string, key: string) => `/api/MyVault${verb}/${holder}/${encodeURIComponent(key)}`

beforeAll(async () => {
  service = await startService()
  accountId = service.firstAccount.accountId
  workflowId = await insertWorkflow(service.firstAccount.organizationId, accountId)
})
afterAll(() => service[Symbol.asyncDispose]())

describe.each([
  ['a workflow', '', () => workflowId],
  ['an account', 'Global', () => accountId],
])('the vault of %s', (_level, suffix, holder) => {
  const set = (key: string, jsonData: unknown, client: Client = service.manager) =>
    client.post(path(`Set${suffix}`, holder(), key), { jsonData })
  const get = (key: string) => service.manager.get(path(`Get${suffix}`, holder(), key))
  const remove = (key: string) => service.manager.get(path(`Remove${suffix}`, holder(), key))
  const contains = (key: string) => service.manager.get(path(`Contains${suffix}`, holder(), key))

  it.each([
    ['an object', { a: [1, { b: null }], ключ: '✓' }],
    ['a text', 'text with \u0000 and 😀'],
    ['an empty text', ''],
    ['a number', 0.1],
    ['a boolean', false],
    ['null', null],
    ['a list', [[], {}, '']],
  ])('gives back %s as it was stored', async (_kind, value) => {
    const key = newKey()
    const answer = await set(key, value)
    expect([answer.status, answer.text]).toEqual([200, 'true'])
    const read = await get(key)
    expect(read.status).toBe(200)
    expect(read.headers.get('content-type')).toContain('application/json')
    expect(JSON.parse(read.text)).toEqual(value)
  })

  it('replaces what was there', async () => {
    const key = newKey()
    await set(key, 1)
    await set(key, 2)
    expect((await get(key)).body).toBe(2)
  })

  it('answers null, false and false for a key that is missing', async () => {
    const key = newKey()
    expect([(await get(key)).status, (await get(key)).text]).toEqual([200, 'null'])
    expect([(await contains(key)).status, (await contains(key)).text]).toEqual([200, 'false'])
    expect([(await remove(key)).status, (await remove(key)).text]).toEqual([200, 'false'])
  })

  it('takes many writes at the same moment, also of one key, each with its audit row', async () => {
    const [shared, ...keys] = Array.from({ length: 30 }, newKey)
    const sharedKey = shared as string
    const answers = await Promise.all([...keys, sharedKey, sharedKey, sharedKey].map((key, index) => set(key, [index])))
    expect(new Set(answers.map(({ text }) => text))).toEqual(new Set(['true']))
    for (const [index, key] of keys.entries()) expect((await get(key)).body).toEqual([index])
    expect([29, 30, 31]).toContain((await get(sharedKey)).body[0])
    const rows = await service.asOwner(
      `select details->>'key' as key from audit_log where action = 'vault.set' and details->>'key' = any($1)`,
      [[sharedKey, ...keys]],
    )
    expect(rows.map(({ key }) => key).sort()).toEqual([...keys, sharedKey, sharedKey, sharedKey].sort())
  })

  it('refuses what is wrong among many writes at the same moment, and stores the rest', async () => {
    const [good, bad] = [newKey(), newKey()]
    const answers = await Promise.all([
      set(good, 1),
      service.manager.post(path(`Set${suffix}`, '00000000-0000-4000-8000-000000000000', bad), { jsonData: 1 }),
      set(`${good} too`, 2),
    ])
    expect(answers.map(({ status }) => status)).toEqual([200, 404, 200])
    expect((await get(`${good} too`)).body).toBe(2)
  })

  it('answers many reads at the same moment, each with its own value', async () => {
    const keys = Array.from({ length: 40 }, newKey)
    await Promise.all(keys.filter((_, index) => index % 4 > 0).map((key) => set(key, { key })))
    const asked = [...keys, ...keys].sort()
    const answers = await Promise.all(asked.map(get))
    const expected = asked.map((key) => (keys.indexOf(key) % 4 > 0 ? { key } : null))
    expect(answers.map(({ text }) => JSON.parse(text))).toEqual(expected)
  })

  it('removes once and says so', async () => {
    const key = newKey()
    await set(key, { here: true })
    expect((await contains(key)).text).toBe('true')
    expect((await remove(key)).text).toBe('true')
    expect((await remove(key)).text).toBe('false')
    expect((await contains(key)).text).toBe('false')
    expect((await get(key)).text).toBe('null')
  })

  it('tells a stored null from a missing key', async () => {
    const key = newKey()
    await set(key, null)
    expect((await contains(key)).text).toBe('true')
  })

  it.each([
    ['slashes', 'a/b/../c'],
    ['a NUL', 'nul\u0000inside'],
    ['a question mark and a hash', 'what?is#this'],
    ['a percent sign', '100%25'],
    ['other scripts', 'ключ 钥匙 😀'],
    ['spaces and line ends', ' \t\r\n '],
    ['512 characters', 'k'.repeat(512)],
    ['3,000 bytes of encoded text', 'å'.repeat(500)],
  ])('takes a key with %s', async (_kind, key) => {
    expect((await set(key, { key })).text).toBe('true')
    expect((await get(key)).body).toEqual({ key })
    expect((await contains(key)).body).toBe(true)
    expect((await remove(key)).body).toBe(true)
  })

  it('tells keys apart by every character', async () => {
    const key = newKey()
    await set(key, 'lower')
    await set(key.toUpperCase(), 'upper')
    await set(`${key} `, 'space')
    expect([(await get(key)).body, (await get(key.toUpperCase())).body, (await get(`${key} `)).body]).toEqual([
      'lower',
      'upper',
      'space',
    ])
  })

  it('takes ids in upper case as the same ids', async () => {
    const key = newKey()
    await service.manager.post(path(`Set${suffix}`, holder().toUpperCase(), key), { jsonData: 'one' })
    expect((await get(key)).body).toBe('one')
    expect((await service.manager.get(path(`Get${suffix}`, holder().toUpperCase(), key))).body).toBe('one')
  })

  it('takes a value of exactly 1 MiB and refuses one byte more', async () => {
    const key = newKey()
    const largest = 'x'.repeat(1024 * 1024 - 2)
    expect((await set(key, largest)).status).toBe(200)
    expect((await get(key)).body).toBe(largest)
    const refused = await set(key, `${largest}x`)
    expect(refused.status).toBe(400)
    expect(refused.body.errorMessage).toContain('jsonData')
    expect((await get(key)).body).toBe(largest)
  })

  it('counts bytes, not characters', async () => {
    expect((await set(newKey(), '😀'.repeat(262_144))).status).toBe(400)
  })

  it.each([
    ['no body', undefined],
    ['an empty object', '{}'],
    ['null', 'null'],
    ['a list', '[1]'],
    ['an unknown field', '{"jsonData":1,"other":2}'],
    ['broken JSON', '{"jsonData":'],
  ])('refuses %s with 400', async (_kind, body) => {
    const answer = await service.manager.send('POST', path(`Set${suffix}`, holder(), newKey()), body)
    expect(answer.status, answer.text).toBe(400)
  })

  it('refuses JSON that is nested without end, and goes on working', async () => {
    const key = newKey()
    const nested = (depth: number) => `{"jsonData":${'['.repeat(depth)}${']'.repeat(depth)}}`
    const deep = await service.manager.send('POST', path(`Set${suffix}`, holder(), key), nested(400_000))
    expect(deep.status, deep.text.slice(0, 300)).toBe(400)
    expect((await service.manager.send('POST', path(`Set${suffix}`, holder(), key), nested(400))).status).toBe(200)
    expect((await get(key)).status).toBe(200)
  })

  it('writes one audit row for each change and none for reads', async () => {
    const key = `audited\u0000${newKey()}`
    const before = await service.asOwner('select count(*)::int as n from audit_log')
    await set(key, 'secret of the audit test')
    await get(key)
    await contains(key)
    await remove(key)
    await remove(key)
    const rows = await service.asOwner(
      "select action, target, details from audit_log where action like 'vault.%' order by id desc limit 2",
    )
    const after = await service.asOwner('select count(*)::int as n from audit_log')
    expect(Number(after[0]?.['n']) - Number(before[0]?.['n'])).toBe(2)
    expect(rows.map((row) => [row['action'], row['target']])).toEqual([
      ['vault.removed', holder()],
      ['vault.set', holder()],
    ])
    expect(JSON.stringify(rows)).not.toContain('secret of the audit test')
  })

  it('refuses HEAD on removal, which changes state', async () => {
    const key = newKey()
    await set(key, 1)
    expect((await service.manager.send('HEAD', path(`Remove${suffix}`, holder(), key))).status).toBe(405)
    expect((await contains(key)).body).toBe(true)
  })

  it.each(['Set', 'Get', 'Remove', 'Contains'])('needs keys to %s', async (verb) => {
    const method = verb === 'Set' ? 'POST' : 'GET'
    const body = verb === 'Set' ? '{"jsonData":1}' : undefined
    const answer = await service.client(undefined).send(method, path(verb + suffix, holder(), 'x'), body)
    expect(answer.status).toBe(401)
  })
})

describe('who sees which vault', () => {
  const verbs = ['Set', 'Get', 'Remove', 'Contains'] as const
  const call = (client: Client, verb: string, holder: string, key = 'shared') =>
    verb.startsWith('Set')
      ? client.post(path(verb, holder, key), { jsonData: 'intruder' })
      : client.get(path(verb, holder, key))

  it('keeps entries of a workflow, of another workflow and of the account apart', async () => {
    const other = await insertWorkflow(service.firstAccount.organizationId, accountId)
    await service.manager.post(path('Set', workflowId, 'apart'), { jsonData: 'first' })
    await service.manager.post(path('Set', other, 'apart'), { jsonData: 'second' })
    await service.manager.post(path('SetGlobal', accountId, 'apart'), { jsonData: 'account' })
    expect((await service.manager.get(path('Get', workflowId, 'apart'))).body).toBe('first')
    expect((await service.manager.get(path('Get', other, 'apart'))).body).toBe('second')
    expect((await service.manager.get(path('GetGlobal', accountId, 'apart'))).body).toBe('account')
  })

  it.each(verbs)('answers %s on foreign, unknown and malformed holders with one and the same 404', async (verb) => {
    const foreign = await createOrganization(service)
    const theirs = await insertWorkflow(foreign.organizationId, foreign.accountId)
    await foreign.manager.post(path('Set', theirs, 'shared'), { jsonData: 'theirs' })
    await foreign.manager.post(path('SetGlobal', foreign.accountId, 'shared'), { jsonData: 'theirs' })
    const unknown = '00000000-0000-4000-8000-00000000abcd'

    const inWorkflow = await Promise.all([
      call(service.manager, verb, theirs),
      call(service.manager, verb, unknown),
      call(service.manager, verb, accountId),
    ])
    const inAccount = await Promise.all([
      call(service.manager, `${verb}Global`, foreign.accountId),
      call(service.manager, `${verb}Global`, unknown),
      call(service.manager, `${verb}Global`, workflowId),
    ])
    for (const answers of [inWorkflow, inAccount]) {
      expect(answers.map((answer) => answer.status)).toEqual([404, 404, 404])
      expect(new Set(answers.map((answer) => answer.text)).size).toBe(1)
    }
    expect((await call(service.manager, verb, 'not-a-guid')).status).toBe(404)
    expect((await call(service.manager, `${verb}Global`, 'not-a-guid')).status).toBe(404)
    expect((await foreign.manager.get(path('Get', theirs, 'shared'))).body).toBe('theirs')
    expect((await foreign.manager.get(path('GetGlobal', foreign.accountId, 'shared'))).body).toBe('theirs')
  })

  it('ends with the workflow: its entries are gone, and nothing can be written to it any more', async () => {
    const doomed = await insertWorkflow(service.firstAccount.organizationId, accountId)
    expect((await service.manager.post(path('Set', doomed, 'k'), { jsonData: 'x' })).body).toBe(true)
    await service.asOwner('delete from workflows where id = $1', [doomed])
    const unknown = await call(service.manager, 'Set', '00000000-0000-4000-8000-00000000abcd')
    for (const verb of verbs) {
      const answer = await call(service.manager, verb, doomed, 'k')
      expect([answer.status, answer.text], verb).toEqual([404, unknown.text])
    }
    expect(await service.asOwner('select from vault_entries where holder_id = $1', [doomed])).toEqual([])
  })

  it('serves the managed account, and hides it without ManagedAccountId', async () => {
    const user = await createAccount(service, service.manager, 'User')
    const theirs = await insertWorkflow(service.firstAccount.organizationId, user.id)
    const managing = service.manager.as(user.id)
    expect((await managing.post(path('SetGlobal', user.id, 'm'), { jsonData: 'by the manager' })).body).toBe(true)
    expect((await managing.post(path('Set', theirs, 'm'), { jsonData: 'by the manager' })).body).toBe(true)
    expect((await user.client.get(path('GetGlobal', user.id, 'm'))).body).toBe('by the manager')
    expect((await user.client.get(path('Get', theirs, 'm'))).body).toBe('by the manager')
    expect((await service.manager.get(path('GetGlobal', user.id, 'm'))).status).toBe(404)
    expect((await service.manager.get(path('Get', theirs, 'm'))).status).toBe(404)
    // The caller's own account stays its own while it acts for another; its workflows do not come along.
    await service.manager.post(path('SetGlobal', accountId, 'own'), { jsonData: 'own' })
    expect((await managing.get(path('GetGlobal', accountId, 'own'))).body).toBe('own')
    expect((await managing.get(path('Get', workflowId, 'm'))).status).toBe(404)
  })
})
