import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAccount } from '../harness/accounts.ts'
import type { Client } from '../harness/client.ts'
import { joinService } from '../harness/joined-service.ts'
import type { TestService } from '../harness/service.ts'
import {
  change,
  create,
  customBody,
  helloWorld,
  listEmployeesTemplate,
  listOrdersTemplate,
  nobody,
  postMessageTemplate,
  testApplicationId,
} from './workflow-samples.ts'

const regApp = 'bbbbbbbb-0000-4000-8000-000000000001'
const otherRegApp = 'bbbbbbbb-0000-4000-8000-000000000002'

let service: TestService
let client: Client
const ids: Record<string, string> = {}

beforeAll(async () => {
  service = await joinService()
  client = (await createAccount(service, service.manager, 'User')).client
  ids['hello'] = await create(client, {
    workflowTemplateId: helloWorld.id,
    name: 'Hello',
    applications: { TEST: regApp },
  })
  ids['custom'] = await create(client, customBody({ name: 'Orders 100%', description: 'Nightly_export ÅRSTALL' }))
  ids['slack'] = await create(client, {
    name: 'Messages',
    applications: { SLACK: otherRegApp },
    chain: [{ blockTemplateId: postMessageTemplate }],
  })
  ids['archived'] = await create(client, customBody({ name: 'Old orders', applications: { TEST: regApp } }))
  await client.get(`/api/DeployWorkflow/${ids['custom']}`)
  await client.get(`/api/ArchiveWorkflow/${ids['archived']}`)
  for (const [name, tag] of [
    ['hello', 'pilot'],
    ['hello', 'north'],
    ['custom', 'pilot'],
  ] as const) {
    const answer = await client.post(`/api/AttributeTagAdd/2/${ids[name]}`, { value: tag })
    expect(answer.status, answer.text).toBe(200)
  }
  await service.asOwner(
    `update workflows set is_scheduled = id = $1, schedule_frequency = case when id = $1 then 'daily' end, is_auto_run_paused = id = $2, is_webhook_active = id = $3`,
    [ids['hello'], ids['custom'], ids['slack']],
  )
})
afterAll(() => service[Symbol.asyncDispose]())

type Item = { id: string }
const namesOf = (items: Item[]) =>
  items.map((item) => Object.entries(ids).find(([, id]) => id === item.id)?.[0] ?? item.id)

async function search(body: object): Promise<string[]> {
  const answer = await client.post('/api/Workflows', body)
  expect(answer.status, answer.text).toBe(200)
  const names = namesOf(answer.body.workflows)
  expect(answer.body.total).toBe(names.length)
  return names
}

describe('GET /api/Workflows', () => {
  it('lists what is in development or deployed, in the order of creation', async () => {
    const answer = await client.get('/api/Workflows')
    expect(namesOf(answer.body)).toEqual(['hello', 'custom', 'slack'])
    expect(answer.body[0]).toEqual({
      id: ids['hello'],
      name: 'Hello',
      description: expect.any(String),
      workflowState: 'inDevelopment',
      revision: 1,
      workflowTemplateId: helloWorld.id,
      templateVersion: '1',
      isCustomizedStructure: false,
      applications: { TEST: regApp },
      isScheduled: true,
      scheduleFrequency: 'daily',
      timeZone: null,
      nextRunDateTimeUTC: null,
      isAutoRunPaused: false,
      isWebhookActive: false,
      dateLastRunUTC: null,
      lastRunNumber: null,
      lastRunStatus: null,
      tags: ['north', 'pilot'],
      createDateTimeUTC: expect.stringMatching(/Z$/),
      modifyDateTimeUTC: expect.stringMatching(/Z$/),
    })
  })

  it('shows each account its own only', async () => {
    const other = await createAccount(service, service.manager, 'User')
    expect((await other.client.get('/api/Workflows')).body).toEqual([])
    expect((await service.manager.get('/api/Workflows')).body).toEqual([])
    const everything = { page: 0, size: 100, regAppIds: [regApp], tags: ['pilot'] }
    expect((await other.client.post('/api/Workflows', everything)).body).toEqual({ workflows: [], total: 0 })
  })

  it('shows the latest run and the times that others keep', async () => {
    const id = await create(client, customBody({ name: 'Ran' }))
    await service.asOwner(
      "update workflows set last_run_number = 7, last_run_status = 'Ready', date_last_run = '2026-01-02T03:04:05.678Z', next_run_at = '2026-01-03' where id = $1",
      [id],
    )
    const found = (await client.post('/api/Workflows', { searchTerm: 'Ran' })).body.workflows[0]
    expect(found).toMatchObject({
      lastRunNumber: 7,
      lastRunStatus: 'Ready',
      dateLastRunUTC: '2026-01-02T03:04:05.678Z',
    })
    expect(found.nextRunDateTimeUTC).toMatch(/^2026-01-0[23]T/)
    await client.get(`/api/DeleteWorkflow/${id}`)
  })
})

