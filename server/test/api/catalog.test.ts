import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAccount } from '../harness/accounts.ts'
import { joinService } from '../harness/joined-service.ts'
import type { TestService } from '../harness/service.ts'

let service: TestService
beforeAll(async () => {
  service = await joinService()
})
afterAll(() => service[Symbol.asyncDispose]())

describe('GET /api/Applications', () => {
  it('lists every shipped application with logo, credential fields and a form to fill in', async () => {
    const { status, body } = await service.manager.get('/api/Applications')
    expect(status).toBe(200)
    const http = body.find((application: { shortName: string }) => application.shortName === 'HTTP')
    expect(Object.keys(http).sort()).toEqual([
      'credentialFields',
      'credentialsJson',
      'description',
      'id',
      'logoImage',
      'name',
      'shortName',
      'tag',
      'tags',
    ])
    expect(http.credentialFields).toContainEqual(
      expect.objectContaining({ ShortName: 'baseUrl', DisplayName: expect.any(String), Type: 'url', Required: true }),
    )
    // Each kind of authentication has fields of its own, so a form can leave out those of the others.
    const onlyFor = http.credentialFields.map(({ ShortName, OnlyFor }: Record<string, { Values?: string[] }>) => [
      ShortName,
      OnlyFor?.Values,
    ])
    expect(Object.fromEntries(onlyFor)).toMatchObject({
      baseUrl: undefined,
      authType: undefined,
      username: ['basic'],
      token: ['bearer'],
      headerName: ['header'],
    })
    expect(http.credentialsJson).toEqual(
      Object.fromEntries(http.credentialFields.map((field: { ShortName: string }) => [field.ShortName, null])),
    )
    expect(Buffer.from(http.logoImage, 'base64').toString()).toContain('<svg')
    for (const shortName of ['TEST', 'HTTP', 'OAUTH2', 'SHPT', 'SMTP', 'SHOPIFY', 'FORTNOX', 'SLACK']) {
      expect(body.map((application: { shortName: string }) => application.shortName.toUpperCase())).toContain(shortName)
    }
  })

  it('is open to every role and to nobody without keys', async () => {
    const user = await createAccount(service, service.manager, 'User')
    expect((await user.client.get('/api/Applications')).status).toBe(200)
    expect((await service.client(undefined).get('/api/Applications')).status).toBe(401)
  })
})

describe('POST /api/Applications', () => {
  const search = (body: unknown) => service.manager.post('/api/Applications', body)

  it('pages through all, in one order, without logos unless asked', async () => {
    const all = (await search({ page: 0, size: 1000 })).body
    expect(all.total).toBe(all.applications.length)
    expect(Object.keys(all.applications[0]).sort()).toEqual([
      'description',
      'id',
      'logo',
      'name',
      'shortName',
      'tag',
      'tags',
    ])
    expect(all.applications.every((application: { logo: unknown }) => application.logo === null)).toBe(true)
    const pages = await Promise.all([0, 1, 2].map((page) => search({ page, size: 7 })))
    expect(pages.flatMap((page) => page.body.applications)).toEqual(all.applications.slice(0, 21))
    expect(pages[0]?.body.total).toBe(all.total)
    const beyond = (await search({ page: 1000, size: 1000 })).body
    expect(beyond).toEqual({ applications: [], total: all.total })
  })

  it('uses page 0 and size 50 when nothing is said', async () => {
    expect((await search({})).body.applications.length).toBeGreaterThan(20)
    expect((await service.manager.post('/api/Applications')).status).toBe(200)
  })

  it('finds by name and by description, without regard to case', async () => {
    const byName = (await search({ searchTerm: 'sHoPiFy' })).body
    expect(byName.applications.map((application: { name: string }) => application.name)).toContain('Shopify')
    const [{ description }] = byName.applications
    const byDescription = (await search({ searchTerm: description.slice(3, 20).toUpperCase() })).body
    expect(byDescription.total).toBeGreaterThan(0)
  })

  it('takes % and _ as ordinary characters', async () => {
    expect((await search({ searchTerm: '%' })).body.total).toBe(0)
    expect((await search({ searchTerm: 's_ack' })).body.total).toBe(0)
    expect((await search({ searchTerm: 'slack' })).body.total).toBeGreaterThan(0)
  })

  it('gives the logo when asked for', async () => {
    const { applications } = (await search({ searchTerm: 'slack', includeLogo: true })).body
    expect(Buffer.from(applications[0].logo, 'base64').toString()).toContain('<svg')
  })

  it.each([
    [{ page: -1 }, 'page'],
    [{ page: '0' }, 'page'],
    [{ page: 0.5 }, 'page'],
    [{ size: 0 }, 'size'],
    [{ size: 1001 }, 'size'],
    [{ searchTerm: 5 }, 'searchTerm'],
    [{ includeLogo: 'yes' }, 'includeLogo'],
    [{ unknown: 1 }, 'unknown'],
  ])('refuses %j naming the field', async (body, field) => {
    const answer = await search(body)
    expect(answer.status).toBe(400)
    expect(answer.body).toEqual({ code: 400, errorMessage: expect.stringContaining(field), response: null })
  })
})

