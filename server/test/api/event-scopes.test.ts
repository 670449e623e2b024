// Who is told of what: the account, and whoever may act for it.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAccount, createOrganization } from '../harness/accounts.ts'
import type { Client } from '../harness/client.ts'
import { eventually } from '../harness/eventually.ts'
import { type HttpTarget, startHttpTarget } from '../harness/http-target.ts'
import { startService, type TestService } from '../harness/service.ts'
import { enableWebhook, leftQueue } from '../harness/webhooks.ts'
import { deployWorkflow, runToEnd } from '../harness/workflows.ts'

let service: TestService
let target: HttpTarget
beforeAll(async () => {
  service = await startService()
  target = await startHttpTarget()
})
afterAll(async () => {
  await service[Symbol.asyncDispose]()
  await target[Symbol.asyncDispose]()
})

const flaky = 'if (!(await myVault.contains("works"))) throw new Error("it is broken"); return 1'
const eventsAt = (path: string) =>
  target.received.filter(({ url }) => url === path).map(({ body }) => JSON.parse(body.toString()))
const subscribe = async (client: Client, path: string, more: object = {}) => {
  const made = await client.post('/api/EventSubscriptions', { url: `${target.origin}${path}`, ...more })
  expect(made.status, made.text).toBe(200)
  return made.body.id as string
}
const subjectsFor = async (accountId: string) =>
  (await service.asOwner('select subject from mails where account_id = $1 order by id', [accountId])).map(
    ({ subject }) => subject as string,
  )

describe('the scope managed', () => {
  it('tells those who may act for an account, and nobody else', async () => {
    const partner = await createAccount(service, service.manager, 'DevPartner')
    const stranger = await createAccount(service, service.manager, 'DevPartner')
    const other = await createOrganization(service)
    await service.asOwner("update accounts set permissions = '{canActivateAccounts}' where id = $1", [partner.id])
    const user = await createAccount(service, partner.client, 'User')
    await subscribe(partner.client, '/partner', { scope: 'Managed' })
    await subscribe(partner.client, '/partner-own')
    await subscribe(stranger.client, '/stranger', { scope: 'managed' })
    await subscribe(service.manager, '/manager', { scope: 'managed', events: ['run.recovered'] })
    await subscribe(other.manager, '/other', { scope: 'managed' })
    await subscribe(user.client, '/user')
    await subscribe(user.client, '/user-managed', { scope: 'managed' })
    const { id } = await deployWorkflow(user.client, [flaky], { name: 'Orders' })
    await runToEnd(user.client, id)
    await user.client.post(`/api/MyVaultSet/${id}/works`, { jsonData: true })
    await runToEnd(user.client, id)
    await eventually(() => eventsAt('/partner').length === 2 && eventsAt('/user').length === 2)
    await eventually(() => eventsAt('/manager').length === 1)
    const failed = eventsAt('/partner').find(({ type }) => type === 'run.failed')
    expect(failed).toEqual({
      type: 'run.failed',
      timestamp: expect.stringMatching(/Z$/),
      data: {
        accountId: user.id,
        workflowId: id,
        workflowName: 'Orders',
        runNumber: 1,
        runBy: 'API',
        status: 'Error',
        errorMessage: expect.stringContaining('it is broken'),
      },
    })
    // What happens to the partner itself is told to its own subscription alone.
    const own = await deployWorkflow(partner.client, ['throw new Error("mine")'])
    await runToEnd(partner.client, own.id)
    await eventually(() => eventsAt('/partner-own').length === 1)
    await eventually(async () => (await service.asOwner('select from event_deliveries')).length === 0)
    expect(eventsAt('/partner')).toHaveLength(2)
    for (const path of ['/stranger', '/other', '/user-managed']) expect(eventsAt(path)).toEqual([])

    const listed = async (scope: string) => (await partner.client.get(`/api/EventSubscriptions${scope}`)).body
    expect((await listed('')).map(({ url }: { url: string }) => url)).toEqual([`${target.origin}/partner-own`])
    expect(await listed('?scope=managed')).toMatchObject([{ url: `${target.origin}/partner`, scope: 'managed' }])
    expect((await partner.client.get('/api/EventSubscriptions?scope=all')).status).toBe(400)
    const wrong = { url: target.origin, scope: 'organization' }
    expect((await partner.client.post('/api/EventSubscriptions', wrong)).status).toBe(400)
  })

  it('mails those who asked for it, once at the failure and once at the recovery', async () => {
    const partner = await createAccount(service, service.manager, 'SuperPartner')
    const user = await createAccount(service, service.manager, 'User')
    const settings = async (scope: string) =>
      (await partner.client.get(`/api/NotificationSettings?scope=${scope}`)).body
    expect(await settings('managed')).toEqual({ failureMail: false })
    const asked = await partner.client.post('/api/NotificationSettings', { scope: 'managed', failureMail: true })
    expect(asked.status).toBe(200)
    expect(await settings('managed')).toEqual({ failureMail: true })
    expect(await settings('account')).toEqual({ failureMail: true })
    const { id } = await deployWorkflow(user.client, [flaky], { name: 'Invoices' })
    await runToEnd(user.client, id)
    await runToEnd(user.client, id)
    await user.client.post(`/api/MyVaultSet/${id}/works`, { jsonData: true })
    await runToEnd(user.client, id)
    await runToEnd(user.client, id)
    const own = ['Workflow "Invoices" failed', 'Workflow "Invoices" works again']
    await eventually(
      async () => (await subjectsFor(user.id)).filter((subject) => subject.includes('Invoices')).length === 2,
    )
    expect((await subjectsFor(user.id)).filter((subject) => subject.includes('Invoices'))).toEqual(own)
    expect((await subjectsFor(partner.id)).filter((subject) => subject.includes('Invoices'))).toEqual(
      own.map((subject) => `${subject} (${user.email})`),
    )
    await partner.client.post('/api/NotificationSettings', { scope: 'managed', failureMail: false })
  })
})

