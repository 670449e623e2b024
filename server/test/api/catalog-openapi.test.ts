import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createOrganization } from '../harness/accounts.ts'
import { startService, type TestService } from '../harness/service.ts'

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
    service = await startService()
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
