import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createOrganization } from '../harness/accounts.ts'
import { startHttpTarget } from '../harness/http-target.ts'
import { joinService } from '../harness/joined-service.ts'
import type { TestService } from '../harness/service.ts'

const petStore = (paths: object, extra: object = {}) => ({
  openapi: '3.0.3',
  info: { title: 'Pet Store', version: '1', description: 'Animals.' },
  servers: [{ url: 'https://pets.example.com/v1' }],
  components: { securitySchemes: { key: { type: 'apiKey', in: 'header', name: 'X-Key' } } },
  security: [{ key: [] }],
  paths,
  ...extra,
})
const listPets = { get: { operationId: 'listPets', summary: 'List pets', responses: { 200: { description: 'ok' } } } }

describe('an application from an OpenAPI document', () => {
  let service: TestService
  let server: Server
  let address: string
  let answer: RequestListener
  beforeAll(async () => {
    service = await joinService()
    server = createServer((request, response) => answer(request, response))
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
    address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/openapi.json`
  })
  afterAll(async () => {
    await service[Symbol.asyncDispose]()
    server.closeAllConnections()
    server.close()
  })

  const importApi = (openApi: object, client = service.manager) => client.post('/api/CatalogImport', { openApi })
  const kinds = (body: { imported: { entityType: string }[] }) => body.imported.map((item) => item.entityType).sort()

  it.each([
    ['an object', (document: object) => document],
    ['JSON text', (document: object) => JSON.stringify(document)],
  ])('is made from %s', async (_form, write) => {
    const client = (await createOrganization(service)).manager
    const { status, body, text } = await importApi({ document: write(petStore({ '/pets': listPets })) }, client)
    expect(status, text).toBe(200)
    expect(kinds(body)).toEqual(['application', 'blockTemplate'])
    const found = (await client.post('/api/Applications', { searchTerm: 'Pet Store' })).body.applications
    expect(found).toEqual([expect.objectContaining({ name: 'Pet Store', description: 'Animals.' })])
    const hosted = (await client.get('/api/BlockTemplates?filterByHostedTemplates=true')).body
    expect(hosted).toEqual([expect.objectContaining({ state: 'Published', version: '1' })])
  })

  it('is made from an address', async () => {
    answer = (_request, response) => response.end(JSON.stringify(petStore({ '/pets': listPets })))
    const { status, body, text } = await importApi({ url: address, shortName: 'PETS' })
    expect(status, text).toBe(200)
    expect(kinds(body)).toEqual(['application', 'blockTemplate'])
    const applications = (await service.manager.get('/api/Applications')).body
    expect(applications.map((item: { shortName: string }) => item.shortName)).toContain('PETS')
  })

  it('is updated by a newer document: changed blocks get the next version, the rest stays', async () => {
    const client = (await createOrganization(service)).manager
    const second = { ...listPets, post: { operationId: 'addPet', responses: { 201: { description: 'ok' } } } }
    await importApi({ document: petStore({ '/pets': listPets }) }, client)
    const changed = { get: { ...listPets.get, summary: 'List all pets' }, post: second.post }
    const { body } = await importApi({ document: petStore({ '/pets': changed }) }, client)
    const changes = body.imported.map((item: { entityType: string; version: string; change: string }) => [
      item.entityType,
      item.version,
      item.change,
    ])
    expect(changes).toContainEqual(['application', null, 'unchanged'])
    expect(changes).toContainEqual(['blockTemplate', '2', 'changed'])
    expect(changes).toContainEqual(['blockTemplate', '1', 'created'])
    const again = await importApi({ document: petStore({ '/pets': changed }) }, client)
    expect(new Set(again.body.imported.map((item: { change: string }) => item.change))).toEqual(new Set(['unchanged']))
  })

  it('by OAuth, from an address, asks at registration where the client secret goes, unless its host was checked', async () => {
    const flow = { authorizationUrl: 'https://id.example/auth', tokenUrl: 'https://id.example/token', scopes: {} }
    const components = { securitySchemes: { key: { type: 'oauth2', flows: { authorizationCode: flow } } } }
    answer = (_request, response) => response.end(JSON.stringify(petStore({ '/pets': listPets }, { components })))
    const client = (await createOrganization(service)).manager
    const imported = await importApi({ url: address, shortName: 'ASKS' }, client)
    expect(imported.body.warnings.join(), imported.text).toContain('https://id.example/token')
    const applications = async () => (await client.get('/api/Applications')).body
    const application = (await applications()).find((item: { shortName: string }) => item.shortName === 'ASKS')
    expect(Object.keys(application.credentialsJson)).toEqual([
      'authorizationUrl',
      'tokenUrl',
      'clientId',
      'clientSecret',
    ])
    const credentialsJson = JSON.stringify({ clientId: 'me', clientSecret: 'secret' })
    const refused = await client.post('/api/RegApplication', { applicationId: application.id, credentialsJson })
    expect([refused.status, refused.body.errorMessage]).toEqual([400, expect.stringContaining('authorizationUrl')])
    await importApi({ url: address, shortName: 'CHECKED', trustedHosts: ['id.example'] }, client)
    const checked = (await applications()).find((item: { shortName: string }) => item.shortName === 'CHECKED')
    expect(Object.keys(checked.credentialsJson)).toEqual(['clientId', 'clientSecret'])
    const needless = await importApi(
      { document: petStore({ '/pets': listPets }), trustedHosts: ['id.example'] },
      client,
    )
    expect([needless.status, needless.body.errorMessage]).toEqual([
      400,
      expect.stringContaining('openApi.trustedHosts'),
    ])
  })

  it('with two keys in the query sends both', async () => {
    await using target = await startHttpTarget(({ url }) => ({ json: { url } }))
    const key = (name: string) => ({ type: 'apiKey', in: 'query', name })
    const document = petStore(
      { '/pets': listPets },
      {
        servers: [{ url: target.origin }],
        components: { securitySchemes: { key: key('key'), token: key('token') } },
        security: [{ key: [], token: [] }],
      },
    )
    const client = (await createOrganization(service)).manager
    const { body } = await importApi({ document, shortName: 'KEYS' }, client)
    const { id } = body.imported.find((item: { entityType: string }) => item.entityType === 'application')
    const credentialsJson = JSON.stringify({ apiKey: 'first-key', apiKey2: 'second-key' })
    expect((await client.post('/api/RegApplication', { applicationId: id, credentialsJson })).status).toBe(200)
    expect((await client.get('/api/ApiGet?url=KEYS/pets')).status).toBe(200)
    expect(target.received[0]?.url).toBe('/pets?token=second-key&key=first-key')
  })

  it.each([
    ['an old Swagger document', { document: { swagger: '2.0', paths: {} } }],
    ['a number', { document: 5 }],
    ['a text that is no document', { document: 'hello' }],
    ['a document without paths', { document: { openapi: '3.0.0', info: { title: 'x' } } }],
    ['a short name of a shipped application', { document: petStore({ '/pets': listPets }), shortName: 'TEST' }],
    ['an address that is none', { url: 'not an address' }],
    ['a file address', { url: 'file:///etc/passwd' }],
    ['a private address', { url: 'http://10.0.0.1/openapi.json' }],
    ['the metadata address', { url: 'http://169.254.169.254/latest' }],
    ['a closed port', { url: 'http://127.0.0.1:1/openapi.json' }],
  ])('is refused with 400 for %s', async (_what, openApi) => {
    const refused = await importApi(openApi)
    expect(refused.status, refused.text).toBe(400)
    expect(refused.body.errorMessage).toMatch(/\.$/)
  })

  it.each([
    ['404', (response: Parameters<RequestListener>[1]) => response.writeHead(404).end('{}')],
    ['a page', (response: Parameters<RequestListener>[1]) => response.end('<html></html>')],
    ['too much', (response: Parameters<RequestListener>[1]) => response.end(Buffer.alloc(9 * 1024 * 1024, 0x20))],
    [
      'half an answer',
      (response: Parameters<RequestListener>[1]) =>
        void response.writeHead(200, { 'Content-Length': 100 }).write('{', () => response.destroy()),
    ],
  ])('is refused with 400 when the address answers %s', async (_what, respond) => {
    answer = (_request, response) => void respond(response)
    const refused = await importApi({ url: address })
    expect(refused.status, refused.text).toBe(400)
  })
})
