// Token endpoints that are not as the standard has them, and moments that no well-behaved provider shows.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createAccount } from '../harness/accounts.ts'
import type { Client } from '../harness/client.ts'
import { eventually } from '../harness/eventually.ts'
import { type HttpTarget, startHttpTarget, type TargetReply } from '../harness/http-target.ts'
import { startService, type TestService } from '../harness/service.ts'

const oauthApplication = '79232e5e-3a65-505e-9ce0-69887e8819ac'
const clientSecret = 'a-client-secret-of-an-odd-provider'
const sound = {
  access_token: 'first-access-token',
  token_type: 'Bearer',
  expires_in: 3600,
  refresh_token: 'first-refresh',
}

let service: TestService
let provider: HttpTarget
let user: Client
let grants: URLSearchParams[]
/** What the token endpoint says to the form it was sent. */
let answerToken: (form: URLSearchParams) => TargetReply | Promise<TargetReply>
/** The status with which the API behind it answers. */
let apiStatus: number

beforeAll(async () => {
  service = await startService({ role: 'api' })
  provider = await startHttpTarget(({ url, headers, body }) => {
    if (url !== '/token') return { status: apiStatus, json: { authorization: headers.authorization } }
    const form = new URLSearchParams(body.toString())
    grants.push(form)
    return answerToken(form)
  })
})
afterAll(async () => {
  await provider[Symbol.asyncDispose]()
  await service[Symbol.asyncDispose]()
})
beforeEach(async () => {
  user = (await createAccount(service, service.manager, 'User')).client
  grants = []
  answerToken = () => ({ json: sound })
  apiStatus = 200
})

const credentialsJson = () =>
  JSON.stringify({
    baseUrl: provider.origin,
    authorizationUrl: `${provider.origin}/authorize`,
    tokenUrl: `${provider.origin}/token`,
    clientId: 'odd',
    clientSecret,
  })

/** Comes back from the provider with a code, as the browser of a person would. */
async function comeBack(authorizationUrl: string, code = 'a-code-for-once'): Promise<{ status: number; text: string }> {
  const asked = new URL(authorizationUrl).searchParams
  const back = `${asked.get('redirect_uri')}?code=${code}&state=${asked.get('state')}`
  const answer = await fetch(back)
  return { status: answer.status, text: await answer.text() }
}

async function begin(): Promise<string> {
  const body = { applicationId: oauthApplication, credentialsJson: credentialsJson() }
  return (await user.post('/api/RegApplication', body)).body
}

async function connect(): Promise<string> {
  const page = await comeBack(await begin())
  expect(page.status, page.text).toBe(200)
  return (await user.get('/api/RegApplications')).body[0].id
}

const call = () => user.get('/api/ApiGet?url=oauth2/orders')
const stateOf = async () => (await user.post('/api/RegApplications', {})).body.regApplications[0]
const refreshes = () => grants.filter((form) => form.get('grant_type') === 'refresh_token')

/** The stored token has so long to live; a change makes the service read it anew. */
async function age(id: string, leftSeconds: number): Promise<void> {
  await service.asOwner(
    "update connection_tokens set obtained_at = now() - interval '1 hour', expires_at = now() + $2 * interval '1 second', failed_at = null where registered_application_id = $1",
    [id, leftSeconds],
  )
  expect((await user.post(`/api/RegApplication/${id}`, { tagText: 'aged' })).status).toBe(200)
}

describe('a grant is taken although', () => {
  it.each([
    ['its life is a text', { expires_in: '3600' }, true],
    ['its life is null', { expires_in: null }, false],
    ['its life is zero', { expires_in: 0 }, false],
    ['its life is negative', { expires_in: -1 }, false],
    ['its life is no number', { expires_in: 'soon' }, false],
    ['its life is longer than any calendar', { expires_in: 1e300 }, true],
    ['its life is missing', { expires_in: undefined }, false],
    ['its refresh token is null', { refresh_token: null }, true],
    ['its refresh token is empty', { refresh_token: '' }, true],
    ['its scope is a list', { scope: ['a', 'b'] }, true],
    ['its kind is unknown', { token_type: 'ownToken' }, true],
    ['its kind is missing', { token_type: undefined }, true],
    ['an identity token comes along that nobody can read', { id_token: 'x.y' }, true],
  ])('%s', async (_oddity, change, ends) => {
    answerToken = () => ({ json: { ...sound, ...change } })
    const id = await connect()
    for (let round = 0; round < 2; round++) {
      expect((await call()).body).toEqual({ authorization: 'Bearer first-access-token' })
    }
    // A life that nobody knows is no reason to ask again and again.
    expect(grants).toHaveLength(1)
    const [row] = await service.asOwner(
      'select expires_at from connection_tokens where registered_application_id = $1',
      [id],
    )
    expect(row?.['expires_at'] !== null).toBe(ends)
  })
})

