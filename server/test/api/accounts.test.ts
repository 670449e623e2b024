import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAccount, createOrganization, uniqueEmail } from '../harness/accounts.ts'
import type { Client } from '../harness/client.ts'
import { joinService } from '../harness/joined-service.ts'
import type { TestService } from '../harness/service.ts'

describe('accounts', () => {
  let service: TestService
  let user: { id: string; client: Client; email: string }
  let partner: { id: string; client: Client; email: string }
  beforeAll(async () => {
    service = await joinService()
    user = await createAccount(service, service.manager, 'User')
    partner = await createAccount(service, service.manager, 'DevPartner')
  })
  afterAll(() => service[Symbol.asyncDispose]())

  const given = (more: object = {}) => ({
    email: uniqueEmail(),
    firstName: 'Grace',
    lastName: 'Hopper',
    roleName: 'User',
    ...more,
  })

  describe('GET /api/Accounts', () => {
    it('lists every account of the organization with all fields', async () => {
      const answer = await service.manager.get('/api/Accounts')
      expect(answer.status).toBe(200)
      expect(answer.body).toContainEqual({
        id: user.id,
        email: user.email,
        firstName: 'Ada',
        lastName: 'Test',
        role: 'User',
        accountState: 'active',
        organizationName: 'My organization',
        tags: [],
      })
    })
    it.each(['User', 'DevPartner', 'SuperPartner'])('is 403 for a %s', async (role) => {
      const { client } = await createAccount(service, service.manager, role)
      const listed = await client.get('/api/Accounts')
      const searched = await client.post('/api/Accounts', {})
      expect([listed.status, searched.status]).toEqual([403, 403])
      expect(listed.body).toEqual({ code: 403, errorMessage: expect.stringContaining('Manager'), response: null })
    })
    it('shows nothing of another organization', async () => {
      const other = await createOrganization(service)
      const answer = await other.manager.get('/api/Accounts')
      expect(answer.body.map((account: { id: string }) => account.id)).toEqual([other.accountId])
    })
  })

  describe('POST /api/Accounts', () => {
    it('pages, zero-based, with the total of all pages', async () => {
      const all = await service.manager.post('/api/Accounts', { page: 0, size: 1000 })
      const first = await service.manager.post('/api/Accounts', { page: 0, size: 2 })
      const second = await service.manager.post('/api/Accounts', { page: 1, size: 2 })
      expect(first.body.total).toBe(all.body.total)
      expect([...first.body.accounts, ...second.body.accounts]).toEqual(all.body.accounts.slice(0, 4))
    })
    it('finds by part of name or e-mail without regard to case', async () => {
      const created = await service.manager.post('/api/Account', given({ firstName: 'Zuzana', lastName: 'Nováková' }))
      for (const searchTerm of ['ZUZANA', 'nováková', 'zuzana nov']) {
        const found = await service.manager.post('/api/Accounts', { searchTerm })
        expect(found.body.accounts.map((a: { id: string }) => a.id)).toEqual([created.body])
        expect(found.body.accounts[0]).not.toHaveProperty('organizationName')
      }
    })
    it.each(['%', '_', '\\'])('takes %s in a search term literally', async (searchTerm) => {
      expect((await service.manager.post('/api/Accounts', { searchTerm })).body).toEqual({ accounts: [], total: 0 })
    })
    it('filters by states, written in any case', async () => {
      const waiting = await service.manager.post('/api/Account', given())
      const found = await service.manager.post('/api/Accounts', { accountState: ['Inactive', 'LOCKED'], size: 1000 })
      expect(found.body.accounts.map((a: { id: string }) => a.id)).toContain(waiting.body)
      expect(new Set(found.body.accounts.map((a: { accountState: string }) => a.accountState))).toEqual(
        new Set(['inActive']),
      )
    })
    it('filters by tags: all of them must be there, in their exact case', async () => {
      for (const value of ['red', 'round'])
        await service.manager.post(`/api/AttributeTagAdd/account/${user.id}`, { value })
      await service.manager.post(`/api/AttributeTagAdd/0/${partner.id}`, { value: 'red' })
      const ids = async (tags: string[]) =>
        (await service.manager.post('/api/Accounts', { tags })).body.accounts.map((a: { id: string }) => a.id)
      expect(await ids(['red'])).toEqual([user.id, partner.id])
      expect(await ids(['red', 'round'])).toEqual([user.id])
      expect(await ids(['Red'])).toEqual([])
    })
    it.each([
      [{ page: -1 }, 'page'],
      [{ page: '0' }, 'page'],
      [{ page: 0.5 }, 'page'],
      [{ page: 1e300 }, 'page'],
      [{ size: 0 }, 'size'],
      [{ size: 1001 }, 'size'],
      [{ accountState: ['sleeping'] }, 'accountState'],
      [{ accountState: 'active' }, 'accountState'],
      [{ tags: [1] }, 'tags'],
      [{ searchTerm: 5 }, 'searchTerm'],
      [{ colour: 'red' }, 'colour'],
    ])('refuses %j naming the field', async (body, field) => {
      const answer = await service.manager.post('/api/Accounts', body)
      expect(answer.status).toBe(400)
      expect(answer.body.errorMessage).toContain(field)
      expect(answer.body).toMatchObject({ code: 400, response: null })
    })
    it.each(['[]', '"x"', 'null', '{', '{"page":0,"page"', 'x'])('refuses the body %s', async (text) => {
      const answer = await service.manager.send('POST', '/api/Accounts', text)
      expect(answer.status).toBe(text === 'null' ? 200 : 400)
    })
    it('refuses a text with NUL, which no database text can hold', async () => {
      const answer = await service.manager.post('/api/Accounts', { searchTerm: 'a\u0000b' })
      expect(answer.status).toBe(400)
    })
  })

  describe('POST /api/Account', () => {
    it('answers the id as a JSON string; the account waits for activation', async () => {
      const body = given({ countryKey: 'no' })
      const answer = await service.manager.post('/api/Account', body)
      expect(answer.status).toBe(200)
      expect(answer.text).toMatch(/^"[0-9a-f-]{36}"$/)
      const found = await service.manager.post('/api/Accounts', { searchTerm: body.email })
      expect(found.body.accounts[0]).toMatchObject({ id: answer.body, accountState: 'inActive' })
      expect(
        await service.asOwner('select country_key, created_by from accounts where id = $1', [answer.body]),
      ).toEqual([{ country_key: 'NO', created_by: service.firstAccount.accountId }])
    })
    it('refuses names with line breaks, control characters or addresses, which would stand in the invitation', async () => {
      const bad = [
        'Anna\nBuy now',
        'Anna\u001b[2J',
        'Anna\u2028x',
        '\u202eannA',
        'see https://evil.example',
        'www.evil.example',
      ]
      for (const firstName of [...bad, 'evil.example/x', 'mail me@evil.example', 'evil.рф', '<b>Anna</b>'])
        for (const field of ['firstName', 'lastName']) {
          const answer = await service.manager.post('/api/Account', given({ [field]: firstName }))
          expect([firstName, answer.status, answer.body.errorMessage]).toEqual([
            firstName,
            400,
            `The field ${field} must be a name on a single line, without web or e-mail addresses.`,
          ])
        }
      for (const firstName of ['Anna-Karin', "O'Neil", 'J. R. R.', 'J.R.R.', 'Dr. Åse', 'Anna (Oslo)', '安娜', 'Jr.'])
        expect([firstName, (await service.manager.post('/api/Account', given({ firstName }))).status]).toEqual([
          firstName,
          200,
        ])
    })
    it('inherits the country of the caller', async () => {
      await service.asOwner("update accounts set country_key = 'SE' where id = $1", [partner.id])
      const answer = await eventuallySeeing(service, partner.client, given())
      expect(await service.asOwner('select country_key from accounts where id = $1', [answer.body])).toEqual([
        { country_key: 'SE' },
      ])
    })
    it('refuses an e-mail that exists, in any case, and changes nothing', async () => {
      const before = await service.asOwner('select count(*) from accounts')
      const answer = await service.manager.post('/api/Account', given({ email: user.email.toUpperCase() }))
      expect(answer.status).toBe(400)
      expect(answer.body.errorMessage).toContain('already exists')
      expect(await service.asOwner('select count(*) from accounts')).toEqual(before)
    })
    it('creates one of many at once with the same e-mail', async () => {
      const body = given()
      const answers = await Promise.all(Array.from({ length: 10 }, () => service.manager.post('/api/Account', body)))
      expect(answers.map((answer) => answer.status).sort()).toEqual([200, ...Array(9).fill(400)])
    })
    it('refuses a User with 400', async () => {
      const answer = await user.client.post('/api/Account', given())
      expect(answer.status).toBe(400)
      expect(answer.body.errorMessage).toContain('User')
    })
    it('refuses activated accounts without the permission', async () => {
      const answer = await partner.client.post('/api/Account', given({ activated: true }))
      expect(answer.status).toBe(400)
      expect(answer.body.errorMessage).toContain('canActivateAccounts')
    })
    it('refuses a role above the caller', async () => {
      const answer = await partner.client.post('/api/Account', given({ roleName: 'SuperPartner' }))
      expect(answer.status).toBe(400)
      expect(answer.body.errorMessage).toContain('roleName')
    })
    it('joins the organization of the managed account', async () => {
      const answer = await service.manager.as(user.id).post('/api/Account', given())
      expect(await service.asOwner('select organization_id from accounts where id = $1', [answer.body])).toEqual([
        { organization_id: service.firstAccount.organizationId },
      ])
    })
    it.each([
      [{ email: 'nobody' }, 'email'],
      [{ email: 'a@b\r\nBcc: x@y.z' }, 'email'],
      [{ email: undefined }, 'email'],
      [{ firstName: '' }, 'firstName'],
      [{ firstName: undefined }, 'firstName'],
      [{ lastName: undefined }, 'lastName'],
      [{ lastName: 7 }, 'lastName'],
      [{ roleName: undefined }, 'roleName'],
      [{ roleName: 'Manager' }, 'roleName'],
      [{ roleName: 'King' }, 'roleName'],
      [{ countryKey: 'Norway' }, 'countryKey'],
      [{ activated: 'true' }, 'activated'],
      [{ password: 'x' }, 'password'],
    ])('refuses %j naming the field', async (more, field) => {
      const answer = await service.manager.post('/api/Account', given(more))
      expect(answer.status).toBe(400)
      expect(answer.body.errorMessage).toContain(field)
    })
  })

  describe('POST /api/AccountState/{id}', () => {
    it('locks and unlocks: the keys of an account that is not active are 401', async () => {
      const someone = await createAccount(service, service.manager, 'User')
      expect((await service.manager.post(`/api/AccountState/${someone.id}`, { accountState: 'Locked' })).status).toBe(
        200,
      )
      expect((await soon(() => someone.client.get('/api/Authenticate'), 401)).body.errorMessage).toContain('not active')
      expect((await service.manager.post(`/api/AccountState/${someone.id}`, { accountState: 'active' })).status).toBe(
        200,
      )
      await soon(() => someone.client.get('/api/Authenticate'), 200)
    })
    it('archives for good', async () => {
      const someone = await createAccount(service, service.manager, 'User')
      await service.manager.post(`/api/AccountState/${someone.id}`, { accountState: 'archived' })
      const back = await service.manager.post(`/api/AccountState/${someone.id}`, { accountState: 'active' })
      expect(back.status).toBe(400)
      await soon(() => someone.client.get('/api/Authenticate'), 401)
    })
    it('needs a Manager', async () => {
      expect((await partner.client.post(`/api/AccountState/${user.id}`, { accountState: 'locked' })).status).toBe(403)
    })
    it('is 404 for foreign, unknown and malformed ids, and 400 for one’s own account', async () => {
      const other = await createOrganization(service)
      const ids = [other.accountId, '00000000-0000-4000-8000-000000000000', 'nonsense']
      const answers = await Promise.all(
        ids.map((id) => service.manager.post(`/api/AccountState/${id}`, { accountState: 'locked' })),
      )
      expect(answers.map((answer) => answer.status)).toEqual([404, 404, 404])
      expect(
        (await service.manager.post(`/api/AccountState/${service.firstAccount.accountId}`, { accountState: 'locked' }))
          .status,
      ).toBe(400)
    })
  })

  describe('ManagedAccountId', () => {
    it('reaches what each role may reach', async () => {
      const mine = await partner.client.post('/api/Account', given())
      const status = async (client: Client, id: string) => (await client.as(id).get('/api/Authenticate')).status
      expect(await status(user.client, user.id)).toBe(200)
      expect(await status(user.client, partner.id)).toBe(403)
      expect(await status(partner.client, mine.body)).toBe(200)
      expect(await status(partner.client, user.id)).toBe(403)
      const superPartner = await createAccount(service, service.manager, 'SuperPartner')
      expect(await status(superPartner.client, mine.body)).toBe(200)
      expect(await status(service.manager, mine.body)).toBe(200)
    })
    it('gives one same refusal for foreign and unknown accounts, and 400 for what is no GUID', async () => {
      const other = await createOrganization(service)
      const foreign = await service.manager.as(other.accountId).get('/api/Authenticate')
      const unknown = await service.manager.as('00000000-0000-4000-8000-000000000000').get('/api/Authenticate')
      expect([foreign.status, unknown.status]).toEqual([403, 403])
      expect(foreign.text).toBe(unknown.text)
      expect((await service.manager.as('me').get('/api/Authenticate')).status).toBe(400)
    })
    it('checks the role of the caller, not of the managed account', async () => {
      const answer = await user.client.as(user.id).get('/api/Accounts')
      expect(answer.status).toBe(403)
      expect((await service.manager.as(user.id).get('/api/Accounts')).status).toBe(200)
    })
  })
})

/** Changes of an account reach the cache of authenticated keys within a second. */
async function soon(ask: () => Promise<import('../harness/client.ts').Answer>, status: number) {
  const { eventually } = await import('../harness/eventually.ts')
  return eventually(async () => {
    const answer = await ask()
    return answer.status === status ? answer : undefined
  })
}

async function eventuallySeeing(service: TestService, client: Client, body: object) {
  // The country of the caller was changed behind the service's back; its cache forgets within half a second.
  await soonCountry(service, client)
  return client.post('/api/Account', body)
}

async function soonCountry(service: TestService, client: Client): Promise<void> {
  const { eventually } = await import('../harness/eventually.ts')
  await eventually(async () => {
    const probe = await client.post('/api/Account', {
      email: uniqueEmail(),
      firstName: 'P',
      lastName: 'Q',
      roleName: 'User',
    })
    const rows = await service.asOwner('select country_key from accounts where id = $1', [probe.body])
    return rows[0]?.['country_key'] === 'SE'
  })
}
