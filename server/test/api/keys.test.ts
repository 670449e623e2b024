import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAccount, createOrganization, uniqueEmail } from '../harness/accounts.ts'
import { eventually } from '../harness/eventually.ts'
import { startService, type TestService } from '../harness/service.ts'
import { holdsWithinASecond } from '../harness/within-a-second.ts'

describe('key pairs', () => {
  let service: TestService
  beforeAll(async () => {
    service = await startService({ env: { PATCHBAY_TRUSTED_PROXIES: '127.0.0.1/32' } })
  })
  afterAll(() => service[Symbol.asyncDispose]())

  const makeKey = async (body: object) => (await service.manager.post('/api/ApiKey', body)).body

  it('are shown once, work at once, and are listed without their secret', async () => {
    const made = await service.manager.post('/api/ApiKey', { label: 'export' })
    expect(made.status).toBe(200)
    expect(made.body.secretKey).toMatch(/^pbs_[\w-]{49}$/)
    expect((await service.client(made.body).get('/api/Authenticate')).status).toBe(200)
    const listed = await service.manager.get('/api/ApiKeys')
    expect(listed.body).toContainEqual({
      id: made.body.id,
      label: 'export',
      consumer: made.body.consumer,
      ipRestriction: [],
      expiresDateTimeUTC: null,
      lastUsedDateTimeUTC: null,
      createDateTimeUTC: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    })
    expect(listed.text).not.toContain(made.body.secretKey)
    const rows = JSON.stringify(await service.asOwner('select * from api_keys'))
    expect(rows).not.toContain(made.body.secretKey)
  })

  it('accept an empty body: every setting is optional', async () => {
    const made = await service.manager.post('/api/ApiKey')
    expect(made.status).toBe(200)
    expect((await service.client(made.body).get('/api/Authenticate')).status).toBe(200)
  })

  it('stop working within a second on every process once revoked', async () => {
    await using second = await service.startAnother()
    const key = await makeKey({})
    const here = service.client(key)
    const there = second.client(key)
    expect([(await here.get('/api/Authenticate')).status, (await there.get('/api/Authenticate')).status]).toEqual([
      200, 200,
    ])
    expect((await service.manager.get(`/api/DeleteApiKey/${key.id}`)).body).toBe(true)
    await Promise.all(
      [here, there].map((client) =>
        holdsWithinASecond(async () => (await client.get('/api/Authenticate')).status === 401),
      ),
    )
    expect((await service.manager.get(`/api/DeleteApiKey/${key.id}`)).status).toBe(404)
  })

  it('note when they were last used', async () => {
    const key = await makeKey({ label: 'used' })
    await service.client(key).get('/api/Authenticate')
    const seen = await eventually(async () => {
      const listed = (await service.manager.get('/api/ApiKeys')).body as {
        id: string
        lastUsedDateTimeUTC: string | null
      }[]
      return listed.find((entry) => entry.id === key.id)?.lastUsedDateTimeUTC ?? undefined
    })
    expect(Date.parse(seen)).toBeGreaterThan(Date.now() - 60_000)
  })

  it('expire', async () => {
    const key = await makeKey({ expiresDateTimeUTC: new Date(Date.now() - 1000).toISOString() })
    const answer = await service.client(key).get('/api/Authenticate')
    expect(answer.status).toBe(401)
    expect(answer.body.errorMessage).toContain('expired')
  })

  describe('address restriction', () => {
    const from = (key: { consumer: string; secretKey: string }, address: string) =>
      service.client(key).with({ 'X-Forwarded-For': address }).get('/api/Authenticate')

    it.each([
      ['203.0.113.7', '203.0.113.7', 200],
      ['203.0.113.0/24', '203.0.113.250', 200],
      ['203.0.113.0/24', '203.0.114.1', 401],
      ['2001:db8::/32', '2001:db8:1::5', 200],
      ['2001:db8::/32', '2001:db9::5', 401],
      ['203.0.113.7', '::ffff:203.0.113.7', 200],
      ['0.0.0.0/0', '2001:db8::1', 401],
      ['203.0.113.7', '203.0.113.7:4711', 200],
      ['203.0.113.7', '203.0.113.8:4711', 401],
      ['2001:db8::/32', '[2001:db8:1::5]:4711', 200],
      ['2001:db8::/32', '[2001:db8:1::5]', 200],
      ['203.0.113.7', '203.0.113.7:port', 401],
    ])('%s lets %s in: %i', async (entry, address, status) => {
      const key = await makeKey({ ipRestriction: [entry] })
      const answer = await from(key, address)
      expect(answer.status).toBe(status)
      if (status === 401) expect(answer.body.errorMessage).toContain('address')
    })
    it('believes only the address that the trusted proxy saw, not what the client wrote before it', async () => {
      const key = await makeKey({ ipRestriction: ['203.0.113.7'] })
      expect((await from(key, '203.0.113.7, 198.51.100.9')).status).toBe(401)
      expect((await from(key, '198.51.100.9, 203.0.113.7')).status).toBe(200)
      expect((await from(key, '198.51.100.9:1, 203.0.113.7:2')).status).toBe(200)
      expect((await from(key, '203.0.113.7:1, 198.51.100.9:2')).status).toBe(401)
    })
    it('believes no forwarded address when no proxy is trusted', async () => {
      await using plain = await startService()
      const key = (await plain.manager.post('/api/ApiKey', { ipRestriction: ['203.0.113.7'] })).body
      expect((await plain.client(key).with({ 'X-Forwarded-For': '203.0.113.7' }).get('/api/Authenticate')).status).toBe(
        401,
      )
    })
    it('holds within a second after a change', async () => {
      const key = await makeKey({})
      const client = service.client(key)
      expect((await client.get('/api/Authenticate')).status).toBe(200)
      expect((await service.manager.post(`/api/ApiKey/${key.id}`, { ipRestriction: ['192.0.2.1'] })).status).toBe(200)
      await holdsWithinASecond(async () => (await client.get('/api/Authenticate')).status === 401)
    })
    it.each(['localhost', '1.2.3', '1.2.3.4/33', '1.2.3.4/', '::1/129', '1.2.3.4/8/8', 'fe80::1%eth0', '*', ' '])(
      'refuses the entry %s',
      async (entry) => {
        const answer = await service.manager.post('/api/ApiKey', { ipRestriction: [entry] })
        expect(answer.status).toBe(400)
        expect(answer.body.errorMessage).toContain('ipRestriction')
      },
    )
  })

  it.each([
    [{ label: 5 }],
    [{ ipRestriction: '1.2.3.4' }],
    [{ expiresDateTimeUTC: 'tomorrow' }],
    [{ expiresDateTimeUTC: '2026-13-40T99:99:99Z' }],
    [{ secretKey: 'mine' }],
  ])('refuse %j', async (body) => {
    expect((await service.manager.post('/api/ApiKey', body)).status).toBe(400)
  })

  it('of a managed account are made and listed for that account', async () => {
    const user = await createAccount(service, service.manager, 'User')
    const made = await service.manager.as(user.id).post('/api/ApiKey', { label: 'theirs' })
    expect((await service.client(made.body).get('/api/Authenticate')).body.myAccount.id).toBe(user.id)
    expect((await service.manager.get('/api/ApiKeys')).text).not.toContain(made.body.consumer)
    expect((await service.manager.as(user.id).get('/api/ApiKeys')).text).toContain(made.body.consumer)
  })

  it('of others are 404, with the same bytes as unknown ones', async () => {
    const other = await createOrganization(service)
    const foreign = (await other.manager.get('/api/ApiKeys')).body[0].id
    const unknown = '00000000-0000-4000-8000-000000000000'
    for (const path of ['/api/DeleteApiKey', '/api/RevealApiKey']) {
      const answers = await Promise.all([foreign, unknown].map((id) => service.manager.get(`${path}/${id}`)))
      expect(answers.map((answer) => answer.status)).toEqual([404, 404])
      expect(answers[0]?.text).toBe(answers[1]?.text)
    }
    expect((await other.manager.get('/api/Authenticate')).status).toBe(200)
  })

  describe('of an activated account', () => {
    const create = async () => {
      const body = { email: uniqueEmail(), firstName: 'A', lastName: 'B', roleName: 'User', activated: true }
      return (await service.manager.post('/api/Account', body)).body as string
    }
    it('are revealed exactly once, however many ask at the same moment', async () => {
      const accountId = await create()
      const keys = (await service.manager.as(accountId).get('/api/ApiKeys')).body
      expect(keys).toHaveLength(1)
      const answers = await Promise.all(
        Array.from({ length: 12 }, () => service.manager.get(`/api/RevealApiKey/${keys[0].id}`)),
      )
      expect(answers.map((answer) => answer.status).sort()).toEqual([200, ...Array(11).fill(404)])
      const revealed = answers.find((answer) => answer.status === 200)!.body
      expect((await service.client(revealed).get('/api/Authenticate')).body.myAccount.id).toBe(accountId)
    })
    it('are not revealed to a Manager who did not create the account', async () => {
      const accountId = await create()
      const colleague = await createAccount(service, service.manager, 'SuperPartner')
      expect((await colleague.client.as(accountId).get(`/api/RevealApiKey/${accountId}`)).status).toBe(404)
    })
    it('cannot be revealed after seven days', async () => {
      const accountId = await create()
      await service.asOwner("update api_keys set reveal_until = now() - interval '1 second' where account_id = $1", [
        accountId,
      ])
      expect((await service.manager.get(`/api/RevealApiKey/${accountId}`)).status).toBe(404)
    })
    it('are not used up by HEAD', async () => {
      const accountId = await create()
      expect((await service.manager.send('HEAD', `/api/RevealApiKey/${accountId}`)).status).toBe(405)
      expect((await service.manager.get(`/api/RevealApiKey/${accountId}`)).status).toBe(200)
    })
  })
})
