import { describe, expect, it } from 'vitest'
import { fromOpenApi, type OpenApiOptions } from '../../src/catalog/openapi/from-openapi.ts'
import { runScript } from './run-template.ts'
import { startStandIn } from './stand-in.ts'

const options = { namespace: 'organization-1' }

function read(text: string, more: Partial<OpenApiOptions> = {}) {
  const outcome = fromOpenApi(text, { ...options, ...more })
  if (outcome.kind === 'refused') throw new Error(outcome.message)
  expect(outcome.catalog.problems).toEqual([])
  const [application] = outcome.catalog.applications
  if (!application) throw new Error('no application')
  return { ...outcome, application, blocks: outcome.catalog.blockTemplates }
}
const refusal = (text: string) => {
  const outcome = fromOpenApi(text, options)
  return outcome.kind === 'refused' ? outcome.message : 'it was read'
}

const petStore = `openapi: 3.0.3
info: { title: Pet Störe, version: '1', description: Pets for everyone }
servers:
  - url: https://{region}.pets.example/v{version}/
    variables:
      region: { default: eu, enum: [eu, us] }
      version: { default: '2' }
  - url: https://sandbox.pets.example
security:
  - key: []
    app: []
components:
  securitySchemes:
    key: { type: http, scheme: bearer }
    app: { type: apiKey, in: header, name: X-App-Id }
  parameters:
    petId: { name: pet-id, in: path, required: true, schema: { type: string } }
  requestBodies:
    Pet: { required: true, content: { application/json: { schema: { $ref: '#/components/schemas/Pet' } } } }
  schemas:
    Kind: { type: string, enum: [cat, dog] }
    Pet: { type: object, properties: { parent: { $ref: '#/components/schemas/Pet' } } }
paths:
  /pets:
    get:
      operationId: listPets
      summary: List pets
      parameters:
        - { name: limit, in: query, schema: { type: integer } }
        - { name: kind, in: query, schema: { $ref: '#/components/schemas/Kind' } }
        - { name: tags, in: query, explode: false, schema: { type: array, items: { type: string } } }
        - { name: X-Trace, in: header, schema: { type: string } }
        - { name: Limit, in: header, schema: { type: boolean } }
      responses: { '200': { description: ok, content: { application/json: {} } } }
    post:
      requestBody: { $ref: '#/components/requestBodies/Pet' }
      responses: { '201': { description: made } }
  /pets/{pet-id}/photo:
    parameters:
      - { $ref: '#/components/parameters/petId' }
    get:
      operationId: photo
      responses: { '200': { description: ok, content: { image/png: {} } } }
    put:
      requestBody: { content: { multipart/form-data: {} } }
      responses: { '204': { description: ok } }
`

describe('an OpenAPI 3.0 document in YAML', () => {
  it('gives the address, its variables, both keys and one block for each operation', () => {
    const { application, blocks, warnings } = read(petStore)
    expect(application).toMatchObject({
      shortName: 'petstore',
      name: 'Pet Störe',
      baseUrl: 'https://{region}.pets.example/v{version}',
      allowedHosts: ['{region}.pets.example'],
      authentication: { type: 'bearer', token: '{token}' },
      headers: { 'X-App-Id': '{apiKey2}' },
    })
    expect(application.credentialFields.map((field) => [field.ShortName, field.Type, field.Required])).toEqual([
      ['region', 'select', false],
      ['version', 'text', false],
      ['token', 'password', true],
      ['apiKey2', 'password', true],
    ])
    expect(blocks.map((item) => item.name).sort()).toEqual([
      'List pets',
      'POST /pets',
      'PUT /pets/{pet-id}/photo',
      'photo',
    ])
    expect(
      blocks
        .find((item) => item.name === 'List pets')
        ?.variables.map((item) => [item.shortName, item.type, item.required]),
    ).toEqual([
      ['limit', 'number', false],
      ['kind', 'select', false],
      ['tags', 'json', false],
      ['X_Trace', 'text', false],
      ['Limit2', 'boolean', false],
    ])
    expect(warnings.join('\n')).toMatch(/first is used/)
  })

  it('gives scripts that send what the document says', async () => {
    const { blocks } = read(petStore)
    const script = (name: string) => blocks.find((item) => item.name === name)?.script ?? ''
    await using standIn = await startStandIn(({ path }) =>
      path.endsWith('photo') ? { bytes: Buffer.from([1, 2]) } : { json: [] },
    )
    const around = { api: standIn.api }
    await runScript(
      script('List pets'),
      [],
      { limit: 5, kind: 'cat', tags: ['a', 'b&c'], X_Trace: 't', Limit2: null },
      around,
    )
    await runScript(script('POST /pets'), [{ name: 'Tom' }], {}, around)
    const photo = await runScript(script('photo'), [], { pet_id: 'a/b' }, around)
    const [list, post, image] = standIn.received
    expect(list?.query.toString()).toBe('limit=5&kind=cat&tags=a%2Cb%26c')
    expect(list?.headers['x-trace']).toBe('t')
    expect(post?.json()).toEqual({ name: 'Tom' })
    expect(image?.path).toBe('pets/a/b/photo')
    expect(photo.result).toBe('AQI=')
    await expect(runScript(script('photo'), [], {}, around)).rejects.toThrow('"pet_id" is needed')
  })

  it('gives the same ids again, and others to another organization', () => {
    const ids = (namespace: string) => read(petStore, { namespace }).blocks.map((item) => item.id)
    expect(ids('a')).toEqual(ids('a'))
    expect(ids('a').some((id) => ids('b').includes(id))).toBe(false)
  })
})

