import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createAccount } from '../harness/accounts.ts'
import type { Client } from '../harness/client.ts'
import { eventually } from '../harness/eventually.ts'
import { type OAuthProvider, startOAuthProvider, tokenPath } from '../harness/oauth-provider.ts'
import { startService, type TestService } from '../harness/service.ts'

const oauthApplication = '79232e5e-3a65-505e-9ce0-69887e8819ac'

describe('OAuth 2 with a real provider', () => {
  let service: TestService
  let provider: OAuthProvider
  /** An account of its own for each test, so that one instance is all there is. */
  let user: Client
  let userId: string

  beforeAll(async () => {
    service = await startService()
    provider = await startOAuthProvider(`${service.baseUrl}/oauth/callback`)
  })
  afterAll(async () => {
    await provider[Symbol.asyncDispose]()
    await service[Symbol.asyncDispose]()
  })
  beforeEach(async () => {
    const made = await createAccount(service, service.manager, 'User')
    user = made.client
    userId = made.id
    provider.consent = 'give'
    provider.isDown = false
    provider.tokenCalls.length = 0
    provider.apiCalls.length = 0
  })

  const credentials = () =>
    JSON.stringify({
      baseUrl: `${provider.issuer}/v1.0`,
      authorizationUrl: `${provider.issuer}/auth`,
      tokenUrl: `${provider.issuer}${tokenPath}`,
      clientId: provider.client.id,
      clientSecret: provider.client.secret,
      scopes: 'openid orders',
    })

  async function begin(client = user): Promise<string> {
    const body = { applicationId: oauthApplication, tagText: 'shop', credentialsJson: credentials() }
    const answer = await client.post('/api/RegApplication', body)
    expect(answer.status, answer.text).toBe(200)
    return answer.body
  }

  const browse = async (url: string, headers: Record<string, string> = {}) => {
    const answer = await fetch(url, { redirect: 'manual', headers })
    return { status: answer.status, text: await answer.text() }
  }

  async function connect(client = user): Promise<string> {
    const page = await browse(await provider.visit(await begin(client)))
    expect(page.status, page.text).toBe(200)
    const [one] = (await client.get('/api/RegApplications')).body
    return one.id
  }

  const search = async (client = user) => (await client.post('/api/RegApplications', {})).body.regApplications
  const callApi = (client = user) => client.get('/api/ApiGet?url=oauth2/orders')
  const refreshes = () => provider.tokenCalls.filter((call) => call.grantType === 'refresh_token').length

  /** Changes the stored token behind the service, which then reads it anew because the instance was changed. */
  async function age(id: string, leftSeconds: number): Promise<void> {
    await service.asOwner(
      "update connection_tokens set obtained_at = now() - interval '2 hours', expires_at = now() + $2 * interval '1 second' where registered_application_id = $1",
      [id, leftSeconds],
    )
    expect((await user.post(`/api/RegApplication/${id}`, { tagText: 'aged' })).status).toBe(200)
  }

  it('a person gives access with PKCE S256, and only then the instance is authenticated', async () => {
    const url = new URL(await begin())
    expect(url.origin + url.pathname).toBe(`${provider.issuer}/auth`)
    expect(url.searchParams.get('code_challenge_method')).toBe('S256')
    expect(url.searchParams.get('state')).toMatch(/^[\w-]{43,}$/)
    expect((await user.get('/api/RegApplications')).body).toEqual([])
    expect(await search()).toMatchObject([{ isOAuth: true, isAuthenticated: false, isFaulted: false, tagText: 'shop' }])
    const early = await callApi()
    expect(early.status).toBe(400)
    expect(early.body.errorMessage).toContain('not authorized')

    const page = await browse(await provider.visit(url.href))
    expect(page.status).toBe(200)
    expect(page.text).toContain('is connected')
    expect((await user.get('/api/RegApplications')).body).toMatchObject([{ isAuthenticated: true, isFaulted: false }])
    expect((await callApi()).body).toEqual({ path: '/v1.0/orders', by: 'a-person' })
  })

  const takeBack = async (page: string) => {
    const token = /name="token" value="([^"]+)"/.exec(page)?.[1] ?? ''
    const body = new URLSearchParams({ token })
    const answer = await fetch(`${service.baseUrl}/oauth/take-back`, { method: 'POST', body })
    return { status: answer.status, text: await answer.text() }
  }
  const mailsTo = async (subject: string) =>
    service.asOwner('select 1 from mails where account_id = $1 and subject like $2', [userId, subject])

  it('the page names who received access, the owner is told, and the person can take it back once', async () => {
    const page = await browse(await provider.visit(await begin()))
    const { email, organizationName } = (await user.get('/api/Authenticate')).body.myAccount
    expect(page.text).toContain(email)
    expect(page.text).toContain(organizationName)
    expect(await mailsTo('% is connected')).toHaveLength(1)
    expect((await callApi()).status).toBe(200)
    const done = await takeBack(page.text)
    expect([done.status, done.text]).toEqual([200, expect.stringContaining('deleted')])
    expect(await search()).toMatchObject([{ isAuthenticated: false, isFaulted: false }])
    expect((await callApi()).status).toBe(400)
    const [row] = await service.asOwner('select sealed_tokens from connection_tokens where account_id = $1', [userId])
    expect(row).toEqual({ sealed_tokens: null })
    expect(await mailsTo('Access to % was revoked')).toHaveLength(1)
    expect((await takeBack(page.text)).status).toBe(404)
  })

  it('what worked before is faulted when the new access is taken back; an older page takes back nothing newer', async () => {
    const first = await browse(await provider.visit(await begin()))
    const [{ id }] = await search()
    const again = await user.post(`/api/RegApplication/${id}`, { credentialsJson: credentials() })
    const second = await browse(await provider.visit(again.body))
    expect(second.status, second.text).toBe(200)
    expect((await takeBack(first.text)).status).toBe(404)
    expect((await callApi()).status).toBe(200)
    expect((await takeBack(second.text)).status).toBe(200)
    expect(await search()).toMatchObject([{ isAuthenticated: true, isFaulted: true }])
    expect((await callApi()).body.errorMessage).toContain('Reconnect it.')
  })

  it('taking back needs the token of the page, within half an hour, from our own page', async () => {
    const page = await browse(await provider.visit(await begin()))
    expect((await takeBack('name="token" value="pbt_invented"')).status).toBe(404)
    const token = /name="token" value="([^"]+)"/.exec(page.text)?.[1] ?? ''
    const foreign = await fetch(`${service.baseUrl}/oauth/take-back`, {
      method: 'POST',
      body: new URLSearchParams({ token }),
      headers: { 'Sec-Fetch-Site': 'cross-site' },
    })
    expect(foreign.status).toBe(403)
    await service.asOwner("update take_back_links set expires_at = now() - interval '1 second' where account_id = $1", [
      userId,
    ])
    expect((await takeBack(page.text)).status).toBe(404)
    expect((await callApi()).status).toBe(200)
  })

  it('ApiAuth gives the token in use; ApiAppVault shows stored values and masks secrets', async () => {
    await connect()
    const token = (await user.get('/api/ApiAuth?shortName=oauth2')).body
    const direct = await fetch(`${provider.issuer}/v1.0/direct`, { headers: { authorization: `Bearer ${token}` } })
    expect(direct.status).toBe(200)
    const vault = await user.get('/api/ApiAppVault?shortName=OAUTH2')
    expect(vault.body).toMatchObject({
      clientId: provider.client.id,
      clientSecret: '********',
      $accessToken: '********',
    })
    expect(vault.text).not.toContain(token)
    expect(vault.text).not.toContain(provider.client.secret)
  })

  it('a denied consent changes nothing and says why', async () => {
    provider.consent = 'deny'
    const back = await provider.visit(await begin())
    const page = await browse(back)
    expect(page.status).toBe(400)
    expect(page.text).toContain('The person said no')
    expect(await search()).toMatchObject([{ isAuthenticated: false }])
    expect((await browse(back)).text).toContain('no longer valid')
  })

  it('a state works once, for ten minutes, and only if it was made here', async () => {
    const back = await provider.visit(await begin())
    expect((await browse(back)).status).toBe(200)
    const again = await browse(back)
    expect(again.status).toBe(400)
    expect(again.text).toContain('no longer valid')

    const invented = new URL(await provider.visit(await begin()))
    invented.searchParams.set('state', 'x'.repeat(43))
    expect((await browse(invented.href)).status).toBe(400)
    expect((await browse(`${service.baseUrl}/oauth/callback`)).status).toBe(400)

    const late = await provider.visit(await begin())
    await service.asOwner("update oauth_states set expires_at = now() - interval '1 second'")
    expect((await browse(late)).status).toBe(400)
  })

  it('many browsers with one state connect once', async () => {
    const back = await provider.visit(await begin())
    const pages = await Promise.all(Array.from({ length: 10 }, () => browse(back)))
    expect(pages.map((page) => page.status).sort()).toEqual([200, ...Array(9).fill(400)])
  })

  it("another account's code does not fit a state, because the code is bound to its verifier", async () => {
    const other = await createAccount(service, service.manager, 'User')
    const mine = new URL(await provider.visit(await begin()))
    const theirs = new URL(await provider.visit(await begin(other.client)))
    mine.searchParams.set('code', theirs.searchParams.get('code') ?? '')
    const page = await browse(mine.href)
    expect(page.status).toBe(400)
    expect(page.text).toContain('invalid_grant')
    expect(await search()).toMatchObject([{ isAuthenticated: false }])
  })

  it('a state of another account is refused to a person who is signed in and may not act for it', async () => {
    const stranger = await createAccount(service, service.manager, 'User')
    const back = await provider.visit(await begin())
    const page = await browse(back, { cookie: await signIn(stranger.id, stranger.email) })
    expect(page.status).toBe(403)
    expect(await search()).toMatchObject([{ isAuthenticated: false }])

    const own = await provider.visit(await begin())
    const { email } = (await user.get('/api/Authenticate')).body.myAccount
    expect((await browse(own, { cookie: await signIn(userId, email) })).status).toBe(200)
  })

  async function signIn(accountId: string, email: string): Promise<string> {
    const [{ password_hash: hash }] = (await service.asOwner(
      'select password_hash from accounts where password_hash is not null limit 1',
    )) as [{ password_hash: string }]
    await service.asOwner('update accounts set password_hash = $1 where id = $2', [hash, accountId])
    const answer = await service.client(undefined).post('/api/SignIn', { email, password })
    expect(answer.status, answer.text).toBe(200)
    return answer.headers.getSetCookie().join('; ')
  }
  const password = 'correct horse battery'
  beforeAll(async () => {
    const text = service.logText()
    const link = /(\/[\w-]+\?token=[\w-]+)/.exec(text)?.[1] ?? ''
    const token = new URL(link, service.baseUrl).searchParams.get('token') ?? ''
    await fetch(service.baseUrl + link.split('?')[0], {
      method: 'POST',
      redirect: 'manual',
      body: new URLSearchParams({ token, password, repeated: password }),
    })
  })

  it('an expired token is renewed before the call, and rotated refresh tokens are kept', async () => {
    const id = await connect()
    for (const round of [1, 2, 3]) {
      await age(id, -60)
      expect((await callApi()).status).toBe(200)
      expect(refreshes()).toBe(round)
    }
    expect(provider.apiCalls.every((call) => call.status === 200)).toBe(true)
  })

  it('a token that the target no longer accepts is renewed once and the call repeated', async () => {
    await connect()
    await callApi()
    provider.distrustAccessTokens()
    expect((await callApi()).status).toBe(200)
    expect(refreshes()).toBe(1)
    expect(provider.apiCalls.map((call) => call.status)).toEqual([200, 401, 200])
    expect(await search()).toMatchObject([{ isFaulted: false }])
  })

  it('fifty users of an expired token in two processes make exactly one refresh call', async () => {
    await using second = await service.startAnother({}, 'api')
    const id = await connect()
    await age(id, -60)
    const elsewhere = second.client(user.keys)
    const hold = provider.holdTokens()
    const calls = Array.from({ length: 50 }, (_, index) => callApi(index % 2 === 0 ? user : elsewhere))
    await eventually(() => hold.waiting() > 0)
    hold.release()
    const answers = await Promise.all(calls)
    expect(answers.map((answer) => answer.status)).toEqual(Array(50).fill(200))
    expect(refreshes()).toBe(1)
    expect(provider.apiCalls).toHaveLength(50)
  })

  it('a process that dies while it renews does not keep the others from it', async () => {
    const id = await connect()
    await service.asOwner(
      "update connection_tokens set lease_id = gen_random_uuid(), lease_until = now() + interval '1 second' where registered_application_id = $1",
      [id],
    )
    await age(id, -60)
    expect((await callApi()).status).toBe(200)
    expect(refreshes()).toBe(1)
  })

  it('a process that stops while it renews keeps what the provider gave it', async () => {
    const second = await service.startAnother({}, 'api')
    const id = await connect()
    await age(id, -60)
    const hold = provider.holdTokens()
    const gone = new AbortController()
    const { consumer = '', secretKey = '' } = user.keys ?? {}
    const call = fetch(`${second.baseUrl}/api/ApiAuth?shortName=oauth2`, {
      headers: { Consumer: consumer, SecretKey: secretKey },
      signal: gone.signal,
    }).catch(() => {})
    await eventually(() => hold.waiting() > 0)
    gone.abort()
    await call
    const stopped = second[Symbol.asyncDispose]().then(() => 'stopped')
    expect(await Promise.race([stopped, wait(1000, 'waits for the provider')])).toBe('waits for the provider')
    hold.release()
    await stopped
    expect((await callApi()).status).toBe(200)
    expect(refreshes()).toBe(1)
  })

  it('a grant that was taken back makes the instance faulted, and giving access again makes it sound', async () => {
    const id = await connect()
    await provider.revokeGrants()
    await age(id, -60)
    const answers = await Promise.all(Array.from({ length: 10 }, () => callApi()))
    for (const answer of answers) {
      expect(answer.status).toBe(400)
      expect(answer.body.errorMessage).toContain('invalid_grant')
    }
    expect(refreshes()).toBe(1)
    expect(await search()).toMatchObject([{ isFaulted: true, faultMessage: expect.stringContaining('invalid_grant') }])
    expect((await user.post('/api/RegApplications', { isFaulted: true })).body.total).toBe(1)

    const url = await user.post(`/api/RegApplication/${id}`, {})
    expect(url.body).toContain(`${provider.issuer}/auth?`)
    expect((await browse(await provider.visit(url.body))).status).toBe(200)
    expect((await callApi()).status).toBe(200)
    expect(await search()).toMatchObject([{ id, isFaulted: false, faultMessage: null }])
  })

  it('a provider that is away disturbs no call whose token is still good, and never faults the instance', async () => {
    const id = await connect()
    provider.isDown = true
    await age(id, 20)
    expect((await callApi()).status).toBe(200)
    expect(refreshes()).toBe(0)
    expect(provider.tokenCalls.at(-1)?.status).toBe(503)
    expect(await search()).toMatchObject([{ isFaulted: false }])

    await age(id, -60)
    const refused = await callApi()
    expect(refused.status).toBe(400)
    expect(refused.body.errorMessage).toContain('Try again later.')
    expect(await search()).toMatchObject([{ isFaulted: false }])
    provider.isDown = false
    await eventually(async () => (await callApi()).status === 200)
    expect(await search()).toMatchObject([{ isFaulted: false }])
  })

  it('neither tokens nor secrets are readable in the database or in the log', async () => {
    await connect()
    const token = (await user.get('/api/ApiAuth?shortName=oauth2')).body
    await callApi()
    const rows = JSON.stringify([
      await service.asOwner('select * from registered_applications'),
      await service.asOwner('select * from connection_tokens'),
      await service.asOwner('select * from oauth_states'),
      await service.asOwner('select * from audit_log'),
    ])
    for (const secret of [token, provider.client.secret]) {
      expect(rows).not.toContain(secret)
      expect(rows).not.toContain(Buffer.from(secret).toString('hex'))
      expect(service.logText()).not.toContain(secret)
    }
  })
})
