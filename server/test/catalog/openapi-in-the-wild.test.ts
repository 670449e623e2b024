// Documents as programs and people really write them: older ones, newer ones, and the corners of the standard.
import { describe, expect, it } from 'vitest'
import { fromOpenApi } from '../../src/catalog/openapi/from-openapi.ts'
import { get, read, small } from './read-document.ts'
import { runScript } from './run-template.ts'
import { startStandIn } from './stand-in.ts'

const swagger = `swagger: "2.0"
info: { title: Old shop, version: 1.0.0 }
host: shop.example
basePath: /api/v1
schemes: [http, https]
consumes: [application/json]
produces: [application/json]
securityDefinitions:
  oauth:
    type: oauth2
    flow: accessCode
    authorizationUrl: https://shop.example/authorize
    tokenUrl: https://shop.example/token
    scopes: { read: Read orders }
security: [{ oauth: [read] }]
parameters:
  page: { name: page, in: query, type: integer }
definitions:
  Order: { type: object, properties: { parent: { $ref: '#/definitions/Order' } } }
paths:
  /orders:
    parameters: [{ $ref: '#/parameters/page' }]
    get:
      summary: List orders
      parameters:
        - { name: state, in: query, type: string, enum: [open, closed] }
        - { name: ids, in: query, type: array, items: { type: string } }
        - { name: tags, in: query, type: array, items: { type: string }, collectionFormat: multi }
        - { name: codes, in: query, type: array, items: { type: string }, collectionFormat: pipes }
      responses: { 200: { description: ok, schema: { type: array, items: { $ref: '#/definitions/Order' } } } }
    post:
      summary: Make an order
      parameters: [{ name: order, in: body, required: true, schema: { $ref: '#/definitions/Order' } }]
      responses: { 201: { description: made } }
  /login:
    post:
      summary: Sign in
      consumes: [application/x-www-form-urlencoded]
      parameters: [{ name: user, in: formData, type: string, required: true }]
      responses: { 200: { description: ok } }
  /report:
    get:
      summary: Report
      produces: [application/pdf]
      responses: { 200: { description: ok, schema: { type: file } } }
  /picture:
    post:
      summary: Picture
      parameters: [{ name: file, in: formData, type: file }]
      responses: { 200: { description: ok } }
`

describe('Swagger 2.0', () => {
  it('gives address, authentication and blocks like its successors', () => {
    const { application, blocks, block, warnings } = read(swagger)
    expect(application.baseUrl).toBe('https://shop.example/api/v1')
    expect(application.authentication).toMatchObject({
      type: 'oauth2AuthorizationCode',
      authorizationUrl: 'https://shop.example/authorize',
      tokenUrl: 'https://shop.example/token',
      scopes: ['read'],
    })
    expect(blocks.map(({ name }) => name).sort()).toEqual([
      'List orders',
      'Make an order',
      'Picture',
      'Report',
      'Sign in',
    ])
    expect(block('List orders').variables.map(({ shortName, type }) => [shortName, type])).toEqual([
      ['page', 'number'],
      ['state', 'select'],
      ['ids', 'json'],
      ['tags', 'json'],
      ['codes', 'json'],
    ])
    expect(block('Picture').variables.map(({ shortName, type }) => [shortName, type])).toEqual([
      ['file', 'json'],
      ['body', 'json'],
    ])
    expect(warnings).toEqual(['The client secret is sent to https://shop.example/token.'])
  })

  it('gives scripts that send what the document says', async () => {
    const { block } = read(swagger)
    await using standIn = await startStandIn(({ path }) =>
      path.endsWith('report') ? { bytes: Buffer.from([1, 2]) } : { json: { ok: true } },
    )
    const run = (name: string, variables: object, data: unknown[] = []) =>
      runScript(block(name).script, data, variables as Record<string, unknown>, { api: standIn.api })
    await run('List orders', { page: 2, ids: ['a', 'b'], tags: ['x', 'y'], codes: [1, 2] })
    await run('Make an order', {}, [{ number: 1 }])
    await run('Sign in', { body: { user: 'a b' } })
    expect((await run('Report', {})).result).toBe('AQI=')
    const [list, order, login] = standIn.received
    expect(list?.query.toString()).toBe('page=2&ids=a%2Cb&tags=x&tags=y&codes=1%7C2')
    expect(order?.json()).toEqual({ number: 1 })
    expect([login?.headers['content-type'], login?.body.toString()]).toEqual([
      'application/x-www-form-urlencoded',
      'user=a+b',
    ])
  })

  it('without a host means the one it came from', () => {
    const old = { swagger: '2.0', info: { title: 'Old' }, basePath: '/v2', paths: { '/a': get() } }
    expect(read(old, 'https://old.example/docs/swagger.json').application.baseUrl).toBe('https://old.example/v2')
    expect(read(old).application.baseUrl).toBe('{baseUrl}/v2')
  })
})