describe('an OpenAPI 3.1 document in JSON', () => {
  const document = (more: object) =>
    JSON.stringify({
      openapi: '3.1.0',
      info: { title: 'Ledger', version: '1' },
      paths: { '/entries': { get: { responses: {} } } },
      ...more,
    })
  const scheme = (value: object) => document({ components: { securitySchemes: { s: value } } })

  it('turns OAuth flows into OAuth applications', () => {
    const code = { authorizationUrl: 'https://id.example/auth', tokenUrl: '/token', scopes: { read: '', write: '' } }
    const source = { sourceUrl: 'https://id.example/openapi.json' }
    expect(read(scheme({ type: 'oauth2', flows: { authorizationCode: code } }), source).application).toMatchObject({
      baseUrl: 'https://id.example',
      authentication: {
        type: 'oauth2AuthorizationCode',
        tokenUrl: '{tokenUrl}',
        scopes: ['read', 'write'],
      },
    })
    const own = { tokenUrl: 'https://id.example/token', scopes: {} }
    const { application } = read(scheme({ type: 'oauth2', flows: { clientCredentials: own } }))
    expect(application.authentication.type).toBe('oauth2ClientCredentials')
  })

  it('asks for the address when the document has none', () => {
    const { application } = read(document({ servers: [{ url: '/api/v1' }] }))
    expect(application).toMatchObject({
      baseUrl: '{baseUrl}/api/v1',
      allowedHosts: ['{baseUrl}'],
      authentication: { type: 'none' },
    })
    expect(application.credentialFields).toMatchObject([{ ShortName: 'baseUrl', Type: 'url', Required: true }])
  })

  it('turns keys and basic authentication into fields, and says what it does not understand', () => {
    expect(read(scheme({ type: 'apiKey', in: 'query', name: 'k' })).application.authentication).toEqual({
      type: 'apiKey',
      in: 'query',
      name: 'k',
      value: '{apiKey}',
    })
    expect(read(scheme({ type: 'apiKey', in: 'cookie', name: 'sid' })).application.authentication).toMatchObject({
      name: 'Cookie',
      value: 'sid={apiKey}',
    })
    expect(read(scheme({ type: 'http', scheme: 'Basic' })).application.authentication.type).toBe('basic')
    expect(read(scheme({ type: 'http', scheme: 'digest' })).warnings.join()).toContain('"s" is not supported')
  })

  it('keeps text of the document out of the code', async () => {
    const evil = ["x'`$", '{globalThis.hacked = 1}\\u2028*/'].join('')
    const paths = {
      [`/a/${evil}`]: {
        get: { operationId: evil, summary: evil, parameters: [{ name: evil, in: 'query' }], responses: {} },
      },
    }
    const { blocks } = read(document({ paths }))
    await using standIn = await startStandIn(() => ({ json: {} }))
    await runScript(
      `${blocks[0]?.script.replace('return await', 'await')}\nif (globalThis.hacked) throw new Error('hacked')`,
      [],
      {},
      { api: standIn.api },
    )
  })
})

describe('a document that cannot be used', () => {
  const with31 = (rest: string) => `openapi: 3.1.0\ninfo: { title: x, version: '1' }\n${rest}`
  it.each([
    ['{"swagger": "1.2"}', 'Swagger 1.2 is not supported'],
    ['openapi: 4.0.0', 'OpenAPI 4.0.0 is not supported'],
    ['a: 1', '"openapi" is missing'],
    ['- 1', 'not an object'],
    ['{"openapi": ', 'not valid JSON'],
    ['a: [', 'not valid YAML'],
    [with31('info2: {}'), 'no "paths"'],
    [with31('paths: {}'), 'no operation'],
    [with31("paths: { /a: { get: { parameters: [{ $ref: '#/x/y' }] } } }"), '"#/x/y" does not exist'],
    [with31("paths: { /a: { get: { parameters: [{ $ref: 'other.yaml#/x' }] } } }"), 'points outside the document'],
    [with31("paths: { /a: { $ref: '#/paths/~1a' } }"), 'is circular'],
    [' '.repeat(8 * 1024 * 1024 + 1), 'larger than 8 MiB'],
  ])('%#: is refused with a sentence', (text, message) => expect(refusal(text)).toContain(message))

  it('with too many operations is refused', () => {
    const paths = Object.fromEntries(
      Array.from({ length: 1001 }, (_, number) => [`/p${number}`, { get: { responses: {} } }]),
    )
    expect(refusal(JSON.stringify({ openapi: '3.0.0', info: {}, paths }))).toContain('1001 operations')
  })
})
