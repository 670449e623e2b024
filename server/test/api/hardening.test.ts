// Faults that were found once by people who looked for them, each with the request that showed it.
import { connect, type Socket } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAccount, uniqueEmail } from '../harness/accounts.ts'
import { eventually } from '../harness/eventually.ts'
import { startService, type TestService } from '../harness/service.ts'

let service: TestService
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service[Symbol.asyncDispose]())

const formType = { 'Content-Type': 'application/x-www-form-urlencoded' }

describe('values that no database can hold', () => {
  it.each([
    '0000-01-01T00:00:00Z',
    '0001-01-01T00:00:00+23:59',
    '9999-12-31T23:59:59-23:59',
    '2026-02-30T00:00:00Z',
    '2026-01-01T23:59:60Z',
  ])('the instant %s is 400 everywhere', async (instant) => {
    expect((await service.manager.post('/api/GetAuditLog', { searchFrom: instant })).status).toBe(400)
    expect((await service.manager.post('/api/ApiKey', { expiresDateTimeUTC: instant })).status).toBe(400)
  })
  it('an instant with an offset means the same as in UTC', async () => {
    const key = (await service.manager.post('/api/ApiKey', { expiresDateTimeUTC: '2031-01-01T02:00:00+02:00' })).body
    const listed = (await service.manager.get('/api/ApiKeys')).body.find((entry: { id: string }) => entry.id === key.id)
    expect(listed.expiresDateTimeUTC).toBe('2031-01-01T00:00:00.000Z')
  })
  it('half of a character is 400, a whole one is kept', async () => {
    expect((await service.manager.send('POST', '/api/ApiKey', '{"label":"\\ud800"}')).status).toBe(400)
    expect((await service.manager.send('POST', '/api/ApiKey', '{"label":"\\ud83d\\ude00"}')).status).toBe(200)
    const tag = await service.manager.send(
      'POST',
      `/api/AttributeTagAdd/account/${service.firstAccount.accountId}`,
      '{"value":"\\uDFFF"}',
    )
    expect(tag.status).toBe(400)
  })
})

describe('names', () => {
  it.each(['a\nb', 'a\u001b]0;x\u0007', 'a\u009b2J', '\u202eb', 'a\tb'])(
    '%j is refused for whatever people name: it would drive the terminals that it is shown in',
    async (name) => {
      const applicationId = 'f3055934-bffe-55b6-b9e5-ce20a3a8563b'
      const requests: [string, object][] = [
        ['/api/Workflow', { name, chain: [{ script: 'return 1' }] }],
        ['/api/Workflow', { name: 'x', chain: [{ blockName: name, script: 'return 1' }] }],
        ['/api/ApiKey', { label: name }],
        ['/api/RegApplication', { applicationId, tagText: name, credentialsJson: '{}' }],
        [`/api/AttributeTagAdd/account/${service.firstAccount.accountId}`, { value: name }],
      ]
      for (const [path, body] of requests) {
        const answer = await service.manager.post(path, body)
        expect([path, answer.status, answer.body.errorMessage]).toEqual([
          path,
          400,
          expect.stringContaining('without control characters'),
        ])
      }
    },
  )
})

describe('bodies of the wrong kind', () => {
  it.each([
    ['application/x-www-form-urlencoded', 'email=x@example.com'],
    ['text/plain', '{"label":"x"}'],
    ['multipart/form-data; boundary=x', '--x--'],
  ])('%s is 400 for an operation that takes JSON, and changes nothing', async (type, body) => {
    const before = await service.asOwner('select count(*) from api_keys')
    const answer = await service.manager.send('POST', '/api/ApiKey', body, { 'Content-Type': type })
    expect(answer.status).toBe(400)
    expect(answer.body.errorMessage).toContain('Content-Type')
    expect(await service.asOwner('select count(*) from api_keys')).toEqual(before)
  })
  it('a JSON body is refused by a page that takes a form', async () => {
    const answer = await service.client(undefined).send('POST', '/signin', '{"email":{"toString":null}}')
    expect(answer.status).toBe(400)
  })
})

describe('ids and headers', () => {
  it('an empty ManagedAccountId is 400, never the caller', async () => {
    expect((await service.manager.as('').get('/api/Authenticate')).status).toBe(400)
  })
  it('an id in upper case is the same id', async () => {
    const own = service.firstAccount.accountId.toUpperCase()
    expect((await service.manager.post(`/api/AccountState/${own}`, { accountState: 'Locked' })).status).toBe(400)
    expect((await service.manager.as(own).get('/api/Authenticate')).status).toBe(200)
    const user = await createAccount(service, service.manager, 'User')
    expect(
      (await service.manager.post(`/api/AttributeTagAdd/account/${user.id.toUpperCase()}`, { value: 'upper' })).status,
    ).toBe(200)
    const found = await service.manager.post('/api/Accounts', { tags: ['upper'] })
    expect(found.body.accounts.map((account: { id: string }) => account.id)).toEqual([user.id])
  })
  it('an unknown entity type is 400 even when the id is no GUID', async () => {
    expect((await service.manager.post('/api/AttributeTagAdd/bogus/not-a-guid', { value: 'x' })).status).toBe(400)
  })
  it('asking for accounts out of reach is rate-limited like anything else', async () => {
    await using strict = await startService({ env: { PATCHBAY_RATE_LIMIT_PER_SECOND: '5' }, role: 'api' })
    const answers = await Promise.all(
      Array.from({ length: 30 }, () =>
        strict.manager.as('00000000-0000-4000-8000-000000000000').get('/api/Authenticate'),
      ),
    )
    expect(new Set(answers.map((answer) => answer.status))).toEqual(new Set([403, 429]))
    expect(answers[0]?.headers.get('ratelimit-limit')).toBe('10')
  })
})