it('connections tell when they break and when they work again, with one mail each; what they hold tells nothing', async () => {
  const user = await createAccount(service, service.manager, 'User')
  await subscribe(user.client, '/connections')
  await using shop = await startHttpTarget(() => ({ json: [] }))
  const all = (await user.client.get('/api/Applications')).body as { id: string; shortName: string }[]
  const made = await user.client.post('/api/RegApplication', {
    applicationId: all.find(({ shortName }) => shortName === 'HTTP')?.id,
    tagText: 'main shop',
    credentialsJson: JSON.stringify({ baseUrl: shop.origin, authType: 'bearer', token: 'a-token' }),
  })
  const call = () => user.client.get('/api/ApiGet?url=http/x')
  const { id } = await deployWorkflow(user.client, ['return 1'], { applications: { HTTP: made.body } })
  shop.answer = () => ({ status: 401, body: 'token revoked' })
  await call()
  await call()
  expect((await user.client.get(`/api/Workflow/${id}`)).body.isAutoRunPaused).toBe(true)
  shop.answer = () => ({ json: [] })
  await call()
  await call()
  expect((await user.client.get(`/api/Workflow/${id}`)).body.isAutoRunPaused).toBe(false)
  await eventually(() => eventsAt('/connections').length === 2)
  const data = { accountId: user.id, regApplicationId: made.body }
  expect(eventsAt('/connections').toSorted((one, other) => (one.type < other.type ? -1 : 1))).toMatchObject([
    { type: 'connection.faulted', data: { ...data, errorMessage: expect.stringContaining('token revoked') } },
    { type: 'connection.recovered', data },
  ])
  const subjects = await eventually(async () => {
    const found = (await subjectsFor(user.id)).filter((subject) => subject.includes('main shop'))
    return found.length === 2 ? found : undefined
  })
  expect(subjects[0]).toMatch(/needs your attention$/)
  expect(subjects[1]).toMatch(/works again$/)
})