describe('workflow templates', () => {
  it('are listed as summaries', async () => {
    const { status, body } = await service.manager.get('/api/WorkflowTemplates')
    expect(status).toBe(200)
    const hello = body.find((template: { name: string }) => template.name === 'Hello world')
    expect(hello).toEqual({
      id: expect.any(String),
      name: 'Hello world',
      description: expect.any(String),
      version: '1',
      state: 'Published',
      applications: ['TEST'],
      tags: [],
      variables: [{ shortName: 'greeting', displayName: 'Greeting', type: 'text', required: false }],
    })
  })

  it('have details with chain, variables and configuration', async () => {
    const list = (await service.manager.get('/api/WorkflowTemplates')).body
    const { id } = list.find((template: { name: string }) => template.name === 'Hello world')
    const { status, body } = await service.manager.get(`/api/WorkflowTemplate/${id.toUpperCase()}`)
    expect(status).toBe(200)
    expect(body.configuration).toEqual({ isHosted: false })
    expect(body.variables[0]).toMatchObject({ shortName: 'greeting', default: 'Hello' })
    expect(body.chain.map((block: { no: number }) => block.no)).toEqual([1, 2])
    const [employees, greet] = body.chain
    expect(employees).toMatchObject({ applicationShortName: 'TEST', dataSources: [], variables: {} })
    // The script of a block that names a template is the template's.
    const template = (await service.manager.get(`/api/BlockTemplate/${employees.blockTemplateId}`)).body
    expect(employees.script).toBe(template.script)
    expect(greet).toMatchObject({
      blockTemplateId: null,
      applicationShortName: null,
      script: expect.stringContaining('getVariables()'),
      dataSources: [employees.uniqueBlockId],
      variables: { greeting: { variableSource: 'Workflow', variableName: 'greeting' } },
    })
    expect((await service.manager.get(`/api/WorkflowTemplate/${id}?version=1`)).body).toEqual(body)
  })

  it('that are shipped have no draft, no other version and are not hosted', async () => {
    const list = (await service.manager.get('/api/WorkflowTemplates')).body
    const unknown = await service.manager.get('/api/WorkflowTemplate/00000000-0000-4000-8000-000000000000')
    expect(unknown.status).toBe(404)
    for (const query of ['isDraft=true', 'version=2', 'version=', 'isDraft=true&version=1']) {
      const answer = await service.manager.get(`/api/WorkflowTemplate/${list[0].id}?${query}`)
      expect([answer.status, answer.text], query).toEqual([404, unknown.text])
    }
    expect((await service.manager.get('/api/WorkflowTemplates?filterByHostedTemplates=true')).body).toEqual([])
    expect((await service.manager.get('/api/WorkflowTemplates?filterByHostedTemplates=false')).body).toEqual(list)
    expect((await service.manager.get(`/api/WorkflowTemplateVersions/${list[0].id}`)).status).toBe(404)
  })
})

describe('block templates', () => {
  it('are listed as summaries and read with script, variables and configuration', async () => {
    const list = await service.manager.get('/api/BlockTemplates')
    expect(list.status).toBe(200)
    const filter = list.body.find((template: { name: string }) => template.name === 'Filter')
    expect(Object.keys(filter).sort()).toEqual([
      'applicationShortName',
      'description',
      'id',
      'name',
      'state',
      'tags',
      'version',
    ])
    const { body } = await service.manager.get(`/api/BlockTemplate/${filter.id}`)
    expect(body).toMatchObject({ ...filter, configuration: { isHosted: false } })
    expect(body.script.length).toBeGreaterThan(100)
    expect(body.variables.find((variable: { shortName: string }) => variable.shortName === 'match')).toMatchObject({
      type: 'select',
      default: 'all',
      options: [{ value: 'all', displayName: 'all conditions hold' }, expect.anything()],
    })
    expect((await service.manager.get('/api/BlockTemplates?filterByHostedTemplates=true')).body).toEqual([])
    expect((await service.manager.get(`/api/BlockTemplate/${filter.id}?isDraft=true`)).status).toBe(404)
  })
})

describe('malformed requests', () => {
  it.each(['WorkflowTemplate', 'BlockTemplate', 'WorkflowTemplateVersions', 'BlockTemplateVersions'])(
    '%s with something that is not a GUID is 404',
    async (name) => {
      expect((await service.manager.get(`/api/${name}/abc`)).status).toBe(404)
    },
  )

  it.each([
    '/api/WorkflowTemplates?filterByHostedTemplates=maybe',
    '/api/BlockTemplates?filterByHostedTemplates=1',
    '/api/BlockTemplate/00000000-0000-4000-8000-000000000000?isDraft=x',
  ])('%s is 400', async (path) => {
    expect((await service.manager.get(path)).status).toBe(400)
  })
})

describe('tags on catalogue items', () => {
  it.each([
    ['application', '/api/Applications'],
    ['blockTemplate', '/api/BlockTemplates'],
    ['workflowTemplate', '/api/WorkflowTemplates'],
  ])('%s: may be set by a DevPartner, not by a User, and not on what does not exist', async (type, list) => {
    const [item] = (await service.manager.get(list)).body
    const partner = await createAccount(service, service.manager, 'DevPartner')
    const user = await createAccount(service, service.manager, 'User')
    const path = (id: string) => `/api/AttributeTagAdd/${type}/${id}`
    expect((await partner.client.post(path(item.id), { value: 'pilot' })).status).toBe(200)
    expect((await user.client.post(path(item.id), { value: 'pilot' })).status).toBe(403)
    expect((await partner.client.post(path('00000000-0000-4000-8000-000000000000'), { value: 'x' })).status).toBe(404)
    expect(
      await service.asOwner('select value from tags where entity_type = $1 and entity_id = $2', [type, item.id]),
    ).toEqual([{ value: 'pilot' }])
  })
})

describe('record types', () => {
  it.each([
    'ApplicationListApiDto',
    'WorkflowTemplateListApiDto',
    'WorkflowTemplateWithDetailsApiDto',
    'BlockTemplateApiDto',
  ])('%s is described field by field', async (name) => {
    const { status, body } = await service.manager.get(`/api/Describe?name=${name}`)
    expect(status).toBe(200)
    for (const field of body) expect(field.description, field.name).not.toBe('')
    expect((await service.manager.get(`/api/GetSchema?name=${name}`)).body.type).toBe('object')
  })
})
