// Lists of the catalogue: bounded, searchable page by page, with tags.
import { randomUUID } from 'node:crypto'
import { roles } from '@patchbay/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAccount, createOrganization } from '../harness/accounts.ts'
import type { Client } from '../harness/client.ts'
import { joinService } from '../harness/joined-service.ts'
import type { TestService } from '../harness/service.ts'
import { applicationFile, blockFiles, workflowFile } from './catalog-files.ts'

let service: TestService
beforeAll(async () => {
  service = await joinService()
})
afterAll(() => service[Symbol.asyncDispose]())

const tag = (type: string, id: string, value: string, client: Client = service.manager) =>
  client.post(`/api/AttributeTagAdd/${type}/${id}`, { value })

describe.each([
  ['BlockTemplates', 'blockTemplate'],
  ['WorkflowTemplates', 'workflowTemplate'],
])('POST /api/%sSearch', (list, entityType) => {
  const search = (body: object, client: Client = service.manager) => client.post(`/api/${list}Search`, body)

  it('gives the items of the GET form page by page', async () => {
    const all = (await service.manager.get(`/api/${list}`)).body
    expect(all.length).toBeGreaterThan(3)
    const first = await search({ page: 0, size: 2 })
    expect(first.body).toEqual({ items: all.slice(0, 2), total: all.length })
    expect((await search({ page: 1, size: 2 })).body.items).toEqual(all.slice(2, 4))
    expect((await search({ page: 100_000, size: 1000 })).body).toEqual({ items: [], total: all.length })
    expect((await search({})).body.items).toEqual(all.slice(0, 50))
  })

  it('finds by name or description without regard to case, literally', async () => {
    const [one] = (await service.manager.get(`/api/${list}`)).body
    const found = (await search({ searchTerm: one.name.toUpperCase() })).body.items
    expect(found.map(({ id }: { id: string }) => id)).toContain(one.id)
    expect((await search({ searchTerm: one.description.slice(0, 20).toLowerCase() })).body.total).toBeGreaterThan(0)
    expect(
      (await search({ searchTerm: '%' })).body.items.every((item: object) => JSON.stringify(item).includes('%')),
    ).toBe(true)
    expect((await search({ searchTerm: randomUUID() })).body).toEqual({ items: [], total: 0 })
  })

  it('finds by application', async () => {
    const { items, total } = (await search({ applicationShortName: 'test', size: 1000 })).body
    expect(total).toBeGreaterThan(0)
    for (const item of items) expect(item.applications ?? [item.applicationShortName]).toContain('TEST')
    expect((await search({ applicationShortName: 'NOSUCH' })).body.total).toBe(0)
  })

  it('shows tags, here, in the list and in the details', async () => {
    const [one] = (await service.manager.get(`/api/${list}`)).body
    expect(one.tags).toEqual([])
    for (const value of ['b', 'a']) expect((await tag(entityType, one.id, value)).status).toBe(200)
    const found = (await search({ searchTerm: one.name, size: 1000 })).body.items
    expect(found.find(({ id }: { id: string }) => id === one.id).tags).toEqual(['a', 'b'])
    expect((await service.manager.get(`/api/${list}`)).body[0].tags).toEqual(['a', 'b'])
    expect((await service.manager.get(`/api/${list.slice(0, -1)}/${one.id}`)).body.tags).toEqual(['a', 'b'])
    const other = (await createOrganization(service)).manager
    expect((await other.get(`/api/${list}`)).body[0].tags).toEqual([])
  })

  it.each([[{ size: 1001 }], [{ size: 0 }], [{ page: -1 }], [{ page: '0' }], [{ surprise: 1 }]])(
    'refuses %j',
    async (body) => {
      expect((await search(body)).status).toBe(400)
    },
  )

  it('shows only what the organization may see', async () => {
    const [blockId, name] = [randomUUID(), `name${randomUUID().slice(0, 8)}`]
    const files = [
      ...blockFiles({ id: blockId, name, version: null }),
      workflowFile({ id: randomUUID(), name, version: null }, blockId),
    ]
    expect((await service.manager.post('/api/CatalogImport', { files })).status).toBe(200)
    expect((await search({ searchTerm: name })).body).toMatchObject({ items: [{ name, state: 'Draft' }], total: 1 })
    const other = (await createOrganization(service)).manager
    expect((await search({ searchTerm: name }, other)).body.total).toBe(0)
  })
})

describe('tags', () => {
  it('of an application are in its list and in its search', async () => {
    const [id, shortName] = [randomUUID(), `name${randomUUID().slice(0, 8)}`]
    await service.manager.post('/api/CatalogImport', { files: [applicationFile(id, shortName)] })
    await tag('application', id, 'ours')
    const listed = (await service.manager.get('/api/Applications')).body
    expect(listed.find((item: { id: string }) => item.id === id).tags).toEqual(['ours'])
    expect(
      (await service.manager.post('/api/Applications', { searchTerm: shortName })).body.applications[0].tags,
    ).toEqual(['ours'])
  })

  it('of roles and of the organization are in their answers', async () => {
    const { organizationId } = service.firstAccount
    await tag('role', roles[0].id, 'many')
    expect((await service.manager.get('/api/Roles')).body[0]).toEqual({ ...roles[0], tags: ['many'] })
    const user = await createAccount(service, service.manager, 'User')
    expect((await user.client.get('/api/Organization')).body).toEqual({
      id: organizationId,
      name: expect.any(String),
      tags: [],
    })
    await tag('organization', organizationId, 'first')
    expect((await user.client.get('/api/Organization')).body.tags).toEqual(['first'])
    const other = await createOrganization(service, 'Second')
    expect((await other.manager.get('/api/Organization')).body).toEqual({
      id: other.organizationId,
      name: 'Second',
      tags: [],
    })
  })
})

describe('a list', () => {
  it('answers at most 1,000 items', async () => {
    const { organizationId, accountId, manager } = await createOrganization(service)
    await service.asOwner(
      `insert into catalog_items (organization_id, kind, id, revision, version, definition)
       select $1, 'blockTemplate', id, 1, '1', json_build_object('id', id, 'name', 'n', 'description', '', 'version', '1', 'state', 'Published',
         'script', 'return 1', 'variables', '[]'::json) from (select gen_random_uuid() as id from generate_series(1, 1100)) made`,
      [organizationId],
    )
    await service.asOwner('insert into catalog_stamps values ($1, 1)', [organizationId])
    await service.asOwner(
      `insert into workflows (id, organization_id, account_id, name, description, is_customized_structure)
       select gen_random_uuid(), $1, $2, 'w', '', true from generate_series(1, 1100)`,
      [organizationId, accountId],
    )
    for (const path of ['BlockTemplates', 'Workflows']) {
      expect((await manager.get(`/api/${path}`)).body).toHaveLength(1000)
    }
    const { total } = (await manager.post('/api/BlockTemplatesSearch', { size: 1000, page: 1 })).body
    expect(total).toBeGreaterThan(1100)
    expect((await manager.get('/api/BlockTemplates')).text).not.toContain('"script"')
  })
})
