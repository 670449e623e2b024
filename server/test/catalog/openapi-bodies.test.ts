// Which bodies an imported operation sends, and how an imported application proves who calls.
import { describe, expect, it } from 'vitest'
import { fromOpenApi } from '../../src/catalog/openapi/from-openapi.ts'
import { get, read, small } from './read-document.ts'
import { runScript } from './run-template.ts'
import { startStandIn } from './stand-in.ts'

describe('bodies', () => {
  const post = (requestBody: object) =>
    small({ paths: { '/a': { post: { operationId: 'send', requestBody, responses: {} } } } })
  const content = (type: string, schema: object, more: object = {}) => ({ content: { [type]: { schema, ...more } } })
  const person = {
    allOf: [
      { $ref: '#/components/schemas/Named' },
      { properties: { age: { type: ['integer', 'null'] }, id: { type: 'string', readOnly: true } } },
    ],
  }
  const named = {
    type: 'object',
    required: ['name'],
    properties: { name: { type: 'string' }, tags: { type: 'array', items: { type: 'string' } } },
  }
  const components = { schemas: { Named: named } }

  it('that are objects of simple fields come as variables', async () => {
    const { block } = read({ ...post(content('application/json', person)), components })
    expect(block('send').variables.map(({ shortName, type, required }) => [shortName, type, required])).toEqual([
      ['name', 'text', false],
      ['tags', 'json', false],
      ['age', 'number', false],
      ['body', 'json', false],
    ])
    expect(block('send').variables[0]?.description).toContain('Required unless')
    await using standIn = await startStandIn(() => ({ json: null }))
    const run = (variables: object, data: unknown[] = []) =>
      runScript(block('send').script, data, variables as Record<string, unknown>, { api: standIn.api })
    await run({ name: 'Ada', age: 0 }, [{ unrelated: true }])
    await run({ name: 'Ada', body: { name: 'Bob', extra: 1 } })
    await run({}, [{ name: 'from a source' }])
    expect(standIn.received.map((request) => request.json())).toEqual([
      { name: 'Ada', age: 0 },
      { name: 'Ada', extra: 1 },
      { name: 'from a source' },
    ])
  })

  it.each([
    ['nested', { properties: { name: { type: 'string' }, address: { type: 'object' } } }],
    ['lists of objects', { properties: { lines: { type: 'array', items: { type: 'object' } } } }],
    ['alternatives', { oneOf: [named, named] }],
    ['a list', { type: 'array', items: { type: 'string' } }],
    [
      'too large',
      { properties: Object.fromEntries(Array.from({ length: 51 }, (_, n) => [`f${n}`, { type: 'string' }])) },
    ],
    ['round', { $ref: '#/components/schemas/Round' }],
  ])('that are %s come as one', (_what, schema) => {
    const schemas = { Round: { allOf: [{ $ref: '#/components/schemas/Round' }] } }
    const { block } = read({ ...post(content('application/json', schema)), components: { schemas } })
    expect(block('send').variables.map(({ shortName }) => shortName)).toEqual(['body'])
  })

  it('as forms write objects with brackets, and number lists where the document says so', async () => {
    const schema = { properties: { items: { type: 'array', items: { type: 'object' } } } }
    const encoding = { expand: { style: 'deepObject', explode: true } }
    const { block } = read(post(content('application/x-www-form-urlencoded', schema, { encoding })))
    await using standIn = await startStandIn(() => ({ json: null }))
    const body = { items: [{ price: 'p_1' }], expand: ['a', 'b'], tag: ['x', 'y'] }
    await runScript(block('send').script, [], { body }, { api: standIn.api })
    expect([...new URLSearchParams(standIn.received[0]?.body.toString())]).toEqual([
      ['items[0][price]', 'p_1'],
      ['tag', 'x'],
      ['tag', 'y'],
      ['expand[0]', 'a'],
      ['expand[1]', 'b'],
    ])
  })

  it('of several parts are sent as such', async () => {
    const schema = { properties: { title: { type: 'string' }, file: { type: 'string', format: 'binary' } } }
    const { block } = read(post(content('multipart/form-data', schema)))
    await using standIn = await startStandIn(() => ({ json: null }))
    const file = { $base64: Buffer.from('hello').toString('base64'), fileName: 'a.txt' }
    await runScript(block('send').script, [], { title: 'T', file }, { api: standIn.api })
    const body = standIn.received[0]?.body ?? Buffer.alloc(0)
    const form = await new Response(new Uint8Array(body), {
      headers: { 'content-type': String(standIn.received[0]?.headers['content-type']) },
    }).formData()
    expect([form.get('title'), (form.get('file') as File).name, await (form.get('file') as File).text()]).toEqual([
      'T',
      'a.txt',
      'hello',
    ])
  })

  it('of several parts in another form leave the operation out, and say so', () => {
    const paths = { '/a': get(), '/b': { post: { requestBody: content('multipart/related', {}), responses: {} } } }
    const { blocks, warnings } = read(small({ paths }))
    expect(blocks).toHaveLength(1)
    expect(warnings.join()).toContain('POST /b is left out')
  })
})