describe('roles', () => {
  it('nobody makes, changes or revokes keys of an account that ranks above him', async () => {
    const partner = await createAccount(service, service.manager, 'SuperPartner')
    const asManager = partner.client.as(service.firstAccount.accountId)
    expect((await asManager.post('/api/ApiKey', {})).status).toBe(403)
    const key = (await asManager.get('/api/ApiKeys')).body[0].id
    expect((await asManager.post(`/api/ApiKey/${key}`, { label: 'mine' })).status).toBe(403)
    expect((await asManager.get(`/api/DeleteApiKey/${key}`)).status).toBe(403)
    expect((await service.manager.get('/api/Authenticate')).status).toBe(200)
  })
  it('activating by hand needs the permission that creating activated accounts needs', async () => {
    const person = () => ({ email: uniqueEmail(), firstName: 'A', lastName: 'B', roleName: 'User' })
    const { body: id } = await service.manager.post('/api/Account', person())
    const permit = (permissions: string) =>
      service.asOwner('update accounts set permissions = $2 where id = $1', [
        service.firstAccount.accountId,
        permissions,
      ])
    await permit('{}')
    // The half second for which the caller's permissions are remembered is over when they are refused elsewhere.
    await eventually(
      async () => (await service.manager.post('/api/Account', { ...person(), activated: true })).status === 400,
    )
    expect((await service.manager.post(`/api/AccountState/${id}`, { accountState: 'active' })).status).toBe(400)
    await permit('{canActivateAccounts}')
    await eventually(
      async () => (await service.manager.post(`/api/AccountState/${id}`, { accountState: 'active' })).status === 200,
    )
  })
})

describe('sign-in by strangers', () => {
  const guess = (email: string) => service.client(undefined).post('/api/SignIn', { email, password: 'a wild guess' })

  it('never locks an account without a password, nor writes about it', async () => {
    const before = await service.asOwner('select count(*) from audit_log')
    for (let attempt = 0; attempt < 12; attempt++) await guess(service.firstAccount.email)
    expect((await service.manager.get('/api/Authenticate')).status).toBe(200)
    expect(await service.asOwner('select count(*) from audit_log')).toEqual(before)
  })
  it('keeps nobody out who comes from another address', async () => {
    await using proxied = await service.startAnother({ PATCHBAY_TRUSTED_PROXIES: '127.0.0.1' }, 'api')
    const { hashPassword } = await import('../../src/sessions/password.ts')
    await service.asOwner('update accounts set password_hash = $2 where id = $1', [
      service.firstAccount.accountId,
      await hashPassword('the right password'),
    ])
    const from = (address: string, password: string) =>
      proxied
        .client(undefined)
        .with({ 'X-Forwarded-For': address })
        .post('/api/SignIn', { email: service.firstAccount.email, password })
    const guesses = await Promise.all(Array.from({ length: 30 }, () => from('192.0.2.1', 'a wild guess')))
    expect(guesses.filter(({ status }) => status === 429).length).toBeGreaterThan(20)
    expect((await from('192.0.2.2', 'the right password')).status).toBe(200)
  })
  it('is slowed down to 429 before it costs anything', async () => {
    const email = uniqueEmail()
    const answers = await Promise.all(Array.from({ length: 30 }, () => guess(email)))
    const refused = answers.filter((answer) => answer.status === 429)
    expect(refused.length).toBeGreaterThanOrEqual(8)
    expect(refused[0]?.headers.get('retry-after')).toBeTruthy()
  })
  it.each([[{ Origin: 'https://evil.example' }], [{ 'Sec-Fetch-Site': 'cross-site' }], [{ Origin: 'null' }]])(
    'from another site (%j) is 403',
    async (headers) => {
      const body = new URLSearchParams({ email: 'a@example.com', password: 'x' }).toString()
      expect((await service.client(undefined).send('POST', '/signin', body, { ...formType, ...headers })).status).toBe(
        403,
      )
      expect(
        (await service.client(undefined).with(headers).post('/api/SignIn', { email: 'a@example.com', password: 'x' }))
          .status,
      ).toBe(403)
    },
  )
  it('cannot end a session without its token', async () => {
    const answer = await service.client(undefined).with({ Cookie: 'patchbay_session=pbn_x' }).post('/api/SignOut')
    expect([answer.status, answer.headers.get('set-cookie')]).toEqual([401, null])
  })
})

describe('clients that do not finish', () => {
  it('cannot make the service busy: bodies that are still on their way are not counted', async () => {
    const { port } = new URL(service.baseUrl)
    const sockets: Socket[] = []
    for (let index = 0; index < 300; index++) {
      const socket = connect(Number(port), '127.0.0.1')
      socket.on('error', () => {})
      socket.write(
        'POST /api/SignIn HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 500\r\n\r\n{',
      )
      sockets.push(socket)
    }
    expect((await service.manager.get('/api/Authenticate')).status).toBe(200)
    for (const socket of sockets) socket.destroy()
  })
})
