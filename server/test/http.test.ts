// Rules that hold for every request, whatever it is about.
import { connect } from 'node:net'
import { features, operations } from '@patchbay/contract'
import { Type } from 'typebox'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Guid } from '../../contract/src/ids.ts'
import { validator } from '../src/http/index.ts'
import { validate } from './harness/open-api.ts'
import { readiness } from './harness/readiness.ts'
import { startService, type TestService } from './harness/service.ts'

let service: TestService
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service[Symbol.asyncDispose]())

const anyId = '00000000-0000-4000-8000-000000000000'
const fill = (path: string) => path.replaceAll(/:(\w+)/g, anyId)
const all = Object.values(operations)

describe('ids', () => {
  const given = 'ABCDEF00-0000-4000-8000-00000000ABCD'
  const Body = Type.Object({
    id: Guid,
    list: Type.Array(Type.Union([Guid, Type.Null()])),
    map: Type.Unsafe<Record<string, string>>({ type: 'object', additionalProperties: Guid }),
  })

  it('are handed on in small letters, wherever they stand', () => {
    const id = given.toLowerCase()
    expect(validator(Body, 'body')({ id: given, list: [given, null], map: { SHOP: given } })).toEqual({
      id,
      list: [id, null],
      map: { SHOP: id },
    })
  })

  it('of every path are such ids, so no handler needs to spell them', () => {
    const others = all.flatMap((spec) =>
      'params' in spec
        ? Object.entries(spec.params.properties as Record<string, { format?: string }>)
            .filter(([name, schema]) => /id$/i.test(name) && schema.format !== 'uuid')
            .map(([name]) => `${spec.name} ${name}`)
        : [],
    )
    // Of what a tag names, the type is judged first.
    expect(others).toEqual(['AttributeTagAdd entityId', 'AttributeTagDelete entityId'])
  })
})

describe('every operation', () => {
  it.each(
    all.filter((spec) => !('access' in spec) || spec.access !== 'public').map((spec) => [spec.name, spec] as const),
  )('%s is 401 without keys, whatever else is wrong', async (_name, spec) => {
    const answer = await service
      .client(undefined)
      .send(spec.method, fill(spec.path), spec.method === 'POST' ? '{"nonsense":1}' : undefined)
    expect(answer.status).toBe(401)
    expect(answer.body).toEqual({ code: 401, errorMessage: expect.any(String), response: null })
  })

  it.each(
    all
      .filter((spec) => spec.method === 'GET' && 'changesState' in spec && spec.changesState)
      .map((spec) => [spec.name, spec] as const),
  )('%s refuses HEAD with 405', async (_name, spec) => {
    expect((await service.manager.send('HEAD', fill(spec.path))).status).toBe(405)
  })

  it('has a description that ends as a sentence does, and a path under /api of its own', () => {
    for (const spec of all) {
      expect(spec.description, spec.name).toMatch(/\.$/)
      expect(spec.path.startsWith('/api/'), spec.name).toBe(true)
    }
    expect(new Set(all.map((spec) => `${spec.method} ${spec.path}`)).size).toBe(all.length)
  })
})