describe('an OpenAPI document', () => {
  it.each(['3.0.0', '3.1.1', '3.2.0'])('of version %s is read', (version) => {
    expect(read(small({ openapi: version })).blocks).toHaveLength(1)
  })

  it('may begin with a mark of the byte order, as JSON and as YAML', () => {
    expect(read(`\uFEFF${JSON.stringify(small())}`).blocks).toHaveLength(1)
    expect(read(`\uFEFFopenapi: 3.0.0\ninfo: { title: x }\npaths: { /a: { get: {} } }\n`).blocks).toHaveLength(1)
  })

  it('may have variables in its address that are called like credentials', () => {
    const servers = [
      {
        url: 'https://{username}.example:{port}/{basePath}',
        variables: {
          username: { default: 'demo' },
          port: { default: '8443', enum: ['8443', '443'] },
          basePath: { default: 'v2' },
        },
      },
    ]
    const components = { securitySchemes: { basic: { type: 'http', scheme: 'basic' } } }
    const { application } = read(small({ servers, components, security: [{ basic: [] }] }))
    expect(application.baseUrl).toBe('https://{usernameOfServer}.example:{port}/{basePath}')
    expect(application.credentialFields.map(({ ShortName }) => ShortName)).toEqual([
      'usernameOfServer',
      'port',
      'basePath',
      'username',
      'password',
    ])
  })

  it('with a choice of very many servers asks for a text', () => {
    const regions = Array.from({ length: 300 }, (_, number) => `r${number}`)
    const servers = [{ url: 'https://{region}.example', variables: { region: { default: 'r1', enum: regions } } }]
    expect(read(small({ servers })).application.credentialFields[0]).toMatchObject({ Type: 'text', Default: 'r1' })
  })

  it.each([
    ['implicit', { implicit: { authorizationUrl: 'https://small.example/auth', scopes: {} } }],
    ['password', { password: { tokenUrl: 'https://small.example/token', scopes: {} } }],
  ])('whose only flow is %s takes a token that somebody has', (_flow, flows) => {
    const components = { securitySchemes: { oauth: { type: 'oauth2', flows } } }
    const { application } = read(small({ components, security: [{ oauth: [] }] }))
    expect(application.authentication).toEqual({ type: 'bearer', token: '{token}' })
  })

  it('leaves headers to the connection that are the connection’s', () => {
    const parameters = ['Authorization', 'accept', 'Content-Type', 'X-Own'].map((name) => ({
      name,
      in: 'header',
      schema: {},
    }))
    expect(
      read(small({ paths: { '/a': get({ parameters }) } }))
        .block('read')
        .variables.map(({ displayName }) => displayName),
    ).toEqual(['X-Own'])
  })

  it('calls an operation at its own server, and says who gets the credentials', () => {
    const servers = [{ url: 'https://{place}.example/v2/', variables: { place: { default: 'other' } } }]
    const paths = {
      '/a': get({ servers }),
      '/b': { servers: [{ url: 'https://small.example/' }], ...get() },
      'x-internal': get(),
    }
    const { application, blocks, warnings } = read(small({ paths }))
    expect(application.allowedHosts).toEqual(['small.example', 'other.example'])
    expect(blocks.map(({ script }) => /"baseUrl": (.*),/.exec(script)?.[1]).sort()).toEqual([
      '"https://other.example/v2"',
      'null',
    ])
    expect(warnings.join()).toContain('which also receive the credentials: other.example')
  })

  it.each([
    ['in the clear', 'http://other.example'],
    ['with a variable that nobody knows', 'https://{place}.example'],
    ['with a password', 'https://me:secret@other.example'],
    ['of another kind', 'ftp://other.example'],
  ])('does not use a server of an operation that is %s', (_what, url) => {
    const { application, warnings } = read(small({ paths: { '/a': get({ servers: [{ url }] }) } }))
    expect(application.allowedHosts).toEqual(['small.example'])
    expect(warnings.join()).toContain('GET /a has a server of its own, which cannot be used')
  })

  it('that does not say what it answers gives JSON where it is JSON, and else text', async () => {
    const { block } = read(small())
    await using standIn = await startStandIn(() => ({ json: { a: 1 } }))
    expect((await runScript(block('read').script, [], {}, { api: standIn.api })).result).toEqual({ a: 1 })
    expect(block('read').script).toContain('"responseType": null')
  })

  it('may want objects in the query', async () => {
    const parameters = [
      { name: 'filter', in: 'query', style: 'deepObject', explode: true, schema: { type: 'object' } },
      { name: 'page', in: 'query', schema: { type: 'object' } },
      { name: 'sort', in: 'query', explode: false, schema: { type: 'object' } },
    ]
    const { block } = read(small({ paths: { '/a': get({ parameters }) } }))
    await using standIn = await startStandIn(() => ({ json: null }))
    const variables = { filter: { name: 'x', age: 3 }, page: { from: 1, size: 2 }, sort: { name: 'asc' } }
    await runScript(block('read').script, [], variables, { api: standIn.api })
    expect([...(standIn.received[0]?.query ?? [])]).toEqual([
      ['filter[name]', 'x'],
      ['filter[age]', '3'],
      ['from', '1'],
      ['size', '2'],
      ['sort', 'name,asc'],
    ])
  })

  it('may be a thousand operations large', () => {
    const paths = Object.fromEntries(
      Array.from({ length: 1000 }, (_, number) => [
        `/things/{id}/part${number}`,
        get({
          operationId: `read${number}`,
          summary: `Part ${number} 😀`.padEnd(220, '😀'),
          parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }],
        }),
      ]),
    )
    expect(read(small({ paths })).blocks).toHaveLength(1000)
  })
})

