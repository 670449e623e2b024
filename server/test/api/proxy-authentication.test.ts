import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createAccount } from '../harness/accounts.ts'
import type { Client } from '../harness/client.ts'
import { type HttpTarget, startHttpTarget } from '../harness/http-target.ts'
import { joinService } from '../harness/joined-service.ts'
import type { TestService } from '../harness/service.ts'

describe('authentication as the catalogue describes it', () => {
  let service: TestService
  let target: HttpTarget
  let user: Client
  let count = 0

  beforeAll(async () => {
    service = await joinService()
    target = await startHttpTarget()
  })
  afterAll(async () => {
    await target[Symbol.asyncDispose]()
    await service[Symbol.asyncDispose]()
  })
  beforeEach(async () => {
    user = (await createAccount(service, service.manager, 'User')).client
    target.received.length = 0
    target.answer = ({ url, headers }) => ({ json: { url, headers } })
  })

  /** An application of the organization's own, with an instance of it; gives its short name. */
  async function install(definition: object, credentials: object = {}): Promise<string> {
    const shortName = `Own${++count}`
    const application = {
      id: `00000000-0000-4000-8000-${String(count).padStart(12, '0')}`,
      shortName,
      name: shortName,
      tag: 'Own',
      description: 'Made for a test.',
      baseUrl: '{baseUrl}',
      credentialFields: [
        { ShortName: 'baseUrl', DisplayName: 'Base', Type: 'url', Required: true },
        { ShortName: 'user', DisplayName: 'User', Type: 'text', Required: false },
        { ShortName: 'secret', DisplayName: 'Secret', Type: 'password', Required: false },
        { ShortName: 'uploads', DisplayName: 'Uploads', Type: 'url', Required: false },
      ],
      ...definition,
    }
    const file = {
      path: `applications/${shortName.toLowerCase()}/application.yaml`,
      content: JSON.stringify(application),
    }
    const imported = await service.manager.post('/api/CatalogImport', { files: [file] })
    expect(imported.body.problems, imported.text).toEqual([])
    const credentialsJson = JSON.stringify({ baseUrl: target.origin, ...credentials })
    const made = await user.post('/api/RegApplication', { applicationId: application.id, credentialsJson })
    expect(made.status, made.text).toBe(200)
    return shortName
  }
  const get = async (path: string, client = user) => client.get(`/api/ApiGet?url=${encodeURIComponent(path)}`)

  it('a key in the query is sent, and is in no log and no answer about the address', async () => {
    const name = await install(
      { authentication: { type: 'apiKey', in: 'query', name: 'apikey', value: '{secret}' } },
      { secret: 'query-canary-1' },
    )
    expect((await get(`${name}/orders?page=1`)).body.url).toBe('/orders?page=1&apikey=query-canary-1')
    target.answer = () => ({ status: 500, body: 'broken' })
    const refused = await get(`${name}/orders`)
    expect(refused.text).not.toContain('query-canary-1')
    expect(service.logText()).not.toContain('query-canary-1')
  })

  it('headers of the application go under those of the caller, and secret ones are credentials', async () => {
    const name = await install(
      {
        authentication: { type: 'none' },
        headers: { 'X-Version': '7', 'X-Developer': '{secret}' },
        allowedHosts: ['{baseUrl}', { host: '{uploads}', sendCredentials: false }],
      },
      { secret: 'developer-canary', uploads: 'https://uploads.example.com' },
    )
    expect((await get(`${name}/x`)).body.headers).toMatchObject({ 'x-version': '7', 'x-developer': 'developer-canary' })
    const own = { verb: 'GET', requestUrl: 'x', headers: { 'x-version': '8' } }
    expect((await user.post(`/api/ApiSend/${name}`, own)).body.headers['x-version']).toBe('8')
  })

  it('a host that must not see the credentials is called without them', async () => {
    await using uploads = await startHttpTarget()
    const name = await install(
      {
        authentication: { type: 'bearer', token: '{secret}' },
        allowedHosts: ['{baseUrl}', { host: '{uploads}', sendCredentials: false }],
      },
      { secret: 'bearer-canary', uploads: uploads.origin },
    )
    const sent = await user.post(`/api/ApiSend/${name}`, {
      verb: 'PUT',
      baseUrl: uploads.origin,
      requestUrl: 'part/1',
      data: {},
    })
    expect(sent.status).toBe(200)
    expect(uploads.received).toMatchObject([{ method: 'PUT', url: '/part/1' }])
    expect(JSON.stringify(uploads.received[0]?.headers)).not.toContain('bearer-canary')
    uploads.answer = () => ({ status: 401 })
    await user.post(`/api/ApiSend/${name}`, { verb: 'GET', baseUrl: uploads.origin, requestUrl: 'x' })
    expect((await user.get('/api/RegApplications')).body[0].isFaulted).toBe(false)
  })

  const session = {
    type: 'session',
    request: {
      method: 'PUT',
      url: '{baseUrl}/session',
      query: { expires: '{$expiresOn}' },
      body: { user: '{user}', password: '{secret}' },
    },
    tokenPath: 'value.token',
    lifetimeSeconds: 3600,
    apply: { type: 'basic', username: '0', password: '{$token}' },
  }

  it('credentials are exchanged for a session, which is kept, and exchanged again when it is refused', async () => {
    let sessions = 0
    target.answer = ({ url, headers, body }) => {
      if (url.startsWith('/session')) {
        expect(JSON.parse(body.toString())).toEqual({ user: 'ada', password: 'session-canary' })
        return { json: { value: { token: `session-token-${++sessions}` } } }
      }
      const [, token] = Buffer.from(headers.authorization?.slice(6) ?? '', 'base64')
        .toString()
        .split(':')
      return token === `session-token-${sessions}` ? { json: { token } } : { status: 401 }
    }
    const name = await install({ authentication: session }, { user: 'ada', secret: 'session-canary' })
    expect((await get(`${name}/x`)).body).toEqual({ token: 'session-token-1' })
    expect((await get(`${name}/x`)).body).toEqual({ token: 'session-token-1' })
    expect(sessions).toBe(1)
    expect((await user.get(`/api/ApiAuth?shortName=${name}`)).body).toBe('session-token-1')
    expect(target.received[0]?.url).toMatch(/^\/session\?expires=\d{4}-\d\d-\d\d$/)
    sessions++
    expect((await get(`${name}/x`)).body).toEqual({ token: 'session-token-3' })
    expect((await user.get('/api/RegApplications')).body[0].isFaulted).toBe(false)
  })

  it('a session that is refused at registration is 400 in the words of the target', async () => {
    target.answer = () => ({ status: 403, json: { message: 'employee token expired' } })
    await expect(install({ authentication: session }, { user: 'ada', secret: 'session-canary' })).rejects.toThrow(
      /employee token expired/,
    )
    expect((await user.post('/api/RegApplications', {})).body.total).toBe(0)
  })

  it('a declared rate limit is kept by all processes together', async () => {
    await using second = await service.startAnother({}, 'api')
    const name = await install({ authentication: { type: 'none' }, rateLimit: { requests: 3, perSeconds: 1 } })
    const arrivedAt: number[] = []
    target.answer = () => {
      arrivedAt.push(performance.now())
      return { json: {} }
    }
    const elsewhere = second.client(user.keys)
    const begunAt = performance.now()
    const calls = Array.from({ length: 9 }, (_, index) => get(`${name}/x`, index % 2 === 0 ? user : elsewhere))
    expect((await Promise.all(calls)).map((answer) => answer.status)).toEqual(Array(9).fill(200))
    // Arrivals may be late but not early; timers may be early by a breath.
    for (const [index, at] of arrivedAt.entries()) {
      expect(at - begunAt).toBeGreaterThan(Math.floor(index / 3) * 1000 - 20)
    }
  })

  it('an application that has left the catalogue cannot be called', async () => {
    const name = await install({ authentication: { type: 'none' } })
    await service.asOwner(
      'update registered_applications set application_id = gen_random_uuid() where short_name = $1',
      [name],
    )
    expect((await get(`${name}/x`)).status).toBe(404)
  })
})