it('requests that are given up are told one by one, mailed together, and counted', async () => {
  const user = await createAccount(service, service.manager, 'User')
  await subscribe(user.client, '/requests', { events: ['webhook.givenUp', 'run.failed'] })
  const { id } = await deployWorkflow(user.client, ['throw new Error("no stock")'], { name: 'Stock' })
  const webhook = await enableWebhook(user.client, id, { skipProcessingAfterErrors: 1, isBatch: true })
  await user.client.post(`/api/WebhookQueueHold/${id}`)
  const sent: string[] = []
  for (let n = 0; n < 3; n++) sent.push((await webhook.send({ n })).body.webhookId)
  await user.client.post(`/api/WebhookQueueRelease/${id}`)
  for (const webhookId of sent) await leftQueue(user.client, id, webhookId)
  const ofType = (type: string) => eventsAt('/requests').filter((event) => event.type === type)
  await eventually(() => ofType('webhook.givenUp').length === 3 && ofType('run.failed').length === 1)
  expect(
    ofType('webhook.givenUp')
      .map(({ data }) => data.webhookId)
      .toSorted(),
  ).toEqual(sent.toSorted())
  expect(
    ofType('run.failed')
      .flatMap(({ data }) => data.webhookIds)
      .toSorted(),
  ).toEqual(sent.toSorted())
  expect(ofType('webhook.givenUp')[0].data).toMatchObject({
    accountId: user.id,
    workflowId: id,
    workflowName: 'Stock',
    errorMessage: expect.stringContaining('no stock'),
  })
  const mails = async () => (await subjectsFor(user.id)).filter((subject) => subject.includes('gave up'))
  // As if ten seconds had passed since the first of them.
  await service.asOwner(
    'update events set mail_after = now() where id = (select min(id::text)::uuid from events where account_id = $1)',
    [user.id],
  )
  await eventually(async () => (await mails()).length > 0)
  expect(await mails()).toEqual(['Patchbay gave up on 3 webhook requests'])
  expect(await service.asOwner('select from events where account_id = $1', [user.id])).toEqual([])
  const counted = await service.asOwner(
    'select count(*)::int as n from webhook_history where account_id = $1 and is_given_up',
    [user.id],
  )
  expect(counted).toEqual([{ n: 3 }])
})

it('a target that keeps silent holds up nobody else', async () => {
  const noisy = await createAccount(service, service.manager, 'User')
  const neighbour = await createAccount(service, service.manager, 'User')
  const other = await createOrganization(service)
  const silent: (() => void)[] = []
  let underWay = 0
  await using hole = await startHttpTarget(() => {
    underWay++
    return new Promise((done) => silent.push(() => done({ status: 200 })))
  })
  const made = await noisy.client.post('/api/EventSubscriptions', { url: hole.origin })
  await service.asOwner(
    `insert into event_deliveries (id, account_id, organization_id, subscription_id, event, payload)
     select gen_random_uuid(), $1, $2, $3, 'run.failed', '{}' from generate_series(1, 200)`,
    [noisy.id, service.firstAccount.organizationId, made.body.id],
  )
  await eventually(() => underWay > 0)
  for (const [client, path] of [
    [neighbour.client, '/neighbour'],
    [other.manager, '/elsewhere'],
  ] as const) {
    await subscribe(client, path)
    const { id } = await deployWorkflow(client, ['throw new Error("x")'])
    await runToEnd(client, id)
    await eventually(() => eventsAt(path).length === 1)
  }
  // Nothing that was under way to the silent target has ended meanwhile, and no more than the account's share was.
  expect(underWay).toBe(8)
  await noisy.client.post(`/api/EventSubscription/${made.body.id}`, { isActive: false })
  for (const answer of silent) answer()
})
