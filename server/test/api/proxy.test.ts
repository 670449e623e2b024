import { beforeEach, describe, expect, it } from 'vitest'
import { useProxySample } from '../harness/proxy-sample.ts'

const test = 'f3055934-bffe-55b6-b9e5-ce20a3a8563b'
const sample = useProxySample()
const { register, send, get } = sample

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
      const answer = await sample.user.post('/api/ApiPost?url=test/echo', { jsonData })
      expect([answer.status, answer.body]).toEqual([200, jsonData])
    }
    const sent = await sample.user.post('/api/ApiSend/test', { verb: 'post', requestUrl: 'echo', data: { x: 1 } })
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
    const chosen = await get('http/x', sample.user.with({ AppKey: second.toUpperCase() }))
    expect(chosen.body.headers.authorization).toBe('Bearer second-token')
    expect((await get('http/x', sample.user.with({ AppKey: 'x' }))).status).toBe(400)
    expect((await get('test/x', sample.user.with({ AppKey: second }))).status).toBe(404)
    expect((await sample.user.get('/api/ApiAppVault?shortName=http')).status).toBe(400)
    expect((await sample.user.get('/api/ApiAppVault')).status).toBe(400)
    expect((await sample.user.with({ AppKey: second }).get('/api/ApiAppVault')).body).toEqual({
      baseUrl: `${sample.target.origin}/v1`,
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
    const answer = await sample.user.get('/api/ApiAuth?shortName=http')
    expect(answer.status).toBe(400)
    expect(answer.text).not.toContain('a-stored-token')
  })
})