describe('POST /api/Workflows', () => {
  const all = ['hello', 'custom', 'slack', 'archived']
  it.each<[string, object, string[]]>([
    ['without a filter everything, archived ones too', {}, all],
    ['by a term in the name, in any case', { searchTerm: 'ORDERS' }, ['custom', 'archived']],
    ['by a term in the description, in any case', { searchTerm: 'årstall' }, ['custom']],
    ['% is an ordinary character', { searchTerm: '0%' }, ['custom']],
    ['_ is an ordinary character', { searchTerm: 'l_' }, []],
    ['an empty term does not filter', { searchTerm: '' }, all],
    ['by application', { appIds: [testApplicationId.toUpperCase()] }, ['hello', 'archived']],
    ['by an application that is not there', { appIds: [nobody] }, []],
    ['by any of several applications', { appIds: [nobody, testApplicationId] }, ['hello', 'archived']],
    ['by registered application', { regAppIds: [regApp.toUpperCase()] }, ['hello', 'archived']],
    ['by any of several registered applications', { regAppIds: [regApp, otherRegApp] }, ['hello', 'slack', 'archived']],
    ['by block template', { blockTemplateIds: [postMessageTemplate.toUpperCase(), listOrdersTemplate] }, ['slack']],
    ['by workflow template', { workflowTemplateId: helloWorld.id.toUpperCase() }, ['hello']],
    ['by state, in any case', { workflowState: ['Archived', 'DEPLOYED'] }, ['custom', 'archived']],
    ['by tag', { tags: ['pilot'] }, ['hello', 'custom']],
    ['by every one of several tags', { tags: ['pilot', 'north', 'north'] }, ['hello']],
    ['tags are case-sensitive', { tags: ['Pilot'] }, []],
    ['scheduled', { isScheduled: true }, ['hello']],
    ['not scheduled', { isScheduled: false }, ['custom', 'slack', 'archived']],
    ['paused', { isAutoRunPaused: true }, ['custom']],
    ['with an active webhook', { isWebhookActive: true }, ['slack']],
    [
      'empty lists do not filter',
      { appIds: [], regAppIds: [], blockTemplateIds: [], workflowState: [], tags: [] },
      all,
    ],
    [
      'all filters together',
      { tags: ['pilot'], appIds: [testApplicationId], isScheduled: true, searchTerm: 'hel' },
      ['hello'],
    ],
    ['filters that contradict', { tags: ['pilot'], isWebhookActive: true }, []],
  ])('%s', async (_name, body, expected) => {
    expect(await search(body)).toEqual(expected)
  })

  it('pages through everything once, with the same total on each page', async () => {
    const seen: string[] = []
    for (let page = 0; page < 3; page++) {
      const { body } = await client.post('/api/Workflows', { page, size: 3 })
      expect(body.total).toBe(4)
      seen.push(...namesOf(body.workflows))
    }
    expect(seen).toEqual(all)
  })

  it('follows what a workflow uses when that changes', async () => {
    const id = await create(client, { name: 'Changing', chain: [{ blockTemplateId: listEmployeesTemplate }] })
    const found = async (body: object) =>
      ((await client.post('/api/Workflows', body)).body.workflows as Item[]).map((item) => item.id)
    expect(await found({ blockTemplateIds: [listEmployeesTemplate] })).toContain(id)
    const [block] = (await client.get(`/api/Workflow/${id}`)).body.chain
    await change(client, id, {
      applications: { TEST: otherRegApp },
      chain: [{ uniqueBlockId: block.uniqueBlockId, isDeleted: true }, { blockTemplateId: listOrdersTemplate }],
    })
    expect(await found({ blockTemplateIds: [listEmployeesTemplate] })).not.toContain(id)
    expect(await found({ blockTemplateIds: [listOrdersTemplate] })).toEqual([id])
    expect(await found({ regAppIds: [otherRegApp] })).toContain(id)
    await client.get(`/api/DeleteWorkflow/${id}`)
  })

  it.each<[string, unknown, string]>([
    ['a page that is text', { page: '0' }, 'page'],
    ['a negative page', { page: -1 }, 'page'],
    ['a size of nothing', { size: 0 }, 'size'],
    ['a size without end', { size: 1001 }, 'size'],
    ['an unknown state', { workflowState: ['gone'] }, 'workflowState'],
    ['an id that is none', { regAppIds: ['x'] }, 'regAppIds'],
    ['a flag that is text', { isScheduled: 'true' }, 'isScheduled'],
    ['an unknown field', { nope: 1 }, 'nope'],
    ['NUL', { searchTerm: '\u0000' }, 'NUL'],
  ])('refuses %s', async (_name, body, words) => {
    const answer = await client.post('/api/Workflows', body)
    expect(answer.status, answer.text).toBe(400)
    expect(answer.body.errorMessage).toContain(words)
  })

  it('a page behind the end is empty', async () => {
    const answer = await client.post('/api/Workflows', { page: 2_147_483_647, size: 1000 })
    expect(answer.body).toEqual({ workflows: [], total: 4 })
  })
})

describe('tags of workflows', () => {
  it('are added by the owner; to a foreign or unknown workflow it is 404, removing from one 400', async () => {
    const other = (await createAccount(service, service.manager, 'User')).client
    for (const [who, id] of [
      [other, ids['hello']],
      [client, nobody],
    ] as const) {
      expect((await who.post(`/api/AttributeTagAdd/workflow/${id}`, { value: 'x' })).status).toBe(404)
      expect((await who.post(`/api/AttributeTagDelete/workflow/${id}`, { value: 'x' })).status).toBe(400)
    }
  })
})