describe('answers', () => {
  it('carry a request id and rate limit headers', async () => {
    const answer = await service.manager.get('/api/Authenticate')
    expect(answer.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/)
    expect(Number(answer.headers.get('ratelimit-limit'))).toBeGreaterThanOrEqual(500)
    expect(answer.headers.get('ratelimit-remaining')).toBeTruthy()
    expect(answer.headers.get('ratelimit-reset')).toBeTruthy()
  })
  it('for a route that does not exist are 404 with the usual body', async () => {
    const answer = await service.manager.get('/api/Nothing')
    expect([answer.status, answer.body.code, answer.body.response]).toEqual([404, 404, null])
  })
  it.each([
    ['GET', '/api/RunWorkflow', 'POST'],
    ['HEAD', '/api/RunWorkflow', 'POST'],
    ['DELETE', '/api/Accounts', 'GET, HEAD, POST'],
    ['PUT', `/api/Workflow/${anyId}`, 'GET, HEAD, POST'],
    ['POST', `/api/DeleteWorkflow/${anyId}`, 'GET'],
    ['DELETE', `/webhook/${anyId}`, 'GET, PATCH, POST, PUT'],
    ['POST', '/openapi.json', 'GET, HEAD'],
  ])('for %s %s are 405 and name what is allowed', async (method, path, allowed) => {
    const answer = await service.manager.send(method, path)
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, allowed])
    if (method === 'HEAD') return
    const errorMessage = `${path} does not take ${method}. Use ${allowed}.`
    expect(answer.body).toEqual({ code: 405, errorMessage, response: null })
  })
  it.each(['/api/%zz', '/api/DeleteApiKey/%', '/api/DeleteApiKey/%c0%af'])(
    'for the malformed address %s are 400 or 404, never 500',
    async (path) => {
      expect([400, 404]).toContain((await service.manager.get(path)).status)
    },
  )
  it('for a body of another type are 400', async () => {
    const answer = await service.manager.send('POST', '/api/ApiKey', '<a/>', { 'Content-Type': 'text/xml' })
    expect(answer.status).toBe(400)
    expect(answer.body.errorMessage).toContain('Content-Type')
  })
  it('for a body that is too large are 413', async () => {
    const answer = await service.manager.send(
      'POST',
      '/api/ApiKey',
      JSON.stringify({ label: 'x'.repeat(9 * 1024 * 1024) }),
    )
    expect([answer.status, answer.body.code]).toEqual([413, 413])
  })
  it('for a body with __proto__ are 400', async () => {
    expect((await service.manager.send('POST', '/api/ApiKey', '{"__proto__":{"admin":true}}')).status).toBe(400)
  })
  it('for JSON that is nested too deep are 400, whatever its size', async () => {
    for (const levels of [501, 6_000, 100_000]) {
      const deep = '['.repeat(levels) + ']'.repeat(levels)
      for (const body of [
        `{"script":"return 1","dataSources":${deep}}`,
        `{"script":"return 1","vault":{"a":${deep}}}`,
      ]) {
        const answer = await service.manager.send('POST', '/api/TestBlock', body)
        expect([levels, answer.status, answer.body.errorMessage]).toEqual([
          levels,
          400,
          'The body is nested more than 500 levels deep.',
        ])
      }
    }
    // Brackets in a text are no levels.
    const flat = await service.manager.post('/api/TestBlock', {
      script: 'return Datasource[0].length',
      dataSources: ['['.repeat(6_000)],
    })
    expect([flat.status, flat.body.result]).toEqual([200, 6_000])
  })
  it('for very deep JSON are 4xx', async () => {
    const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`
    const answer = await service.manager.send('POST', '/api/ApiKey', `{"label":${deep}}`)
    expect(answer.status).toBe(400)
  })
  it('for broken HTTP are 400, and the service goes on', async () => {
    const { port } = new URL(service.baseUrl)
    const text = await new Promise<string>((done, fail) => {
      const socket = connect(Number(port), '127.0.0.1', () => socket.write('NONSENSE\r\n\r\n'))
      let seen = ''
      socket.on('data', (chunk) => {
        seen += chunk
      })
      socket.on('close', () => done(seen)).on('error', fail)
    })
    expect(text).toMatch(/^HTTP\/1\.1 400 /)
    expect(text).toContain('"code":400')
    expect((await service.manager.get('/api/Authenticate')).status).toBe(200)
  })
  it('are 429 with Retry-After once a key pair sends more than it may, and only for that pair', async () => {
    await using strict = await startService({ env: { PATCHBAY_RATE_LIMIT_PER_SECOND: '5' } })
    const other = strict.client((await strict.manager.post('/api/ApiKey', {})).body)
    const statuses = await Promise.all(Array.from({ length: 30 }, async () => strict.manager.get('/api/Authenticate')))
    const refused = statuses.filter((answer) => answer.status === 429)
    expect(refused.length).toBeGreaterThan(5)
    expect(refused[0]?.headers.get('retry-after')).toBe('1')
    expect(refused[0]?.body).toMatchObject({ code: 429, errorMessage: expect.stringMatching(/^Rate limit exceeded/) })
    expect((await other.get('/api/Authenticate')).status).toBe(200)
  })
})

describe('self-description', () => {
  it('GetMetaData lists every operation with the fields of the interface', async () => {
    const answer = await service.manager.get('/api/GetMetaData')
    expect(answer.status).toBe(200)
    expect(answer.body.map((item: { name: string }) => item.name).sort()).toEqual(all.map((spec) => spec.name).sort())
    const create = answer.body.find((item: { name: string }) => item.name === 'AccountCreate')
    expect(create).toMatchObject({
      route: '/api/Account',
      verb: 'POST',
      authenticate: true,
      responseCodes: { 200: expect.any(String), 400: expect.any(String) },
    })
    expect(create.requestBodySchema.properties.email).toBeTruthy()
    const tag = answer.body.find((item: { name: string }) => item.name === 'AttributeTagAdd')
    expect(tag).toMatchObject({
      route: '/api/AttributeTagAdd/{entityType}/{entityId}',
      parameters: 'entityType={string}&entityId={GUID}',
    })
  })
  it('Describe tells the fields of a record type, GetSchema its JSON Schema', async () => {
    const described = await service.manager.get('/api/Describe?name=ClientListApiDto')
    expect(described.body).toContainEqual({ name: 'email', type: 'string', description: 'Unique e-mail address.' })
    const schema = await service.manager.get('/api/GetSchema?name=ClientListApiDto')
    expect(schema.body).toMatchObject({ type: 'object', properties: { email: { type: 'string' } } })
  })
  it.each(['Describe', 'GetSchema'])('%s is 404 for an unknown name and 400 without one', async (name) => {
    for (const unknown of ['Nothing', 'toString', '__proto__'])
      expect((await service.manager.get(`/api/${name}?name=${unknown}`)).status).toBe(404)
    expect((await service.manager.get(`/api/${name}`)).status).toBe(400)
    expect((await service.manager.get(`/api/${name}?name=`)).status).toBe(400)
  })
  it('/openapi.json is valid OpenAPI 3.1 with every operation', async () => {
    const document = (await service.client(undefined).get('/openapi.json')).body
    expect(document.openapi).toBe('3.1.0')
    expect(await validate(document)).toEqual({ valid: true })
    const described = Object.values(document.paths as Record<string, object>).flatMap((path) =>
      Object.values(path).map((operation) => operation.operationId),
    )
    expect(described.sort()).toEqual(all.map((spec) => spec.name).sort())
  })
  it('/reference shows people the same', async () => {
    const page = await service.client(undefined).get('/reference')
    expect(page.status).toBe(200)
    for (const spec of all) expect(page.text).toContain(`id="${spec.name}"`)
    for (const name of Object.keys(features)) expect(page.text).toContain(`>${name}</h2>`)
    // Nested fields, required marks, headers, refusals and examples.
    expect(page.text).toContain('<code>chain[].blockName</code>')
    expect(page.text).toContain('<code>workflowId</code> <b class="required">required</b>')
    expect(page.text).toContain('<code>AppKey</code>')
    expect(page.text).toContain('The run did not fail.')
    expect(page.text).toContain('anna@example.com')
    expect(page.headers.get('content-security-policy')).toContain("script-src 'self'; connect-src 'self'")
  })
})

describe('operations', () => {
  it('/livez and /readyz need no keys', async () => {
    const nobody = service.client(undefined)
    expect([(await nobody.get('/livez')).status, (await readiness(nobody)).status]).toEqual([200, 200])
  })
  it('/metrics answers the machine itself, not what came through a proxy', async () => {
    const nobody = service.client(undefined)
    await service.manager.get('/api/Authenticate')
    const metrics = await nobody.get('/metrics')
    expect(metrics.text).toContain('patchbay_http_answers_total{operation="GET /api/Authenticate",status="200"}')
    expect((await nobody.with({ 'X-Forwarded-For': '203.0.113.1' }).get('/metrics')).status).toBe(404)
  })
  it('the log holds no keys', async () => {
    await service.manager.get('/api/Authenticate')
    await service.client({ ...service.firstAccount, consumer: 'pbc_wrong' }).get('/api/Authenticate')
    expect(service.logText()).toContain('/api/Authenticate')
    expect(service.logText().replaceAll(/SecretKey: \S+/g, '')).not.toContain(service.firstAccount.secretKey)
  })
})
