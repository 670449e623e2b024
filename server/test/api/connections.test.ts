import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createAccount, createOrganization } from '../harness/accounts.ts'
import type { Client } from '../harness/client.ts'
import { type HttpTarget, startHttpTarget } from '../harness/http-target.ts'
import { startOAuthProvider } from '../harness/oauth-provider.ts'
import { startService, type TestService } from '../harness/service.ts'

const applications = {
  test: 'f3055934-bffe-55b6-b9e5-ce20a3a8563b',
  http: 'e31040e1-1997-54d0-bfa6-43f910dc7be6',
  shop: 'd67d072b-d997-5cbf-83c0-58e1808cf07a',
  library: 'a249afab-8ee8-511d-9308-361fe7a44b13',
  smtp: 'd58d931d-8622-50f6-925e-265e3c224e69',
}

describe('registered applications', () => {
  let service: TestService
  let target: HttpTarget
  let user: Client
  let userId: string

  beforeAll(async () => {
    service = await startService()
    target = await startHttpTarget()
  })
  afterAll(async () => {
    await target[Symbol.asyncDispose]()
    await service[Symbol.asyncDispose]()
  })
  beforeEach(async () => {
    const made = await createAccount(service, service.manager, 'User')
    user = made.client
    userId = made.id
    target.received.length = 0
    target.answer = () => ({ json: [] })
  })

  const create = (applicationId: string, credentials?: unknown, more: object = {}, client = user) =>
    client.post('/api/RegApplication', {
      applicationId,
      ...(credentials === undefined ? {} : { credentialsJson: JSON.stringify(credentials) }),
      ...more,
    })
  const shopKeys = (more: object = {}) => ({
    storeUrl: target.origin,
    consumerKey: 'ck_public',
    consumerSecret: 'cs_canary_secret',
    ...more,
  })
  const search = async (body: object = {}, client = user) => (await client.post('/api/RegApplications', body)).body

  it('registers, lists, changes and deletes', async () => {
    const created = await create(applications.http, { baseUrl: target.origin }, { tagText: 'warehouse' })
    expect(created.status, created.text).toBe(200)
    expect(created.body).toMatch(/^[0-9a-f-]{36}$/)
    const id = created.body
    const item = {
      id,
      applicationId: applications.http,
      shortName: 'HTTP',
      name: 'HTTP',
      tagText: 'warehouse',
      isOAuth: false,
      isAuthenticated: true,
      isFaulted: false,
      faultMessage: null,
      tags: [],
      workflowsCount: 0,
      createDateTimeUTC: expect.stringMatching(/^\d{4}-.*\.\d{3}Z$/),
      modifyDateTimeUTC: expect.stringMatching(/^\d{4}-.*\.\d{3}Z$/),
    }
    expect((await user.get('/api/RegApplications')).body).toEqual([item])
    expect(await search()).toEqual({ regApplications: [item], total: 1 })

    const changed = await user.post(`/api/RegApplication/${id.toUpperCase()}`, { tagText: 'north' })
    expect([changed.status, changed.body]).toEqual([200, ''])
    expect((await user.get('/api/RegApplications')).body).toMatchObject([{ id, tagText: 'north' }])

    expect((await user.get(`/api/DeleteRegApplication/${id}`)).body).toBe(true)
    expect((await user.get('/api/RegApplications')).body).toEqual([])
    expect((await user.get(`/api/DeleteRegApplication/${id}`)).status).toBe(404)
  })

  it('an application without credential fields needs no credentials', async () => {
    expect((await create(applications.test)).status).toBe(200)
    expect((await create(applications.test, {})).status).toBe(200)
  })

  it('an application that is not in the catalogue is 404, a malformed id 400', async () => {
    expect((await create('00000000-0000-4000-8000-000000000000')).status).toBe(404)
    expect((await create('HTTP')).status).toBe(400)
    expect((await user.post('/api/RegApplication', {})).body.errorMessage).toContain('applicationId')
  })

  it.each([
    ['missing', {}, 'baseUrl'],
    ['null where it is required', { baseUrl: null }, 'baseUrl'],
    ['empty where it is required', { baseUrl: '' }, 'baseUrl'],
    ['undeclared', { baseUrl: 'https://example.com', apikey: 'x' }, 'apikey'],
    ['of the wrong type', { baseUrl: 7 }, 'baseUrl'],
    ['a list', { baseUrl: ['https://example.com'] }, 'baseUrl'],
    ['not an address', { baseUrl: 'example' }, 'baseUrl'],
    ['an address of another kind', { baseUrl: 'file:///etc/passwd' }, 'baseUrl'],
    ['an address with a password in it', { baseUrl: 'https://a:b@example.com' }, 'baseUrl'],
    ['not one of the options', { baseUrl: 'https://example.com', authType: 'digest' }, 'authType'],
    ['needed by the chosen authentication', { baseUrl: 'https://example.com', authType: 'bearer' }, 'token'],
    [
      'no header name',
      { baseUrl: 'https://example.com', authType: 'header', headerName: 'a b', headerValue: 'x' },
      'headerName',
    ],
    ['declared by the language only', JSON.parse('{"baseUrl":"https://example.com","__proto__":"x"}'), '__proto__'],
  ])('a credential field that is %s is named', async (_what, credentials, field) => {
    const answer = await create(applications.http, credentials)
    expect(answer.status).toBe(400)
    expect(answer.body.errorMessage).toContain(field)
    expect((await search()).total).toBe(0)
  })

  it('number and boolean fields are not coerced', async () => {
    const server = { host: 'mail.example.com', from: 'a@example.com' }
    expect((await create(applications.smtp, { ...server, port: '587' })).body.errorMessage).toContain('port')
    expect((await create(applications.smtp, { ...server, secure: 'true' })).body.errorMessage).toContain('secure')
  })

  it.each(['', 'text', '[]', 'null', '1', '{"baseUrl":', '"{}"'])('credentialsJson %j is refused', async (text) => {
    const answer = await user.post('/api/RegApplication', { applicationId: applications.http, credentialsJson: text })
    expect(answer.status).toBe(400)
    expect(answer.body.errorMessage).toContain('credentialsJson')
  })

  it('credentialsJson that is an object and not a string is refused', async () => {
    const body = { applicationId: applications.http, credentialsJson: { baseUrl: target.origin } }
    expect((await user.post('/api/RegApplication', body)).body.errorMessage).toContain('credentialsJson')
  })

  it('options are matched without regard to case', async () => {
    const credentials = { baseUrl: target.origin, authType: 'Basic', username: 'u', password: 'p' }
    expect((await create(applications.http, credentials)).status).toBe(200)
    await user.get('/api/ApiGet?url=http/x')
    expect(target.received[0]?.headers.authorization).toBe(`Basic ${Buffer.from('u:p').toString('base64')}`)
  })

  it('the test request is made with the credentials', async () => {
    expect((await create(applications.shop, shopKeys())).status).toBe(200)
    expect(target.received).toMatchObject([{ method: 'GET', url: '/wp-json/wc/v3/orders?per_page=1' }])
    const basic = Buffer.from('ck_public:cs_canary_secret').toString('base64')
    expect(target.received[0]?.headers.authorization).toBe(`Basic ${basic}`)
  })

  it.each([401, 403])('%i from the target is 400 in its words, and nothing is stored', async (status) => {
    target.answer = ({ headers }) => ({ status, json: { message: 'no such key', got: 'cs_canary_secret', headers } })
    const answer = await create(applications.shop, shopKeys())
    expect(answer.status).toBe(400)
    expect(answer.body.errorMessage).toContain('no such key')
    expect(answer.text).not.toContain('cs_canary_secret')
    expect((await search()).total).toBe(0)
  })

  it('an update whose credentials are refused leaves the old ones in use', async () => {
    const id = (await create(applications.shop, shopKeys())).body
    target.answer = ({ headers }) => ({
      status: headers.authorization?.includes(Buffer.from('ck_public:').toString('base64').slice(0, 12)) ? 200 : 401,
      json: [],
    })
    const credentialsJson = JSON.stringify(shopKeys({ consumerKey: 'wrong' }))
    const refused = await user.post(`/api/RegApplication/${id}`, { tagText: 'new', credentialsJson })
    expect(refused.status).toBe(400)
    expect((await search()).regApplications).toMatchObject([{ id, tagText: '', isFaulted: false }])
    expect((await user.get('/api/ApiGet?url=woocommerce/orders')).status).toBe(200)
  })

  it('an update names only what changes; stars and what is left out stay as they are', async () => {
    const id = (await create(applications.shop, shopKeys())).body
    const update = (credentials: object) =>
      user.post(`/api/RegApplication/${id}`, { credentialsJson: JSON.stringify(credentials) })
    const sent = async () => {
      await user.get('/api/ApiGet?url=woocommerce/orders')
      const basic = target.received.at(-1)?.headers.authorization?.split(' ')[1] ?? ''
      return Buffer.from(basic, 'base64').toString()
    }
    expect((await update({ consumerKey: 'ck_new' })).status).toBe(200)
    expect(await sent()).toBe('ck_new:cs_canary_secret')
    expect((await update(shopKeys({ consumerKey: 'ck_third', consumerSecret: '********' }))).status).toBe(200)
    expect(await sent()).toBe('ck_third:cs_canary_secret')
    expect((await update({ consumerSecret: 'cs_other_secret' })).status).toBe(200)
    expect(await sent()).toBe('ck_third:cs_other_secret')
    expect((await update({ consumerSecret: null })).body.errorMessage).toContain('consumerSecret')
  })

  it('stars are no secret where none is stored', async () => {
    const refused = await create(applications.shop, shopKeys({ consumerSecret: '********' }))
    expect(refused.status).toBe(400)
    expect(refused.body.errorMessage).toContain('consumerSecret')
    const { body: id } = await create(applications.http, { baseUrl: target.origin })
    const update = await user.post(`/api/RegApplication/${id}`, { credentialsJson: '{"token":"********"}' })
    expect(update.status).toBe(400)
    expect(update.body.errorMessage).toContain('token')
  })

  it('a stored secret does not follow to another host', async () => {
    const id = (await create(applications.shop, shopKeys())).body
    const elsewhere = target.origin.replace('127.0.0.1', 'localhost')
    const update = (credentials: object) =>
      user.post(`/api/RegApplication/${id}`, { credentialsJson: JSON.stringify(credentials) })
    for (const secret of [{}, { consumerSecret: '********' }]) {
      const refused = await update({ storeUrl: elsewhere, ...secret })
      expect(refused.status).toBe(400)
      expect(refused.body.errorMessage).toMatch(/storeUrl .* changes where .* consumerSecret/)
    }
    expect(target.received.every(({ headers }) => headers.host?.startsWith('127.0.0.1'))).toBe(true)
    expect((await update(shopKeys({ storeUrl: elsewhere }))).status).toBe(200)
  })

  it('an unreachable target is stored as faulted, and the next success clears it', async () => {
    const answer = await create(applications.shop, shopKeys({ storeUrl: 'http://127.0.0.1:1' }))
    expect(answer.status).toBe(200)
    expect((await search({ isFaulted: true })).regApplications).toMatchObject([
      { id: answer.body, isFaulted: true, faultMessage: expect.stringContaining('could not be reached') },
    ])
    const credentialsJson = JSON.stringify(shopKeys())
    expect((await user.post(`/api/RegApplication/${answer.body}`, { credentialsJson })).status).toBe(200)
    expect((await search({ isFaulted: true })).total).toBe(0)
  })

  it.each([401, 403])('%i of the target on a call sets the fault, and the next success clears it', async (status) => {
    await create(applications.shop, shopKeys())
    target.answer = () => ({ status, body: 'key was revoked: cs_canary_secret' })
    expect((await user.get('/api/ApiGet?url=woocommerce/orders')).status).toBe(400)
    const [faulted] = (await search()).regApplications
    expect(faulted).toMatchObject({ isFaulted: true, faultMessage: expect.stringContaining('key was revoked') })
    expect(faulted.faultMessage).not.toContain('cs_canary_secret')
    target.answer = () => ({ status: 500 })
    await user.get('/api/ApiGet?url=woocommerce/orders')
    expect((await search()).regApplications).toMatchObject([{ isFaulted: true }])
    target.answer = () => ({ json: [] })
    expect((await user.get('/api/ApiGet?url=woocommerce/orders')).status).toBe(200)
    expect((await search()).regApplications).toMatchObject([{ isFaulted: false, faultMessage: null }])
  })

  it('client credentials are tried at the provider: a wrong secret is 400 and nothing is stored', async () => {
    await using provider = await startOAuthProvider('http://127.0.0.1:1/unused')
    const site = {
      tenantId: 'tenant',
      clientId: provider.client.id,
      clientSecret: provider.client.secret,
      host: 'library.example.com',
      sitePath: '/sites/team',
      authUrl: provider.issuer,
      graphUrl: provider.issuer,
    }
    const wrong = await create(applications.library, { ...site, clientSecret: 'not-the-right-secret' })
    expect(wrong.status).toBe(400)
    expect(wrong.body.errorMessage).toContain('invalid_client')
    expect((await search()).total).toBe(0)

    const right = await create(applications.library, site)
    expect(right.status, right.text).toBe(200)
    expect(provider.apiCalls).toEqual([{ path: '/v1.0/sites/library.example.com:/sites/team', status: 200 }])
    const before = provider.tokenCalls.length
    const drive = await user.get(`/api/ApiGet?url=${encodeURIComponent('shpt/sites/{host}:{sitePath}:/drive')}`)
    expect(drive.body).toEqual({ path: '/v1.0/sites/library.example.com:/sites/team:/drive', by: provider.client.id })
    expect(provider.tokenCalls).toHaveLength(before)
    provider.distrustAccessTokens()
    expect((await user.get('/api/ApiGet?url=shpt/me')).status).toBe(200)
    expect(provider.tokenCalls).toHaveLength(before + 1)
  })

  it('every filter of the search narrows it, and pages do not overlap', async () => {
    const ids: string[] = []
    for (const tagText of ['Alpha 100%', 'beta_x', 'gamma', 'Ærø \\ Delta']) {
      ids.push((await create(applications.http, { baseUrl: target.origin }, { tagText })).body)
    }
    ids.push((await create(applications.test, undefined, { tagText: 'alpha test' })).body)
    await user.post(`/api/AttributeTagAdd/registeredApp/${ids[0]}`, { value: 'pilot' })
    await user.post(`/api/AttributeTagAdd/1/${ids[1]}`, { value: 'pilot' })
    await user.post(`/api/AttributeTagAdd/registeredapp/${ids[1]}`, { value: 'eu' })
    const found = async (body: object) => (await search(body)).regApplications.map((item: { id: string }) => item.id)

    expect(await found({ searchTerm: 'ALPHA' })).toEqual([ids[0], ids[4]])
    expect(await found({ searchTerm: '0%' })).toEqual([ids[0]])
    expect(await found({ searchTerm: 'a_x' })).toEqual([ids[1]])
    expect(await found({ searchTerm: 'ÆRØ \\' })).toEqual([ids[3]])
    expect(await found({ searchTerm: 'test service' })).toEqual([ids[4]])
    expect(await found({ tags: ['pilot'] })).toEqual([ids[0], ids[1]])
    expect(await found({ tags: ['pilot', 'eu'] })).toEqual([ids[1]])
    expect(await found({ tags: ['Pilot'] })).toEqual([])
    expect(await found({ appIds: [applications.test.toUpperCase()] })).toEqual([ids[4]])
    expect(await found({ appIds: [applications.test, applications.http] })).toEqual(ids)
    expect(await found({ isFaulted: true })).toEqual([])
    expect(await found({ isFaulted: false, searchTerm: 'gamma' })).toEqual([ids[2]])
    expect(await search({ page: 1, size: 2 })).toMatchObject({
      total: 5,
      regApplications: [{ id: ids[2] }, { id: ids[3] }],
    })
    expect((await search({ tags: ['eu'] })).regApplications[0].tags).toEqual(['eu', 'pilot'])
  })

  it.each([
    [{ page: '0' }, 'page'],
    [{ page: -1 }, 'page'],
    [{ size: 0 }, 'size'],
    [{ size: 1001 }, 'size'],
    [{ isFaulted: 'true' }, 'isFaulted'],
    [{ appIds: ['x'] }, 'appIds'],
    [{ regAppIds: [] }, 'regAppIds'],
  ])('search refuses %j', async (body, field) => {
    const answer = await user.post('/api/RegApplications', body)
    expect(answer.status).toBe(400)
    expect(answer.body.errorMessage).toContain(field)
  })

  it('deleting is refused with the ids of the workflows that use it, until they are archived', async () => {
    const id = (await create(applications.test)).body
    const workflow = await user.post('/api/Workflow', {
      name: 'uses it',
      applications: { TEST: id },
      chain: [{ blockName: 'a', script: "return await api.get('test/meta')" }],
    })
    expect(workflow.status, workflow.text).toBe(200)
    expect((await search()).regApplications).toMatchObject([{ id, workflowsCount: 1 }])
    const refused = await user.get(`/api/DeleteRegApplication/${id}`)
    expect(refused.status).toBe(400)
    expect(refused.body.errorMessage).toContain(workflow.body)
    await user.get(`/api/ArchiveWorkflow/${workflow.body}`)
    expect((await search()).regApplications).toMatchObject([{ id, workflowsCount: 0 }])
    expect((await user.get(`/api/DeleteRegApplication/${id}`)).body).toBe(true)
  })

  it('what is not the account’s does not exist, byte for byte', async () => {
    const id = (await create(applications.http, { baseUrl: target.origin })).body
    const other = await createAccount(service, service.manager, 'User')
    const foreign = await createOrganization(service)
    const unknown = '00000000-0000-4000-8000-000000000000'
    for (const client of [other.client, foreign.manager, service.manager]) {
      expect((await client.get('/api/RegApplications')).body).toEqual([])
      for (const ask of [
        (at: string) => client.get(`/api/DeleteRegApplication/${at}`),
        (at: string) => client.post(`/api/RegApplication/${at}`, { tagText: 'mine' }),
        (at: string) => client.with({ AppKey: at }).get('/api/ApiGet?url=http/x'),
        (at: string) => client.with({ AppKey: at }).get('/api/ApiAppVault'),
        (at: string) => client.with({ AppKey: at }).get('/api/ApiAuth?shortName=http'),
      ]) {
        const [one, none] = [await ask(id), await ask(unknown)]
        expect([one.status, one.text]).toEqual([404, none.text])
      }
      expect((await client.post(`/api/AttributeTagAdd/registeredApp/${id}`, { value: 'x' })).status).toBe(404)
    }
    expect((await user.get('/api/DeleteRegApplication/not-a-guid')).status).toBe(404)
    expect(target.received).toEqual([])
    // A Manager reaches it by acting for the account.
    expect((await service.manager.as(userId).get('/api/RegApplications')).body).toMatchObject([{ id }])
  })

  it('HEAD does not delete', async () => {
    const id = (await create(applications.test)).body
    expect((await user.send('HEAD', `/api/DeleteRegApplication/${id}`)).status).toBe(405)
    expect((await search()).total).toBe(1)
  })

  it('credentials are readable through no route, nor in the database, nor in the log', async () => {
    const secret = 'canary-7f3c1b9e'
    const created = await create(applications.http, { baseUrl: target.origin, authType: 'bearer', token: secret })
    const id = created.body
    await user.get('/api/ApiGet?url=http/orders')
    expect(target.received[0]?.headers.authorization).toBe(`Bearer ${secret}`)
    const texts = [
      (await user.get('/api/RegApplications')).text,
      (await user.post('/api/RegApplications', {})).text,
      (await user.with({ AppKey: id }).get('/api/ApiAppVault')).text,
      (await user.with({ AppKey: id }).get('/api/ApiAuth')).text,
      (
        await user.post('/api/RegApplication', {
          applicationId: applications.http,
          credentialsJson: `{"token":"${secret}"}`,
        })
      ).text,
      (await service.manager.post('/api/GetAuditLog', { page: 0, size: 1000 })).text,
      JSON.stringify(await service.asOwner('select * from registered_applications')),
      service.logText(),
    ]
    for (const text of texts) {
      expect(text).not.toContain(secret)
      expect(text).not.toContain(Buffer.from(secret).toString('hex'))
    }
  })

  it('sealed credentials that were moved to another row are an error, never a value', async () => {
    const mine = (await create(applications.http, { baseUrl: target.origin, authType: 'bearer', token: 'tok-one-1' }))
      .body
    const other = await createAccount(service, service.manager, 'User')
    const theirs = (
      await create(
        applications.http,
        { baseUrl: target.origin, authType: 'bearer', token: 'tok-two-2' },
        {},
        other.client,
      )
    ).body
    await service.asOwner(
      'update registered_applications set sealed_credentials = (select sealed_credentials from registered_applications where id = $1) where id = $2',
      [theirs, mine],
    )
    const answer = await user.get('/api/ApiGet?url=http/x')
    expect(answer.status).toBe(500)
    expect(answer.text).not.toContain('tok-')
    expect(target.received).toEqual([])
  })

  it('every change is one row in the audit log, without secrets', async () => {
    const id = (await create(applications.http, { baseUrl: target.origin }, { tagText: 'a' })).body
    await user.post(`/api/RegApplication/${id}`, { tagText: 'b' })
    await user.get(`/api/DeleteRegApplication/${id}`)
    const rows = await service.asOwner('select action from audit_log where target = $1 order by id', [id])
    expect(rows.map((row) => row['action'])).toEqual([
      'registeredApplication.created',
      'registeredApplication.changed',
      'registeredApplication.deleted',
    ])
  })

  it('a character that cannot be stored is 400', async () => {
    expect((await create(applications.test, undefined, { tagText: 'a\u0000b' })).status).toBe(400)
    expect((await user.post('/api/RegApplications', { searchTerm: 'a\u0000b' })).status).toBe(400)
  })
})
