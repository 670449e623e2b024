import { describe, expect, it } from 'vitest'
import { createAccount } from '../harness/accounts.ts'
import { startOAuthProvider } from '../harness/oauth-provider.ts'
import { applications, useRegisteredApplications } from '../harness/registered-applications.ts'

const { at, create, search } = useRegisteredApplications()

describe('credentials of registered applications', () => {
  const shopKeys = (more: object = {}) => ({
    storeUrl: at.target.origin,
    consumerKey: 'ck_public',
    consumerSecret: 'cs_canary_secret',
    ...more,
  })

  it('the test request is made with the credentials', async () => {
    expect((await create(applications.shop, shopKeys())).status).toBe(200)
    expect(at.target.received).toMatchObject([{ method: 'GET', url: '/wp-json/wc/v3/orders?per_page=1' }])
    const basic = Buffer.from('ck_public:cs_canary_secret').toString('base64')
    expect(at.target.received[0]?.headers.authorization).toBe(`Basic ${basic}`)
  })

  it.each([401, 403])('%i from the target is 400 in its words, and nothing is stored', async (status) => {
    at.target.answer = ({ headers }) => ({ status, json: { message: 'no such key', got: 'cs_canary_secret', headers } })
    const answer = await create(applications.shop, shopKeys())
    expect(answer.status).toBe(400)
    expect(answer.body.errorMessage).toContain('no such key')
    expect(answer.text).not.toContain('cs_canary_secret')
    expect((await search()).total).toBe(0)
  })

  it('an update whose credentials are refused leaves the old ones in use', async () => {
    const id = (await create(applications.shop, shopKeys())).body
    at.target.answer = ({ headers }) => ({
      status: headers.authorization?.includes(Buffer.from('ck_public:').toString('base64').slice(0, 12)) ? 200 : 401,
      json: [],
    })
    const credentialsJson = JSON.stringify(shopKeys({ consumerKey: 'wrong' }))
    const refused = await at.user.post(`/api/RegApplication/${id}`, { tagText: 'new', credentialsJson })
    expect(refused.status).toBe(400)
    expect((await search()).regApplications).toMatchObject([{ id, tagText: '', isFaulted: false }])
    expect((await at.user.get('/api/ApiGet?url=woocommerce/orders')).status).toBe(200)
  })

  it('an update names only what changes; stars and what is left out stay as they are', async () => {
    const id = (await create(applications.shop, shopKeys())).body
    const update = (credentials: object) =>
      at.user.post(`/api/RegApplication/${id}`, { credentialsJson: JSON.stringify(credentials) })
    const sent = async () => {
      await at.user.get('/api/ApiGet?url=woocommerce/orders')
      const basic = at.target.received.at(-1)?.headers.authorization?.split(' ')[1] ?? ''
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
    const { body: id } = await create(applications.http, { baseUrl: at.target.origin })
    const update = await at.user.post(`/api/RegApplication/${id}`, { credentialsJson: '{"token":"********"}' })
    expect(update.status).toBe(400)
    expect(update.body.errorMessage).toContain('token')
  })

  it('a stored secret does not follow to another host', async () => {
    const id = (await create(applications.shop, shopKeys())).body
    const elsewhere = at.target.origin.replace('127.0.0.1', 'localhost')
    const update = (credentials: object) =>
      at.user.post(`/api/RegApplication/${id}`, { credentialsJson: JSON.stringify(credentials) })
    for (const secret of [{}, { consumerSecret: '********' }]) {
      const refused = await update({ storeUrl: elsewhere, ...secret })
      expect(refused.status).toBe(400)
      expect(refused.body.errorMessage).toMatch(
        /storeUrl .* changes where the credentials are sent\. .* consumerSecret/,
      )
    }
    expect(at.target.received.every(({ headers }) => headers.host?.startsWith('127.0.0.1'))).toBe(true)
    expect((await update(shopKeys({ storeUrl: elsewhere }))).status).toBe(200)
  })

  it('an unreachable target is stored as faulted, and the next success clears it', async () => {
    const answer = await create(applications.shop, shopKeys({ storeUrl: 'http://127.0.0.1:1' }))
    expect(answer.status).toBe(200)
    expect((await search({ isFaulted: true })).regApplications).toMatchObject([
      { id: answer.body, isFaulted: true, faultMessage: expect.stringContaining('could not be reached') },
    ])
    const credentialsJson = JSON.stringify(shopKeys())
    expect((await at.user.post(`/api/RegApplication/${answer.body}`, { credentialsJson })).status).toBe(200)
    expect((await search({ isFaulted: true })).total).toBe(0)
  })

  it.each([429, 500, 503])('a target that answers the test request with %i is no fault', async (status) => {
    at.target.answer = () => ({ status })
    const answer = await create(applications.shop, shopKeys())
    expect(answer.status).toBe(200)
    expect((await search()).regApplications).toMatchObject([{ id: answer.body, isFaulted: false }])
  })

  it.each([401, 403])('%i of the target on a call sets the fault, and the next success clears it', async (status) => {
    await create(applications.shop, shopKeys())
    at.target.answer = () => ({ status, body: 'key was revoked: cs_canary_secret' })
    expect((await at.user.get('/api/ApiGet?url=woocommerce/orders')).status).toBe(400)
    const [faulted] = (await search()).regApplications
    expect(faulted).toMatchObject({ isFaulted: true, faultMessage: expect.stringContaining('key was revoked') })
    expect(faulted.faultMessage).not.toContain('cs_canary_secret')
    at.target.answer = () => ({ status: 500 })
    await at.user.get('/api/ApiGet?url=woocommerce/orders')
    expect((await search()).regApplications).toMatchObject([{ isFaulted: true }])
    at.target.answer = () => ({ json: [] })
    expect((await at.user.get('/api/ApiGet?url=woocommerce/orders')).status).toBe(200)
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
    const drive = await at.user.get(`/api/ApiGet?url=${encodeURIComponent('shpt/sites/{host}:{sitePath}:/drive')}`)
    expect(drive.body).toEqual({ path: '/v1.0/sites/library.example.com:/sites/team:/drive', by: provider.client.id })
    expect(provider.tokenCalls).toHaveLength(before)
    provider.distrustAccessTokens()
    expect((await at.user.get('/api/ApiGet?url=shpt/me')).status).toBe(200)
    expect(provider.tokenCalls).toHaveLength(before + 1)
  })

  it('credentials are readable through no route, nor in the database, nor in the log', async () => {
    const secret = 'canary-7f3c1b9e'
    const created = await create(applications.http, { baseUrl: at.target.origin, authType: 'bearer', token: secret })
    const id = created.body
    await at.user.get('/api/ApiGet?url=http/orders')
    expect(at.target.received[0]?.headers.authorization).toBe(`Bearer ${secret}`)
    const texts = [
      (await at.user.get('/api/RegApplications')).text,
      (await at.user.post('/api/RegApplications', {})).text,
      (await at.user.with({ AppKey: id }).get('/api/ApiAppVault')).text,
      (await at.user.with({ AppKey: id }).get('/api/ApiAuth')).text,
      (
        await at.user.post('/api/RegApplication', {
          applicationId: applications.http,
          credentialsJson: `{"token":"${secret}"}`,
        })
      ).text,
      (await at.service.manager.post('/api/GetAuditLog', { page: 0, size: 1000 })).text,
      JSON.stringify(await at.service.asOwner('select * from registered_applications')),
      at.service.logText(),
    ]
    for (const text of texts) {
      expect(text).not.toContain(secret)
      expect(text).not.toContain(Buffer.from(secret).toString('hex'))
    }
  })

  it('sealed credentials that were moved to another row are an error, never a value', async () => {
    const mine = (
      await create(applications.http, { baseUrl: at.target.origin, authType: 'bearer', token: 'tok-one-1' })
    ).body
    const other = await createAccount(at.service, at.service.manager, 'User')
    const theirs = (
      await create(
        applications.http,
        { baseUrl: at.target.origin, authType: 'bearer', token: 'tok-two-2' },
        {},
        other.client,
      )
    ).body
    await at.service.asOwner(
      'update registered_applications set sealed_credentials = (select sealed_credentials from registered_applications where id = $1) where id = $2',
      [theirs, mine],
    )
    const answer = await at.user.get('/api/ApiGet?url=http/x')
    expect(answer.status).toBe(500)
    expect(answer.text).not.toContain('tok-')
    expect(at.target.received).toEqual([])
  })
})
