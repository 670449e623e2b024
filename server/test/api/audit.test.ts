import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAccount, createOrganization, uniqueEmail } from '../harness/accounts.ts'
import { joinService } from '../harness/joined-service.ts'
import type { TestService } from '../harness/service.ts'

describe('the audit log', () => {
  let service: TestService
  beforeAll(async () => {
    service = await joinService()
  })
  afterAll(() => service[Symbol.asyncDispose]())

  const newest = async (size = 1) => (await service.manager.post('/api/GetAuditLog', { page: 0, size })).body

  it('has exactly one row for every change, and none for a refused one', async () => {
    const user = await createAccount(service, service.manager, 'User')
    const key = (await service.manager.post('/api/ApiKey', {})).body
    const changes: [string, () => Promise<{ status: number }>][] = [
      [
        'account.created',
        () =>
          service.manager.post('/api/Account', {
            email: uniqueEmail(),
            firstName: 'A',
            lastName: 'B',
            roleName: 'User',
          }),
      ],
      ['account.stateChanged', () => service.manager.post(`/api/AccountState/${user.id}`, { accountState: 'locked' })],
      ['apiKey.created', () => service.manager.post('/api/ApiKey', {})],
      ['apiKey.changed', () => service.manager.post(`/api/ApiKey/${key.id}`, { label: 'new' })],
      ['apiKey.revoked', () => service.manager.get(`/api/DeleteApiKey/${key.id}`)],
      ['tag.added', () => service.manager.post(`/api/AttributeTagAdd/account/${user.id}`, { value: 'v' })],
      ['tag.removed', () => service.manager.post(`/api/AttributeTagDelete/account/${user.id}`, { value: 'v' })],
    ]
    for (const [action, change] of changes) {
      const before = (await newest()).total
      expect((await change()).status, action).toBe(200)
      const after = await newest()
      expect([action, after.total - before, after.items[0].action]).toEqual([action, 1, action])
    }
    const before = (await newest()).total
    await service.manager.post('/api/Account', { email: user.email, firstName: 'A', lastName: 'B', roleName: 'User' })
    await service.manager.get(`/api/DeleteApiKey/${key.id}`)
    expect((await newest()).total).toBe(before)
  })

  it('tells who, as whom, by which key and from where', async () => {
    const user = await createAccount(service, service.manager, 'User')
    const made = await service.manager.as(user.id).post('/api/ApiKey', { label: 'for them' })
    const keys = (await service.manager.get('/api/ApiKeys')).body
    expect((await newest()).items[0]).toEqual({
      id: expect.any(Number),
      dateTimeUTC: expect.stringMatching(/Z$/),
      accountId: service.firstAccount.accountId,
      managedAccountId: user.id,
      keyId: keys.find((key: { consumer: string }) => key.consumer === service.firstAccount.consumer).id,
      address: '127.0.0.1',
      action: 'apiKey.created',
      target: made.body.id,
      details: { consumer: made.body.consumer },
      // Null, or there already: it follows within seconds.
      hash: expect.toSatisfy((hash) => hash === null || /^[0-9a-f]{64}$/.test(hash)),
    })
  })

  it('pages newest first and filters by time: from inclusive, to exclusive', async () => {
    const all = await newest(1000)
    const times = all.items.map((item: { dateTimeUTC: string }) => item.dateTimeUTC)
    const middle = times[Math.floor(times.length / 2)]
    const older = await service.manager.post('/api/GetAuditLog', { searchTo: middle, size: 1000 })
    const newer = await service.manager.post('/api/GetAuditLog', { searchFrom: middle, size: 1000 })
    expect(older.body.total + newer.body.total).toBe(all.total)
    const second = await service.manager.post('/api/GetAuditLog', { page: 1, size: 2 })
    const ids = (items: { id: number }[]) => items.map(({ id }) => id)
    expect(ids(second.body.items)).toEqual(ids(all.items.slice(2, 4)))
  })

  it('is for Managers, of their own organization only', async () => {
    const superPartner = await createAccount(service, service.manager, 'SuperPartner')
    expect((await superPartner.client.post('/api/GetAuditLog', {})).status).toBe(403)
    const other = await createOrganization(service)
    const seen = await other.manager.post('/api/GetAuditLog', {})
    expect(seen.body.items.map((item: { action: string }) => item.action)).toEqual(['organization.created'])
  })

  it('cannot be changed by the roles that the service connects as', async () => {
    const rights = await service.asOwner(`
      select role, has_table_privilege(role, 'patchbay.audit_log', 'update') or has_table_privilege(role, 'patchbay.audit_log', 'delete') as may_change
      from unnest(array['patchbay_app', 'patchbay_system']) role`)
    expect(rights.map((row) => row['may_change'])).toEqual([false, false])
  })

  it.each([[{ searchFrom: 'yesterday' }], [{ size: 0 }], [{ who: 'x' }], [{ searchTo: '2026-02-30T00:00:00Z' }]])(
    'refuses %j',
    async (body) => {
      expect((await service.manager.post('/api/GetAuditLog', body)).status).toBe(400)
    },
  )
})