describe('ApiGet and ApiPost', () => {
  it('return the body of the target', async () => {
    await register()
    const got = (await get('http/orders?since=2025-01-01&x=a%20b')).body
    expect(got).toMatchObject({ method: 'GET', url: '/v1/orders?since=2025-01-01&x=a%20b', body: '' })
    const posted = await sample.user.post('/api/ApiPost?url=http/orders', { jsonData: { a: 1 } })
    expect(posted.body).toMatchObject({ method: 'POST', url: '/v1/orders', body: '{"a":1}' })
    expect(posted.body.headers['content-type']).toBe('application/json')
  })

  it('text is answered as a string, an empty body as null', async () => {
    await register()
    sample.target.answer = () => ({ body: 'plain words' })
    expect((await get('http/x')).body).toBe('plain words')
    sample.target.answer = () => ({ status: 204 })
    expect((await get('http/x')).body).toBe(null)
  })

  it('jsonData and url are required, and unknown fields are named', async () => {
    await register()
    expect((await sample.user.post('/api/ApiPost?url=http/x', {})).body.errorMessage).toContain('jsonData')
    expect((await sample.user.post('/api/ApiPost?url=http/x', { jsonData: 1, more: 1 })).body.errorMessage).toContain(
      'more',
    )
    expect((await sample.user.get('/api/ApiGet')).body.errorMessage).toContain('url')
    expect((await sample.user.get('/api/ApiGet?url=')).status).toBe(400)
    expect((await sample.user.get('/api/ApiGet?url=%2F%3F')).status).toBe(400)
  })

  it('a refusal of the target is 400 with its answer', async () => {
    await register({ authType: 'bearer', token: 'token-canary-1' })
    sample.target.answer = ({ headers }) => ({
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
    expect(answer.body.errorMessage).toContain(`GET ${sample.target.origin}/v1/orders`)
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
    expect(sample.target.received).toEqual([])
  })

  it('answers Json parsed, Text as text and Binary as base64', async () => {
    await register()
    const bytes = Buffer.from([0, 255, 1, 254, 10])
    sample.target.answer = () => ({ body: '{"a":1}' })
    expect((await send({ verb: 'GET', requestUrl: 'x', responseType: 'Json' })).body).toEqual({ a: 1 })
    expect((await send({ verb: 'GET', requestUrl: 'x', responseType: 'text' })).body).toBe('{"a":1}')
    sample.target.answer = () => ({ body: bytes })
    expect((await send({ verb: 'GET', requestUrl: 'x', responseType: 'Binary' })).body).toBe(bytes.toString('base64'))
    sample.target.answer = () => ({ body: '<html>' })
    const broken = await send({ verb: 'GET', requestUrl: 'x', responseType: 'Json' })
    expect([broken.status, broken.body.response.data]).toEqual([400, '<html>'])
    expect((await send({ verb: 'GET', requestUrl: 'x', responseType: 'Xml' })).body.errorMessage).toContain(
      'responseType',
    )
  })

  it('returns text itself as text/plain, and in the envelope as a JSON string', async () => {
    await register()
    const plain = 'text/plain; charset=utf-8'
    const typeOf = (answer: { headers: Headers }) => answer.headers.get('content-type')
    sample.target.answer = () => ({ headers: { 'content-type': 'text/csv' }, body: '"a","b"\nå;1' })
    for (const answer of [
      await send({ verb: 'GET', requestUrl: 'x', responseType: 'Text' }),
      await get('http/x'),
      await sample.user.post('/api/ApiPost?url=http/x', { jsonData: {} }),
    ]) {
      expect([answer.status, answer.text, typeOf(answer)]).toEqual([200, '"a","b"\nå;1', plain])
    }
    const envelope = await send({ verb: 'GET', requestUrl: 'x', responseType: 'Text' }, '?newVersion=true')
    expect(envelope.body.data).toBe('"a","b"\nå;1')
    sample.target.answer = () => ({ body: '{"a":1}' })
    const asText = await send({ verb: 'GET', requestUrl: 'x', responseType: 'Text' })
    expect([asText.text, typeOf(asText)]).toEqual(['{"a":1}', plain])
    sample.target.answer = () => ({ body: '"a JSON string"' })
    const json = await get('http/x')
    expect([json.text, typeOf(json)]).toEqual(['"a JSON string"', 'application/json; charset=utf-8'])
    sample.target.answer = () => ({ body: '' })
    expect((await send({ verb: 'GET', requestUrl: 'x', responseType: 'Text' })).text).toBe('')
  })

  it.each([
    ['text', 'å line\n'.repeat(40_000), 'text/plain; charset=utf-8'],
    ['CSV', '"a","b"\n'.repeat(40_000), 'text/plain; charset=utf-8'],
    ['a JSON string', JSON.stringify('a "quoted" line\n'.repeat(40_000)), 'application/json; charset=utf-8'],
  ])('returns a large body that is %s as it came', async (_name, body, type) => {
    await register()
    sample.target.answer = () => ({ body })
    const answer = await get('http/x')
    expect(answer.headers.get('content-type')).toBe(type)
    expect(answer.text === body).toBe(true)
    expect((await send({ verb: 'GET', requestUrl: 'x', responseType: 'Text' })).text === body).toBe(true)
  })

  it('newVersion=true answers statusCode, headers and data', async () => {
    await register()
    sample.target.answer = () => ({
      status: 201,
      headers: { 'X-Page': '2', 'Set-Cookie': ['a=1', 'b=2'] },
      json: { id: 5 },
    })
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
    sample.target.answer = () => ({ status: 404, json: { none: true } })
    const accepted = await send({ verb: 'GET', requestUrl: 'x', responseCodes: [200, 404] }, '?newVersion=true')
    expect(accepted.body).toMatchObject({ statusCode: 404, data: { none: true } })
    sample.target.answer = () => ({ status: 201, json: {} })
    expect((await send({ verb: 'GET', requestUrl: 'x', responseCodes: [200] })).status).toBe(400)
    expect((await send({ verb: 'GET', requestUrl: 'x', responseCodes: [99] })).body.errorMessage).toContain(
      'responseCodes',
    )
  })

  it('data goes out as JSON, as a form, as text or as bytes', async () => {
    await register()
    const sent = async (data: unknown, type?: string) => {
      await send({ verb: 'POST', requestUrl: 'x', data, ...(type ? { headers: { 'Content-Type': type } } : {}) })
      const { headers, body } = sample.target.received.at(-1) ?? { headers: {}, body: Buffer.alloc(0) }
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
    expect(sample.target.received[0]?.headers['content-type']).toBeUndefined()
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
    expect(sample.target.received).toEqual([])
  })

  it('an Idempotency-Key goes along with writes', async () => {
    await register()
    const client = sample.user.with({ 'Idempotency-Key': 'key-1' })
    await send({ verb: 'POST', requestUrl: 'x', data: {} }, '', client)
    await send({ verb: 'GET', requestUrl: 'x' }, '', client)
    await client.post('/api/ApiPost?url=http/x', { jsonData: {} })
    expect(sample.target.received.map(({ headers }) => headers['idempotency-key'])).toEqual([
      'key-1',
      undefined,
      'key-1',
    ])
  })
})
