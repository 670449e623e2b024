import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createAccount } from '../harness/accounts.ts'
import type { Client } from '../harness/client.ts'
import { eventually } from '../harness/eventually.ts'
import { type HttpTarget, startHttpTarget } from '../harness/http-target.ts'
import { startService, type TestService } from '../harness/service.ts'

const http = 'e31040e1-1997-54d0-bfa6-43f910dc7be6'
const test = 'f3055934-bffe-55b6-b9e5-ce20a3a8563b'

describe('calls to registered applications', () => {
  let service: TestService
  let target: HttpTarget
  let user: Client

  beforeAll(async () => {
    service = await startService()
    target = await startHttpTarget()
  })
  afterAll(async () => {
    await target[Symbol.asyncDispose]()
    await service[Symbol.asyncDispose]()
  })
  const tell: HttpTarget['answer'] = ({ method, url, headers, body }) => ({
    json: { method, url, headers, body: body.toString() },
  })
  beforeEach(async () => {
    user = (await createAccount(service, service.manager, 'User')).client
    target.received.length = 0
    target.answer = tell
  })

  async function register(credentials: object = {}, applicationId = http): Promise<string> {
    const given = applicationId === http ? { baseUrl: `${target.origin}/v1`, ...credentials } : credentials
    const answer = await user.post('/api/RegApplication', { applicationId, credentialsJson: JSON.stringify(given) })
    expect(answer.status, answer.text).toBe(200)
    return answer.body
  }
  const send = (body: object, query = '', client = user) => client.post(`/api/ApiSend/HTTP${query}`, body)
  const get = (url: string, client = user) => client.get(`/api/ApiGet?url=${encodeURIComponent(url)}`)

  describe('the built-in application TEST', () => {
    beforeEach(() => register({}, test))

    it('answers offline', async () => {
      expect((await get('test/meta')).body).toMatchObject({ name: expect.any(String) })
      expect((await get('TEST/employees')).body.length).toBeGreaterThan(0)
      const all = (await get('test/orders')).body
      const since = all[1].updatedAt
      expect((await get(`test/orders?since=${since}`)).body).toEqual(all.slice(1))
    })

    it('echo returns what was sent', async () => {
      for (const jsonData of [{ a: [1, { b: null }] }, [], 'text', 7, false, null]) {
        const answer = await user.post('/api/ApiPost?url=test/echo', { jsonData })
        expect([answer.status, answer.body]).toEqual([200, jsonData])
      }
      const sent = await user.post('/api/ApiSend/test', { verb: 'post', requestUrl: 'echo', data: { x: 1 } })
      expect(sent.body).toEqual({ x: 1 })
    })

    it('fail answers the wanted status, which is a refusal', async () => {
      const answer = await get('test/fail?status=418')
      expect(answer.status).toBe(400)
      expect(answer.body).toMatchObject({ code: 400, response: { statusCode: 418, headers: {}, data: {} } })
    })
  })

  describe('choosing the instance', () => {
    it('none is 404, a waiting or unknown one too', async () => {
      expect((await get('http/x')).status).toBe(404)
      expect((await get('nonsense/x')).status).toBe(404)
    })

    it('with several the header AppKey chooses, else 400', async () => {
      await register({ authType: 'bearer', token: 'first-token' })
      const second = await register({ authType: 'bearer', token: 'second-token' })
      const without = await get('http/x')
      expect(without.status).toBe(400)
      expect(without.body.errorMessage).toContain('AppKey')
      const chosen = await get('http/x', user.with({ AppKey: second.toUpperCase() }))
      expect(chosen.body.headers.authorization).toBe('Bearer second-token')
      expect((await get('http/x', user.with({ AppKey: 'x' }))).status).toBe(400)
      expect((await get('test/x', user.with({ AppKey: second }))).status).toBe(404)
      expect((await user.get('/api/ApiAppVault?shortName=http')).status).toBe(400)
      expect((await user.get('/api/ApiAppVault')).status).toBe(400)
      expect((await user.with({ AppKey: second }).get('/api/ApiAppVault')).body).toEqual({
        baseUrl: `${target.origin}/v1`,
        authType: 'bearer',
        username: null,
        password: null,
        token: '********',
        headerName: null,
        headerValue: null,
      })
    })

    it('an application without a token or session has none to show', async () => {
      await register({ authType: 'bearer', token: 'a-stored-token' })
      const answer = await user.get('/api/ApiAuth?shortName=http')
      expect(answer.status).toBe(400)
      expect(answer.text).not.toContain('a-stored-token')
    })
  })

  describe('ApiGet and ApiPost', () => {
    it('return the body of the target', async () => {
      await register()
      const got = (await get('http/orders?since=2025-01-01&x=a%20b')).body
      expect(got).toMatchObject({ method: 'GET', url: '/v1/orders?since=2025-01-01&x=a%20b', body: '' })
      const posted = await user.post('/api/ApiPost?url=http/orders', { jsonData: { a: 1 } })
      expect(posted.body).toMatchObject({ method: 'POST', url: '/v1/orders', body: '{"a":1}' })
      expect(posted.body.headers['content-type']).toBe('application/json')
    })

    it('text is answered as a string, an empty body as null', async () => {
      await register()
      target.answer = () => ({ body: 'plain words' })
      expect((await get('http/x')).body).toBe('plain words')
      target.answer = () => ({ status: 204 })
      expect((await get('http/x')).body).toBe(null)
    })

    it('jsonData and url are required, and unknown fields are named', async () => {
      await register()
      expect((await user.post('/api/ApiPost?url=http/x', {})).body.errorMessage).toContain('jsonData')
      expect((await user.post('/api/ApiPost?url=http/x', { jsonData: 1, more: 1 })).body.errorMessage).toContain('more')
      expect((await user.get('/api/ApiGet')).body.errorMessage).toContain('url')
      expect((await user.get('/api/ApiGet?url=')).status).toBe(400)
      expect((await user.get('/api/ApiGet?url=%2F%3F')).status).toBe(400)
    })

    it('a refusal of the target is 400 with its answer', async () => {
      await register({ authType: 'bearer', token: 'token-canary-1' })
      target.answer = ({ headers }) => ({
        status: 422,
        headers: { 'x-why': 'because' },
        json: { error: 'no stock', seen: headers.authorization },
      })
      const answer = await get('http/orders?key=hidden-value')
      expect(answer.status).toBe(400)
      expect(answer.body.response).toMatchObject({
        statusCode: 422,
        headers: { 'x-why': 'because' },
        data: { error: 'no stock', seen: 'Bearer ********' },
      })
      expect(answer.body.errorMessage).toContain(`GET ${target.origin}/v1/orders`)
      expect(answer.body.errorMessage).toContain('422')
      expect(answer.body.errorMessage).toContain('no stock')
      expect(answer.text).not.toContain('token-canary-1')
    })
  })

  describe('ApiSend', () => {
    it.each(['GET', 'post', 'Put', 'PATCH', 'DELETE', 'OPTIONS'])('sends the verb %s', async (verb) => {
      await register()
      const answer = await send({ verb, requestUrl: '/orders/1', headers: { 'X-Own': 'yes' } })
      expect(answer.body).toMatchObject({
        method: verb.toUpperCase(),
        url: '/v1/orders/1',
        headers: { 'x-own': 'yes' },
      })
    })

    it.each(['BREW', 'CONNECT', 'TRACE', '', 'GET /x HTTP/1.1\r\n'])('refuses the verb %j', async (verb) => {
      await register()
      const answer = await send({ verb, requestUrl: 'x' })
      expect(answer.status).toBe(400)
      expect(answer.body.errorMessage).toContain('verb')
      expect(target.received).toEqual([])
    })

    it('answers Json parsed, Text as text and Binary as base64', async () => {
      await register()
      const bytes = Buffer.from([0, 255, 1, 254, 10])
      target.answer = () => ({ body: '{"a":1}' })
      expect((await send({ verb: 'GET', requestUrl: 'x', responseType: 'Json' })).body).toEqual({ a: 1 })
      expect((await send({ verb: 'GET', requestUrl: 'x', responseType: 'text' })).body).toBe('{"a":1}')
      target.answer = () => ({ body: bytes })
      expect((await send({ verb: 'GET', requestUrl: 'x', responseType: 'Binary' })).body).toBe(bytes.toString('base64'))
      target.answer = () => ({ body: '<html>' })
      const broken = await send({ verb: 'GET', requestUrl: 'x', responseType: 'Json' })
      expect([broken.status, broken.body.response.data]).toEqual([400, '<html>'])
      expect((await send({ verb: 'GET', requestUrl: 'x', responseType: 'Xml' })).body.errorMessage).toContain(
        'responseType',
      )
    })

    it('newVersion=true answers statusCode, headers and data', async () => {
      await register()
      target.answer = () => ({ status: 201, headers: { 'X-Page': '2', 'Set-Cookie': ['a=1', 'b=2'] }, json: { id: 5 } })
      const answer = await send({ verb: 'POST', requestUrl: 'x', data: {} }, '?newVersion=true')
      expect(answer.body).toMatchObject({
        statusCode: 201,
        headers: { 'x-page': '2', 'set-cookie': 'a=1, b=2' },
        data: { id: 5 },
      })
      expect(Object.keys(answer.body).sort()).toEqual(['data', 'headers', 'statusCode'])
      expect((await send({ verb: 'POST', requestUrl: 'x', data: {} }, '?newVersion=false')).body).toEqual({ id: 5 })
    })

    it('responseCodes are the accepted codes', async () => {
      await register()
      target.answer = () => ({ status: 404, json: { none: true } })
      const accepted = await send({ verb: 'GET', requestUrl: 'x', responseCodes: [200, 404] }, '?newVersion=true')
      expect(accepted.body).toMatchObject({ statusCode: 404, data: { none: true } })
      target.answer = () => ({ status: 201, json: {} })
      expect((await send({ verb: 'GET', requestUrl: 'x', responseCodes: [200] })).status).toBe(400)
      expect((await send({ verb: 'GET', requestUrl: 'x', responseCodes: [99] })).body.errorMessage).toContain(
        'responseCodes',
      )
    })

    it('data goes out as JSON, as a form, as text or as bytes', async () => {
      await register()
      const sent = async (data: unknown, type?: string) => {
        await send({ verb: 'POST', requestUrl: 'x', data, ...(type ? { headers: { 'Content-Type': type } } : {}) })
        const { headers, body } = target.received.at(-1) ?? { headers: {}, body: Buffer.alloc(0) }
        return [headers['content-type'], body.toString('latin1')]
      }
      expect(await sent({ a: 1 })).toEqual(['application/json', '{"a":1}'])
      expect(await sent('text')).toEqual(['application/json', '"text"'])
      expect(await sent(null)).toEqual([undefined, ''])
      expect(await sent({ a: 'x y', b: [1, 2] }, 'application/x-www-form-urlencoded')).toEqual([
        'application/x-www-form-urlencoded',
        'a=x+y&b=1&b=2',
      ])
      expect(await sent('<a/>', 'application/xml')).toEqual(['application/xml', '<a/>'])
      expect(await sent({ $base64: Buffer.from([255, 0]).toString('base64') }, 'image/png')).toEqual([
        'image/png',
        '\u00ff\u0000',
      ])
      expect((await send({ verb: 'POST', requestUrl: 'x', data: { $base64: '***' } })).status).toBe(400)
    })

    it('a GET carries no body for an empty data object', async () => {
      await register()
      expect((await send({ verb: 'GET', requestUrl: 'x', data: {} })).body).toMatchObject({ body: '' })
      expect(target.received[0]?.headers['content-type']).toBeUndefined()
    })

    it.each([
      [{ requestUrl: 'x' }, 'verb'],
      [{ verb: 'GET' }, 'requestUrl'],
      [{ verb: 'GET', requestUrl: 'x', headers: { a: 1 } }, 'headers'],
      [{ verb: 'GET', requestUrl: 'x', body: {} }, 'body'],
    ])('refuses %j', async (body, field) => {
      await register()
      const answer = await send(body)
      expect(answer.status).toBe(400)
      expect(answer.body.errorMessage).toContain(field)
    })

    it('a header that cannot be sent is refused, and Host cannot be changed', async () => {
      await register()
      for (const headers of [{ 'a b': 'x' }, { a: 'x\r\nb: y' }, { Host: 'evil.example' }]) {
        expect((await send({ verb: 'GET', requestUrl: 'x', headers })).status).toBe(400)
      }
      expect(target.received).toEqual([])
    })

    it('an Idempotency-Key goes along with writes', async () => {
      await register()
      const client = user.with({ 'Idempotency-Key': 'key-1' })
      await send({ verb: 'POST', requestUrl: 'x', data: {} }, '', client)
      await send({ verb: 'GET', requestUrl: 'x' }, '', client)
      await client.post('/api/ApiPost?url=http/x', { jsonData: {} })
      expect(target.received.map(({ headers }) => headers['idempotency-key'])).toEqual(['key-1', undefined, 'key-1'])
    })
  })

  describe('credentials stay with the hosts of the application', () => {
    it.each(['srv', 'baseUrl'])('%s may name another path on them', async (kind) => {
      await register({ authType: 'bearer', token: 'a-token-1' })
      const base = `${target.origin}/v2/`
      const answer =
        kind === 'srv'
          ? await user.get(`/api/ApiGet?url=http/x&srv=${encodeURIComponent(base)}`)
          : await send({ verb: 'GET', requestUrl: '/x', baseUrl: base })
      expect(answer.body).toMatchObject({ url: '/v2/x', headers: { authorization: 'Bearer a-token-1' } })
    })

    it('a foreign host is 400 and never called', async () => {
      await using foreign = await startHttpTarget()
      await register({ authType: 'bearer', token: 'a-token-1' })
      const own = new URL(target.origin)
      for (const base of [
        foreign.origin,
        `http://localhost:${new URL(foreign.origin).port}`,
        `${target.origin}.evil.example`,
        `http://${own.host}@${new URL(foreign.origin).host}`,
        'ftp://127.0.0.1',
        'nonsense',
      ]) {
        expect((await send({ verb: 'GET', requestUrl: 'x', baseUrl: base })).status, base).toBe(400)
        const srv = await user.get(`/api/ApiGet?url=http/x&srv=${encodeURIComponent(base)}`)
        expect(srv.status, base).toBe(400)
      }
      expect((await send({ verb: 'GET', requestUrl: `${foreign.origin}/x` })).status).toBe(400)
      for (const path of ['//evil.example/x', '@evil.example', '\\\\evil.example', '../../..//x']) {
        await send({ verb: 'GET', requestUrl: path })
      }
      expect(foreign.received).toEqual([])
      expect(target.received.every(({ headers }) => headers.host === own.host)).toBe(true)
    })

    it('a whole address on its own host is called, as pages of a list give it', async () => {
      await register()
      expect((await send({ verb: 'GET', requestUrl: `${target.origin}/v1/orders?page=2` })).body.url).toBe(
        '/v1/orders?page=2',
      )
    })

    it('redirects within the origin keep credentials, to another they lose them', async () => {
      await using foreign = await startHttpTarget(tell)
      await register({ authType: 'header', headerName: 'X-Api-Key', headerValue: 'key-canary-1' })
      target.answer = (request) =>
        request.url === '/v1/near'
          ? { status: 302, headers: { location: '/v1/there' } }
          : request.url === '/v1/far'
            ? { status: 302, headers: { location: `${foreign.origin}/there` } }
            : tell(request, undefined as never)
      expect((await get('http/near')).body).toMatchObject({
        url: '/v1/there',
        headers: { 'x-api-key': 'key-canary-1' },
      })
      expect((await get('http/far')).body.headers['x-api-key']).toBeUndefined()
      expect(foreign.received).toHaveLength(1)
    })

    it("the application's credentials win over a header of the caller", async () => {
      await register({ authType: 'bearer', token: 'the-real-token' })
      const answer = await send({ verb: 'GET', requestUrl: 'x', headers: { AUTHORIZATION: 'Bearer other' } })
      expect(answer.body.headers.authorization).toBe('Bearer the-real-token')
    })
  })

  describe('targets that misbehave', () => {
    it('a redirect loop is 400 with a sentence', async () => {
      await register()
      target.answer = () => ({ status: 302, headers: { location: '/v1/again' } })
      const answer = await get('http/again')
      expect(answer.status).toBe(400)
      expect(answer.body).toMatchObject({ errorMessage: expect.stringContaining('redirects'), response: null })
      expect(target.received.length).toBeLessThanOrEqual(6)
    })

    it('a flood is 400 with a sentence, also when it is compressed', async () => {
      await register()
      const flood = gzipSync(Buffer.alloc(40 * 1024 * 1024))
      target.answer = () => ({ headers: { 'content-encoding': 'gzip' }, body: flood })
      const answer = await get('http/x')
      expect(answer.status).toBe(400)
      expect(answer.body.errorMessage).toContain('larger')
    })

    it('a connection that breaks off is 400 with a sentence', async () => {
      await register()
      target.answer = (_request, response) => {
        response.socket?.destroy()
        return undefined
      }
      const answer = await get('http/x')
      expect([answer.status, answer.body.response]).toEqual([400, null])
    })

    it('JSON that is nested without end is text, and is not sent', async () => {
      await register()
      const deep = '['.repeat(20_000) + ']'.repeat(20_000)
      target.answer = () => ({ body: deep })
      expect((await get('http/x')).body).toBe(deep)
      target.answer = () => ({ status: 500, body: deep })
      expect((await get('http/x')).status).toBe(400)
      const sent = await user.send('POST', '/api/ApiPost?url=http/x', `{"jsonData":${deep}}`)
      expect(sent.status).toBe(400)
    })

    it('what one process is told about patience, the others keep to', async () => {
      await using second = await service.startAnother({}, 'api')
      await register()
      let toldAt = 0
      target.answer = () => {
        if (toldAt > 0) return { json: {} }
        toldAt = performance.now()
        return { status: 429, headers: { 'retry-after': '2' } }
      }
      const first = get('http/x')
      const isLearnt = async () => {
        const rows = await service.asOwner('select from registered_applications where quiet_until > now()')
        return rows.length > 0
      }
      await eventually(isLearnt)
      expect((await get('http/x', second.client(user.keys))).status).toBe(200)
      expect(performance.now() - toldAt).toBeGreaterThan(1900)
      expect((await first).status).toBe(200)
      expect(target.received).toHaveLength(3)
    })

    it('Retry-After is waited for', async () => {
      await register()
      let asked = 0
      target.answer = () => (++asked === 1 ? { status: 429, headers: { 'retry-after': '1' } } : { json: { asked } })
      expect((await get('http/x')).body).toEqual({ asked: 2 })
    })
  })
})

describe('without an allowance for loopback', () => {
  let service: TestService
  beforeAll(async () => {
    service = await startService({ env: { PATCHBAY_EGRESS_ALLOW: '' } })
  })
  afterAll(() => service[Symbol.asyncDispose]())

  it('no spelling of a local address is called', async () => {
    await using target = await startHttpTarget()
    const { port } = new URL(target.origin)
    for (const host of [
      '127.0.0.1',
      'localhost',
      '2130706433',
      '0x7f.1',
      '[::1]',
      '[::ffff:127.0.0.1]',
      '127.1',
      '0.0.0.0',
    ]) {
      const { client } = await createAccount(service, service.manager, 'User')
      const credentialsJson = JSON.stringify({ baseUrl: `http://${host}:${port}` })
      expect((await client.post('/api/RegApplication', { applicationId: http, credentialsJson })).status).toBe(200)
      const answer = await client.get('/api/ApiGet?url=http/x')
      expect([host, answer.status]).toEqual([host, 400])
      expect(answer.body.errorMessage).toContain('could not be reached')
    }
    expect(target.received).toEqual([])
  })
})
