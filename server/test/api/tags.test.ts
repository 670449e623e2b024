import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAccount, createOrganization } from '../harness/accounts.ts'
import type { Client } from '../harness/client.ts'
import { joinService } from '../harness/joined-service.ts'
import type { TestService } from '../harness/service.ts'

describe('tags', () => {
  let service: TestService
  let user: { id: string; client: Client }
  let partner: { id: string; client: Client }
  let roleId: string
  beforeAll(async () => {
    service = await joinService()
    user = await createAccount(service, service.manager, 'User')
    partner = await createAccount(service, service.manager, 'DevPartner')
    roleId = (await service.manager.get('/api/Roles')).body[0].id
  })
  afterAll(() => service[Symbol.asyncDispose]())

  const tagsOf = async (id: string) =>
    (await service.asOwner('select value from tags where entity_id = $1 order by value', [id])).map(
      (row) => row['value'],
    )

  it.each(['account', 'ACCOUNT', '0'])('are added and removed by the type %s', async (type) => {
    const added = await service.manager.post(`/api/AttributeTagAdd/${type}/${user.id}`, { value: `t-${type}` })
    expect([added.status, added.text]).toEqual([200, ''])
    expect(await tagsOf(user.id)).toEqual([`t-${type}`])
    const removed = await service.manager.post(`/api/AttributeTagDelete/${type}/${user.id}`, { value: `t-${type}` })
    expect([removed.status, removed.text]).toEqual([200, ''])
    expect(await tagsOf(user.id)).toEqual([])
  })

  it('are case-sensitive, and adding twice or removing an absent one is fine', async () => {
    for (const value of ['Pilot', 'pilot', 'pilot'])
      expect((await service.manager.post(`/api/AttributeTagAdd/account/${user.id}`, { value })).status).toBe(200)
    expect((await tagsOf(user.id)).sort()).toEqual(['Pilot', 'pilot'])
    expect((await service.manager.post(`/api/AttributeTagDelete/account/${user.id}`, { value: 'PILOT' })).status).toBe(
      200,
    )
    expect(await tagsOf(user.id)).toHaveLength(2)
  })

  it('have at most 200 characters', async () => {
    const add = (value: string) => service.manager.post(`/api/AttributeTagAdd/account/${partner.id}`, { value })
    expect((await add('x'.repeat(200))).status).toBe(200)
    const refused = await add('x'.repeat(201))
    expect([refused.status, refused.body.errorMessage]).toEqual([
      400,
      'The field value must have at most 200 characters.',
    ])
    expect(await tagsOf(partner.id)).toEqual(['x'.repeat(200)])
  })

  it.each(['planet', '8', '-1', '00'])('of the unknown entity type %s are 400', async (type) => {
    for (const verb of ['Add', 'Delete']) {
      const answer = await service.manager.post(`/api/AttributeTag${verb}/${type}/${user.id}`, { value: 'x' })
      expect(answer.status).toBe(400)
      expect(answer.body.errorMessage).toContain('entityType')
    }
  })

  it.each([[{}], [{ value: '' }], [{ value: 5 }], [{ value: 'x', more: 1 }], [undefined]])(
    'with the body %j are 400',
    async (body) => {
      for (const verb of ['Add', 'Delete'])
        expect((await service.manager.post(`/api/AttributeTag${verb}/account/${user.id}`, body)).status).toBe(400)
    },
  )

  it('on an entity that is foreign, unknown or malformed: adding is 404, deleting is 400, each with the same bytes', async () => {
    const other = await createOrganization(service)
    const ids = [other.accountId, '00000000-0000-4000-8000-000000000000']
    const added = await Promise.all(
      ids.map((id) => service.manager.post(`/api/AttributeTagAdd/account/${id}`, { value: 'x' })),
    )
    expect(added.map((answer) => answer.status)).toEqual([404, 404])
    expect(added[0]?.text).toBe(added[1]?.text)
    const deleted = await Promise.all(
      ids.map((id) => service.manager.post(`/api/AttributeTagDelete/account/${id}`, { value: 'x' })),
    )
    expect(deleted.map((answer) => answer.status)).toEqual([400, 400])
    expect(deleted[0]?.text).toBe(deleted[1]?.text)
    expect((await service.manager.post('/api/AttributeTagAdd/account/nonsense', { value: 'x' })).status).toBe(404)
    expect((await service.manager.post('/api/AttributeTagDelete/account/nonsense', { value: 'x' })).status).toBe(400)
  })

  it('need the role that the entity asks for', async () => {
    const organizationId = service.firstAccount.organizationId
    const status = async (client: Client, type: string, id: string) =>
      (await client.post(`/api/AttributeTagAdd/${type}/${id}`, { value: 'r' })).status
    expect(await status(user.client, 'account', user.id)).toBe(200)
    expect(await status(user.client, 'account', partner.id)).toBe(403)
    expect(await status(partner.client, 'organization', organizationId)).toBe(403)
    expect(await status(service.manager, 'organization', organizationId)).toBe(200)
    expect(await status(user.client, 'role', roleId)).toBe(403)
    expect(await status(partner.client, 'role', roleId)).toBe(200)
  })

  it('on roles are the organization’s own', async () => {
    const other = await createOrganization(service)
    await other.manager.post(`/api/AttributeTagAdd/role/${roleId}`, { value: 'theirs' })
    const rows = await service.asOwner("select organization_id from tags where value = 'theirs'")
    expect(rows).toEqual([{ organization_id: other.organizationId }])
  })

  it('GET /api/Roles tells the roles by rank with fixed ids', async () => {
    const answer = await user.client.get('/api/Roles')
    expect(answer.body.map((role: { name: string; rank: number }) => [role.name, role.rank])).toEqual([
      ['User', 0],
      ['DevPartner', 1],
      ['SuperPartner', 2],
      ['Manager', 3],
    ])
  })
})