describe('a refusal', () => {
  it.each([
    [
      'a page of a proxy',
      502,
      '<html><head><title>no</title></head><body><h1>Bad  gateway</h1>at the edge</body></html>',
      'Bad gateway at the edge',
    ],
    ['a sentence', 400, 'The client is disabled.', 'The client is disabled.'],
    ['JSON of its own', 403, '{"status":"error","message":"App not installed"}', 'App not installed'],
    [
      'an error with status 200',
      200,
      '{"error":"invalid_grant","error_description":"too late"}',
      'invalid_grant: too late',
    ],
    ['nothing', 400, '', 'status 400'],
    ['a token that is none', 200, '{"access_token":5}', 'did not return a token'],
  ])('that is %s is told to the person in words', async (_kind, status, body, words) => {
    answerToken = () => ({ status, body })
    const page = await comeBack(await begin())
    expect(page.status).toBe(400)
    expect(page.text).toContain(words.replaceAll('"', '&quot;'))
    expect(page.text).toContain('Nothing was changed.')
    expect((await stateOf()).isAuthenticated).toBe(false)
  })

  it('that repeats what it was sent is told without the secrets', async () => {
    answerToken = (form) => ({ status: 400, body: `I got ${'x'.repeat(250)} ${form.toString()} and do not like it` })
    const page = await comeBack(await begin(), 'a-very-secret-code')
    expect(page.status).toBe(400)
    for (const secret of [
      clientSecret.slice(0, 12),
      'a-very-secret',
      grants[0]?.get('code_verifier')?.slice(0, 20) ?? '',
    ]) {
      expect(page.text).not.toContain(secret)
      expect(service.logText()).not.toContain(secret)
    }
  })

  it('with characters that no database takes faults the connection and nothing else', async () => {
    const id = await connect()
    await age(id, -10)
    answerToken = () => ({
      status: 400,
      json: { error: 'invalid_grant', error_description: 'gone\u0000for \ud800good' },
    })
    expect((await call()).status).toBe(400)
    const { isFaulted, faultMessage } = await stateOf()
    expect(isFaulted).toBe(true)
    expect(faultMessage).toContain('gone for')
  })

  it.each([
    ['temporarily_unavailable', 400],
    ['server_error', 500],
    ['slow_down', 400],
    ['invalid_grant', 503],
  ])('%s with status %i is no end of an access whose token is still good', async (error, status) => {
    const id = await connect()
    await age(id, 30)
    answerToken = () => ({ status, json: { error } })
    expect((await call()).body).toEqual({ authorization: 'Bearer first-access-token' })
    expect(refreshes().length).toBeGreaterThan(0)
    expect((await stateOf()).isFaulted).toBe(false)
  })
})

describe('a 401 of the target', () => {
  it('that stays after one renewal faults the connection', async () => {
    await connect()
    answerToken = () => ({ json: { ...sound, access_token: 'second-access-token' } })
    apiStatus = 401
    const before = provider.received.length
    expect((await call()).status).toBe(400)
    expect(provider.received.slice(before).map(({ url, headers }) => headers.authorization ?? url)).toEqual([
      'Bearer first-access-token',
      '/token',
      'Bearer second-access-token',
    ])
    expect(await stateOf()).toMatchObject({
      isFaulted: true,
      faultMessage: expect.stringMatching(/answered 401: .*Bearer \*+/),
    })
    apiStatus = 200
    expect((await call()).status).toBe(200)
    expect(await stateOf()).toMatchObject({ isFaulted: false })
  })

  it.each([429, 500, 503])('says nothing while the token address answers %i', async (status) => {
    await connect()
    answerToken = () => ({ status })
    apiStatus = 401
    expect((await call()).status).toBe(400)
    expect(refreshes().length).toBeGreaterThan(0)
    expect(await stateOf()).toMatchObject({ isFaulted: false })
  })
})

describe('a refresh', () => {
  it('whose answer has no refresh token goes on with the one it had', async () => {
    const id = await connect()
    let count = 0
    answerToken = () => ({ json: { access_token: `access-${++count}`, expires_in: 3600 } })
    for (let round = 1; round <= 3; round++) {
      await age(id, -10)
      expect((await call()).body).toEqual({ authorization: `Bearer access-${round}` })
    }
    expect(refreshes().map((form) => form.get('refresh_token'))).toEqual(Array(3).fill('first-refresh'))
  })

  it('that is overtaken by a new authorization loses, whichever answer comes first', async () => {
    const id = await connect()
    await age(id, -10)
    const held = Promise.withResolvers<TargetReply>()
    answerToken = (form) =>
      form.get('grant_type') === 'refresh_token'
        ? held.promise
        : { json: { ...sound, access_token: 'new-access-token', refresh_token: 'new-refresh' } }
    const waiting = call()
    await eventually(() => refreshes().length === 1)
    const url = (await user.post(`/api/RegApplication/${id}`, { credentialsJson: credentialsJson() })).body
    expect((await comeBack(url)).status).toBe(200)
    held.resolve({ json: { ...sound, access_token: 'late-access-token', refresh_token: 'late-refresh' } })
    expect((await waiting).body).toEqual({ authorization: 'Bearer new-access-token' })
    expect((await call()).body).toEqual({ authorization: 'Bearer new-access-token' })
    answerToken = () => ({ json: { ...sound, access_token: 'third-access-token' } })
    await age(id, -10)
    expect((await call()).body).toEqual({ authorization: 'Bearer third-access-token' })
    expect(refreshes().at(-1)?.get('refresh_token')).toBe('new-refresh')
  })

  it('that fails after a new authorization does not fault what was just connected', async () => {
    const id = await connect()
    await age(id, -10)
    const held = Promise.withResolvers<TargetReply>()
    answerToken = (form) =>
      form.get('grant_type') === 'refresh_token'
        ? held.promise
        : { json: { ...sound, access_token: 'new-access-token' } }
    const waiting = call()
    await eventually(() => refreshes().length === 1)
    const url = (await user.post(`/api/RegApplication/${id}`, { credentialsJson: credentialsJson() })).body
    expect((await comeBack(url)).status).toBe(200)
    held.resolve({ status: 400, json: { error: 'invalid_grant' } })
    expect((await waiting).body).toEqual({ authorization: 'Bearer new-access-token' })
    expect((await stateOf()).isFaulted).toBe(false)
  })
})