describe('security', () => {
  const secured = (schemes: object, ...security: object[]) =>
    small({ components: { securitySchemes: schemes }, security })

  it('of two keys in the query is kept, both secret', () => {
    const keys = {
      key: { type: 'apiKey', in: 'query', name: 'key' },
      token: { type: 'apiKey', in: 'query', name: 'token' },
    }
    const { application } = read(secured(keys, { key: [], token: [] }))
    expect(application).toMatchObject({
      authentication: { in: 'query', name: 'key', value: '{apiKey}' },
      query: { token: '{apiKey2}' },
    })
    expect(application.credentialFields.map(({ ShortName, Type }) => [ShortName, Type])).toEqual([
      ['apiKey', 'password'],
      ['apiKey2', 'password'],
    ])
  })

  it('of a token beside keys in header, query and cookies is kept', () => {
    const schemes = {
      q: { type: 'apiKey', in: 'query', name: 'q' },
      c1: { type: 'apiKey', in: 'cookie', name: 'a' },
      c2: { type: 'apiKey', in: 'cookie', name: 'b' },
      bearer: { type: 'http', scheme: 'bearer' },
    }
    expect(read(secured(schemes, { q: [], c1: [], c2: [], bearer: [] })).application).toMatchObject({
      authentication: { type: 'bearer' },
      query: { q: '{apiKey1}' },
      headers: { Cookie: 'a={apiKey2}; b={apiKey3}' },
    })
  })

  it('by a scheme with a name of its own is a header', () => {
    const { application } = read(secured({ t: { type: 'http', scheme: 'Token' } }, { t: [] }))
    expect(application.authentication).toEqual({
      type: 'apiKey',
      in: 'header',
      name: 'Authorization',
      value: 'Token {token}',
    })
  })

  it('of two that need the same header is not guessed: the next alternative is taken', () => {
    const schemes = { basic: { type: 'http', scheme: 'basic' }, bearer: { type: 'http', scheme: 'bearer' } }
    const { application, warnings } = read(secured(schemes, { basic: [], bearer: [] }, { bearer: [] }))
    expect(application.authentication.type).toBe('bearer')
    expect(warnings.join()).toContain('basic + bearer')
  })

  const oauth = (tokenUrl: string) => ({
    o: {
      type: 'oauth2',
      flows: { authorizationCode: { authorizationUrl: 'https://id.example/auth', tokenUrl, scopes: {} } },
    },
  })
  it.each([
    ['another host', 'https://id.example/token', 'https://id.example/token'],
    ['the host of the document', '/token', 'https://docs.example/token'],
  ])('by OAuth, from an address, asks whoever registers where the client secret goes: %s', (_what, tokenUrl, named) => {
    const { application, warnings } = read(secured(oauth(tokenUrl), { o: [] }), 'https://docs.example/openapi.json')
    expect(application.authentication).toMatchObject({ authorizationUrl: '{authorizationUrl}', tokenUrl: '{tokenUrl}' })
    const asked = application.credentialFields.find(({ ShortName }) => ShortName === 'tokenUrl')
    expect(asked).toMatchObject({ Type: 'url', Required: true, Description: expect.stringContaining(named) })
    expect(asked?.Default).toBeUndefined()
    expect(warnings.join()).toContain(named)
  })

  it('by OAuth, from an address, takes the hosts that were named as checked, and no others', () => {
    const text = JSON.stringify(secured(oauth('https://evil.example/token'), { o: [] }))
    const source = { sourceUrl: 'https://docs.example/openapi.json', trustedHosts: ['ID.example'] }
    const outcome = fromOpenApi(text, { namespace: 'organization-1', ...source })
    if (outcome.kind === 'refused') throw new Error(outcome.message)
    expect(outcome.catalog.applications[0]?.authentication).toMatchObject({
      authorizationUrl: 'https://id.example/auth',
      tokenUrl: '{tokenUrl}',
    })
  })
})
