// The control tower: workflows of every account that somebody may act for, in one list.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAccount } from '../harness/accounts.ts'
import type { Client } from '../harness/client.ts'
import { joinService } from '../harness/joined-service.ts'
import type { TestService } from '../harness/service.ts'
import { enableWebhook } from '../harness/webhooks.ts'
import { createWorkflow, deployWorkflow, runToEnd } from '../harness/workflows.ts'
import { create, helloWorld } from './workflow-samples.ts'

type Account = Awaited<ReturnType<typeof createAccount>>
let service: TestService
let partner: Account
let north: Account
let south: Account
let elsewhere: Account

beforeAll(async () => {
  service = await joinService()
  partner = await createAccount(service, service.manager, 'DevPartner')
  await service.manager.post(`/api/AccountUpdate/${partner.id}`, { canActivateAccounts: true })
  north = await createAccount(service, partner.client, 'User')
  south = await createAccount(service, partner.client, 'User')
  elsewhere = await createAccount(service, service.manager, 'User')
  const failing = await deployWorkflow(north.client, ["throw new Error('The shop is closed')"], { name: 'b failing' })
  await runToEnd(north.client, failing.id)
  const queueing = await deployWorkflow(south.client, ['return 1'], { name: 'C queueing' })
  const webhook = await enableWebhook(south.client, queueing.id)
  await south.client.post(`/api/WebhookQueueHold/${queueing.id}`)
  for (const number of [1, 2]) await webhook.send({ number })
  await create(south.client, { workflowTemplateId: helloWorld.id, name: 'd from template' })
  await createWorkflow(partner.client, ['return 1'], { name: 'a own' })
  await createWorkflow(elsewhere.client, ['return 1'], { name: 'e of somebody else' })
})
afterAll(() => service[Symbol.asyncDispose]())

async function search(body: object, client: Client = partner.client) {
  const answer = await client.post('/api/Workflows', { acrossAccounts: true, ...body })
  expect(answer.status, answer.text).toBe(200)
  expect(answer.body.total).toBe(answer.body.workflows.length)
  return answer.body.workflows as Record<string, unknown>[]
}
const names = async (body: object, client?: Client) => (await search(body, client)).map(({ name }) => name)

describe('POST /api/Workflows with acrossAccounts', () => {
  it('lists workflows of all accounts in reach, each with its account, its trouble and its queue', async () => {
    const found = await search({})
    expect(found.map(({ name }) => name)).toEqual(['b failing', 'C queueing', 'd from template', 'a own'])
    expect(found[0]).toMatchObject({
      accountId: north.id,
      accountEmail: north.email,
      accountName: 'Ada Test',
      failingSinceDateTimeUTC: expect.stringMatching(/Z$/),
      queued: 0,
      failedItems: 0,
    })
    expect(found[1]).toMatchObject({ accountId: south.id, failingSinceDateTimeUTC: null, queued: 2 })
  })

  it('goes no further than the caller may', async () => {
    expect(await names({}, north.client)).toEqual(['b failing'])
    expect(await names({}, service.manager)).toHaveLength(5)
    const managing = await partner.client.as(south.id).post('/api/Workflows', { acrossAccounts: true })
    expect(managing.body.workflows.map(({ name }: { name: string }) => name)).toEqual(['C queueing', 'd from template'])
  })

  it('tells nothing of accounts without it', async () => {
    const answer = await partner.client.post('/api/Workflows', {})
    expect(Object.keys(answer.body.workflows[0])).not.toContain('accountEmail')
    expect(answer.body.total).toBe(1)
  })

  it('looks for the customer too', async () => {
    expect(await names({ searchTerm: north.email.toUpperCase() })).toEqual(['b failing'])
    expect(await names({ searchTerm: 'ada test' })).toHaveLength(4)
  })

  it('filters by the status of the last run, one or several', async () => {
    expect(await names({ lastRunStatus: 'Error' })).toEqual(['b failing'])
    expect(await names({ lastRunStatus: ['Error', 'Ready'] })).toEqual(['b failing'])
    expect(await names({ lastRunStatus: ['Ready'] })).toEqual([])
  })

  it('filters by template and version', async () => {
    expect(await names({ templateVersion: '1' })).toEqual(['d from template'])
    expect(await names({ workflowTemplateId: helloWorld.id, templateVersion: '2' })).toEqual([])
  })

  it('filters by tag in every account', async () => {
    const [first] = await search({ searchTerm: 'b failing' })
    await north.client.post(`/api/AttributeTagAdd/workflow/${first?.['id']}`, { value: 'pilot' })
    expect(await names({ tags: ['pilot'] })).toEqual(['b failing'])
  })
})

describe('the order of POST /api/Workflows', () => {
  it.each([
    ['name', true, ['a own', 'b failing', 'C queueing', 'd from template']],
    ['name', false, ['d from template', 'C queueing', 'b failing', 'a own']],
    ['queued', false, ['C queueing', 'b failing', 'd from template', 'a own']],
    ['failingSinceDateTimeUTC', true, ['b failing', 'C queueing', 'd from template', 'a own']],
    ['createDateTimeUTC', false, ['a own', 'd from template', 'C queueing', 'b failing']],
  ])('follows %s, ascending %s', async (orderField, orderByAsc, expected) => {
    expect(await names({ orderField, orderByAsc })).toEqual(expected)
  })

  it('puts what has no value last, whichever way it goes', async () => {
    expect((await names({ orderField: 'templateVersion', orderByAsc: false }))[0]).toBe('d from template')
    expect((await names({ orderField: 'templateVersion', orderByAsc: true }))[0]).toBe('d from template')
  })

  it('knows every field that the contract names, also within one account', async () => {
    for (const orderField of [
      'accountName',
      'accountEmail',
      'workflowTemplateId',
      'nextRunDateTimeUTC',
      'lastRunStatus',
    ]) {
      expect(await names({ orderField })).toHaveLength(4)
      const own = await south.client.post('/api/Workflows', { orderField })
      expect(own.body.total, own.text).toBe(2)
    }
  })

  it('counts failed items, and orders by their number', async () => {
    const { id } = await deployWorkflow(
      elsewhere.client,
      ["return ['a', 'b']", { script: "throw new Error('no')", flow: { forEach: { maxFailures: 'all' } } }],
      { name: 'f with items' },
    )
    await runToEnd(elsewhere.client, id)
    const [first] = await search({ orderField: 'failedItems', orderByAsc: false }, service.manager)
    expect(first).toMatchObject({ id, failedItems: 2 })
  })

  it('refuses a field it cannot order by', async () => {
    const answer = await partner.client.post('/api/Workflows', { orderField: 'tags' })
    expect(answer.status).toBe(400)
    expect(answer.body.errorMessage).toMatch(/orderField/)
  })
})