describe('a document that means harm', () => {
  const refusal = (text: string) => {
    const outcome = fromOpenApi(text, { namespace: 'organization-1' })
    return outcome.kind === 'refused' ? outcome.message : 'it was read'
  }

  it('by aliases that multiply is refused', () => {
    const levels = Array.from(
      { length: 12 },
      (_, level) => `l${level + 1}: &l${level + 1} [${Array(10).fill(`*l${level}`).join(', ')}]`,
    )
    expect(refusal(`l0: &l0 [x]\n${levels.join('\n')}\nopenapi: 3.0.0\npaths: {}\n`)).toMatch(/alias|no operation/i)
  })

  it('by references that go round is refused, and schemas may do so', () => {
    const round = small({
      paths: { '/a': get({ parameters: [{ $ref: '#/components/parameters/a' }] }) },
      components: {
        parameters: { a: { $ref: '#/components/parameters/b' }, b: { $ref: '#/components/parameters/a' } },
      },
    })
    expect(refusal(JSON.stringify(round))).toContain('is circular')
    const schema = { type: 'object', properties: { next: { $ref: '#/components/schemas/Node' } } }
    const parameters = [{ name: 'node', in: 'query', schema: { $ref: '#/components/schemas/Node' } }]
    const own = small({ paths: { '/a': get({ parameters }) }, components: { schemas: { Node: schema } } })
    expect(read(own).block('read').variables[0]?.type).toBe('json')
  })

  it('by depth is read or refused, and ends', () => {
    const deep = `{"openapi":"3.0.0","info":{"title":"x"},"paths":{"/a":{"get":{"x":${'['.repeat(200_000)}${']'.repeat(200_000)}}}}}`
    expect(refusal(deep)).toMatch(/^it was read$/)
    expect(refusal(`openapi: 3.0.0\npaths: ${'['.repeat(5000)}`)).toMatch(/not valid YAML|not an object/)
  })

  it('by names of the language is data like any other', () => {
    const paths = {
      '/__proto__': get({ operationId: '__proto__' }),
      '/constructor': get({ operationId: 'constructor' }),
    }
    const text = JSON.stringify(small({ paths })).replace(
      '"title":"Small"',
      '"title":"Small","__proto__":{"polluted":true}',
    )
    expect(read(text).blocks).toHaveLength(2)
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined()
  })
})
