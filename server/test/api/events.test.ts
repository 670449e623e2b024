import { createHmac } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAccount } from '../harness/accounts.ts'
import { eventually } from '../harness/eventually.ts'
import { startHttpTarget } from '../harness/http-target.ts'
import { startService, type TestService } from '../harness/service.ts'
import { startSmtpPeer } from '../harness/smtp-peer.ts'
import { deployWorkflow, runToEnd } from '../harness/workflows.ts'

let service: TestService
let smtp: Awaited<ReturnType<typeof startSmtpPeer>>
beforeAll(async () => {
  smtp = await startSmtpPeer()
  service = await startService({ env: { PATCHBAY_SMTP_URL: smtp.url } })
})
afterAll(async () => {
  await service[Symbol.asyncDispose]()
  await smtp[Symbol.asyncDispose]()
})

const flaky = 'if (!myVault.contains("works")) throw new Error("it is broken"); return 1'
const mend = (id: string) => service.manager.post(`/api/MyVaultSet/${id}/works`, { jsonData: true })
const spoil = (id: string) => service.manager.get(`/api/MyVaultRemove/${id}/works`)

describe('events', () => {
  it('tell of failure and recovery, signed as Standard Webhooks says', async () => {
    await using listener = await startHttpTarget()
    const made = await service.manager.post('/api/EventSubscriptions', { url: listener.origin })
    expect(made.status, made.text).toBe(200)
    expect(made.body.secret).toMatch(/^whsec_/)
    const { id } = await deployWorkflow(service.manager, [flaky], { name: 'Orders' })
    await runToEnd(service.manager, id)
    await eventually(() => listener.received.length === 1)
    await mend(id)
    await runToEnd(service.manager, id)
    await eventually(() => listener.received.length === 2)
    // A success after a success is no news.
    await runToEnd(service.manager, id)

    const [failed, recovered] = listener.received.map(({ body }) => JSON.parse(body.toString()))
    expect(failed).toEqual({
      type: 'run.failed',
      timestamp: expect.stringMatching(/Z$/),
      data: {
        accountId: service.firstAccount.accountId,
        workflowId: id,
        workflowName: 'Orders',
        runNumber: 1,
        runBy: 'API',
        status: 'Error',
        errorMessage: expect.stringContaining('it is broken'),
      },
    })
    expect(recovered).toMatchObject({ type: 'run.recovered', data: { runNumber: 2, status: 'Ready' } })
    const key = Buffer.from(made.body.secret.slice('whsec_'.length), 'base64')
    for (const { headers, body } of listener.received) {
      const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`
      expect(headers['webhook-signature']).toBe(`v1,${createHmac('sha256', key).update(signed).digest('base64')}`)
      expect(Math.abs(Number(headers['webhook-timestamp']) - Date.now() / 1000)).toBeLessThan(60)
    }
    const [shown] = (await service.manager.get('/api/EventSubscriptions')).body
    expect(shown).toMatchObject({ id: made.body.id, url: listener.origin, events: [], isActive: true, lastError: null })
    expect(shown.lastDeliveryDateTimeUTC).toMatch(/Z$/)
    expect(JSON.stringify(shown)).not.toContain(made.body.secret)
    expect((await service.manager.get(`/api/DeleteEventSubscription/${made.body.id}`)).body).toBe(true)
    expect((await service.manager.get(`/api/DeleteEventSubscription/${made.body.id}`)).status).toBe(404)
  })

  it('are tried again until they are taken, and reach only those who asked for them', async () => {
    await using listener = await startHttpTarget()
    await using other = await startHttpTarget()
    listener.answer = () => ({ status: 500 })
    const made = await service.manager.post('/api/EventSubscriptions', { url: listener.origin, events: ['RUN.FAILED'] })
    await service.manager.post('/api/EventSubscriptions', { url: other.origin, events: ['run.recovered'] })
    const { id } = await deployWorkflow(service.manager, [flaky])
    await runToEnd(service.manager, id)
    await eventually(() => listener.received.length === 1)
    await eventually(async () => {
      const all = (await service.manager.get('/api/EventSubscriptions')).body
      return all.find((one: { id: string }) => one.id === made.body.id).lastError?.includes('500')
    })
    listener.answer = () => ({ status: 200 })
    await eventually(() => listener.received.length === 2)
    expect(listener.received[1]?.headers['webhook-id']).toBe(listener.received[0]?.headers['webhook-id'])
    expect(other.received).toHaveLength(0)
    await eventually(async () => (await service.asOwner('select from event_deliveries')).length === 0)
    listener.answer = () => ({ status: 410 })
    await spoil(id)
    await runToEnd(service.manager, id)
    await eventually(async () => {
      const all = (await service.manager.get('/api/EventSubscriptions')).body
      return all.find((one: { id: string }) => one.id === made.body.id).isActive === false
    })
  })

  it('can be changed by their account alone', async () => {
    const made = await service.manager.post('/api/EventSubscriptions', { url: 'https://example.com/a' })
    const path = `/api/EventSubscription/${made.body.id}`
    expect((await service.manager.post(path, { isActive: false, events: ['run.failed'] })).status).toBe(200)
    const all = (await service.manager.get('/api/EventSubscriptions')).body
    expect(all.find((one: { id: string }) => one.id === made.body.id)).toMatchObject({
      isActive: false,
      events: ['run.failed'],
      url: 'https://example.com/a',
    })
    const user = await createAccount(service, service.manager, 'User')
    expect((await user.client.post(path, { isActive: true })).status).toBe(404)
    expect((await user.client.get(`/api/DeleteEventSubscription/${made.body.id}`)).status).toBe(404)
    expect((await user.client.get('/api/EventSubscriptions')).body).toEqual([])
  })

  it.each([
    ['no address', {}],
    ['another protocol', { url: 'ftp://example.com' }],
    ['no address at all', { url: 'example' }],
    ['a password in the address', { url: 'https://a:b@example.com' }],
    ['an unknown event', { url: 'https://example.com', events: ['run.started'] }],
    ['an unknown field', { url: 'https://example.com', secret: 'mine' }],
  ])('refuse %s with 400', async (_name, body) => {
    expect((await service.manager.post('/api/EventSubscriptions', body)).status).toBe(400)
  })
})

describe('failure mails', () => {
  it('come at the first failure after success, unless they are switched off', async () => {
    const user = await createAccount(service, service.manager, 'User')
    const mails = () => smtp.received.filter(({ to, source }) => to.includes(user.email) && source.includes('failed'))
    const forged = { name: 'Invoices\r\nBcc: x@example.com', chain: [{ blockName: 'One', script: flaky }] }
    expect((await user.client.post('/api/Workflow', forged)).status).toBe(400)
    const { id } = await deployWorkflow(user.client, [flaky], { name: 'Invoices' })
    await runToEnd(user.client, id)
    await runToEnd(user.client, id)
    await eventually(() => mails().length === 1)
    expect(mails()[0]?.source).toContain('it is broken')
    const switchTo = (failureMail: boolean) => user.client.post('/api/NotificationSettings', { failureMail })
    expect((await user.client.get('/api/NotificationSettings')).body).toEqual({ failureMail: true })
    await switchTo(false)
    expect((await user.client.get('/api/NotificationSettings')).body).toEqual({ failureMail: false })
    await user.client.post(`/api/MyVaultSet/${id}/works`, { jsonData: true })
    await runToEnd(user.client, id)
    await user.client.get(`/api/MyVaultRemove/${id}/works`)
    await runToEnd(user.client, id)
    await switchTo(true)
    await user.client.post(`/api/MyVaultSet/${id}/works`, { jsonData: true })
    await runToEnd(user.client, id)
    await user.client.get(`/api/MyVaultRemove/${id}/works`)
    await runToEnd(user.client, id)
    await eventually(() => mails().length === 2)
    expect(
      await service.asOwner("select from mails where account_id = $1 and subject like '%failed'", [user.id]),
    ).toHaveLength(2)
  })
})
