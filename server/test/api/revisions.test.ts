import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAccount } from '../harness/accounts.ts'
import type { Client } from '../harness/client.ts'
import { joinService } from '../harness/joined-service.ts'
import type { TestService } from '../harness/service.ts'
import { runToEnd } from '../harness/workflows.ts'
import {
  blockA,
  blockB,
  blockC,
  create,
  customBody,
  employeesToDirectory,
  helloWorld,
  nobody,
  read,
} from './workflow-samples.ts'

let service: TestService
let account: Awaited<ReturnType<typeof createAccount>>
let client: Client
beforeAll(async () => {
  service = await joinService()
  account = await createAccount(service, service.manager, 'User')
  client = account.client
})
afterAll(() => service[Symbol.asyncDispose]())

async function save(id: string, body: object, headers: Record<string, string> = {}) {
  return client.with(headers).post(`/api/Workflow/${id}`, body)
}
const list = (id: string, body: object = {}) => client.post(`/api/WorkflowRevisions/${id}`, body)
const difference = (id: string, from: unknown, to: unknown) =>
  client.get(`/api/WorkflowDifference/${id}?from=${from}&to=${to}`)
const restore = (id: string, revision: unknown) => client.post(`/api/RestoreRevision/${id}`, { revision })

/** What a workflow is, apart from its revision and its times. */
async function content(id: string) {
  const { revision: _revision, modifyDateTimeUTC: _time, ...rest } = await read(client, id)
  return rest
}

describe('revision and ETag', () => {
  it('are in the answer and count saved changes', async () => {
    const id = await create(client)
    const first = await client.get(`/api/Workflow/${id}`)
    expect([first.body.revision, first.headers.get('etag')]).toEqual([1, '"1"'])
    const saved = await save(id, { name: 'Second' })
    expect([saved.status, saved.headers.get('etag')]).toEqual([200, '"2"'])
    expect((await read(client, id)).revision).toBe(2)
  })

  it('do not change with a save that changes nothing, nor by deploying', async () => {
    const id = await create(client)
    await save(id, await read(client, id))
    await client.get(`/api/DeployWorkflow/${id}`)
    expect((await read(client, id)).revision).toBe(1)
  })

  it('show a workflow as it was', async () => {
    const id = await create(client)
    await save(id, { name: 'Changed', chain: [{ uniqueBlockId: blockA, script: 'return 2' }] })
    const old = await client.get(`/api/Workflow/${id}?revision=1`)
    expect([old.body.revision, old.body.name, old.body.chain[0].script]).toEqual([1, 'Three blocks', 'return 1'])
    expect(old.headers.get('etag')).toBe('"1"')
  })

  it.each([
    ['an unknown revision', '?revision=7', 404],
    ['a revision that is no number', '?revision=x', 400],
    ['revision 0', '?revision=0', 400],
    ['a revision together with a run', '?revision=1&runNumber=1', 400],
  ])('%s is refused', async (_name, query, status) => {
    const answer = await client.get(`/api/Workflow/${await create(client)}${query}`)
    expect(answer.status, answer.text).toBe(status)
  })

  it('stand in the history of runs', async () => {
    const id = await create(client)
    await client.get(`/api/DeployWorkflow/${id}`)
    expect((await runToEnd(client, id)).revision).toBe(1)
    await save(id, { chain: [{ uniqueBlockId: blockA, script: 'return 2' }] })
    expect((await runToEnd(client, id)).revision).toBe(2)
  })
})

describe('If-Match', () => {
  it('lets the first of two editors save and tells the second who was faster', async () => {
    const id = await create(client)
    expect((await save(id, { name: 'First' }, { 'If-Match': '"1"' })).status).toBe(200)
    const second = await save(id, { name: 'Second' }, { 'If-Match': '"1"' })
    expect(second.status).toBe(409)
    expect(second.body).toMatchObject({ code: 409, response: null })
    expect(second.body.errorMessage).toContain(account.email)
    expect(second.body.errorMessage).toMatch(/at \d{4}-\d\d-\d\dT[\d:.]+Z/)
    expect((await read(client, id)).name).toBe('First')
  })

  it('of two saves at the same moment lets exactly one through', async () => {
    const id = await create(client)
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, n) => save(id, { name: `Editor ${n}` }, { 'If-Match': '"1"' })),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409, 409, 409, 409, 409])
    expect((await read(client, id)).revision).toBe(2)
  })

  it.each(['*', '"1"', '"9", "1"'])('passes with %s', async (tag) => {
    expect((await save(await create(client), { name: 'New' }, { 'If-Match': tag })).status).toBe(200)
  })

  it.each(['1', 'W/"1"', '""', '"x"', '"1', '"0"', '"1" "2"', ','])('is refused when it reads %s', async (tag) => {
    const id = await create(client)
    const answer = await save(id, { name: 'New' }, { 'If-Match': tag })
    expect(answer.status, answer.text).toBe(400)
    expect(answer.body.errorMessage).toContain('If-Match')
    expect((await read(client, id)).name).toBe('Three blocks')
  })
})

describe('WorkflowRevisions', () => {
  it('lists them newest first, with who saved them and why', async () => {
    const id = await create(client)
    await service.manager.as(account.id).post(`/api/Workflow/${id}`, { name: 'By the manager' })
    await restore(id, 1)
    const { body } = await list(id)
    expect(body.total).toBe(3)
    expect(body.items).toEqual([
      expect.objectContaining({
        revision: 3,
        reason: 'Restored',
        email: account.email,
        accountId: account.id,
        isCurrent: true,
      }),
      expect.objectContaining({ revision: 2, reason: 'Updated', isCurrent: false }),
      expect.objectContaining({ revision: 1, reason: 'Created', email: account.email, templateVersion: null }),
    ])
    expect(body.items[1].email).not.toBe(account.email)
    expect(body.items[0].createDateTimeUTC).toMatch(/Z$/)
  })

  it('pages', async () => {
    const id = await create(client)
    for (const name of ['b', 'c', 'd']) await save(id, { name })
    const { body } = await list(id, { page: 1, size: 3 })
    expect([body.items.map((item: { revision: number }) => item.revision), body.total]).toEqual([[1], 4])
  })

  it('names the version of the template', async () => {
    const id = await create(client, { workflowTemplateId: helloWorld.id })
    const { templateVersion } = await read(client, id)
    expect(templateVersion).not.toBeNull()
    expect((await list(id)).body.items[0].templateVersion).toBe(templateVersion)
  })

  it('of an unknown workflow is 404', async () => {
    expect((await list(nobody)).status).toBe(404)
  })
})

describe('WorkflowDifference', () => {
  it('names what changed and nothing else', async () => {
    const id = await create(client)
    await save(id, {
      name: 'Renamed',
      variables: { who: 'everyone' },
      chain: [
        { uniqueBlockId: blockA, script: 'return 2' },
        { uniqueBlockId: blockC, isDeleted: true },
        { uniqueBlockId: blockB, variables: { own: { variableSource: 'Value', value: 5 } } },
      ],
    })
    const { body } = await difference(id, 1, 2)
    expect(body).toMatchObject({
      from: 1,
      to: 2,
      fields: [{ name: 'name', from: 'Three blocks', to: 'Renamed' }],
      variables: [{ name: 'who', change: 'changed', from: 'world', to: 'everyone' }],
      applications: [],
    })
    expect(
      body.blocks.map((block: { uniqueBlockId: string; change: string }) => [block.uniqueBlockId, block.change]),
    ).toEqual([
      [blockA, 'changed'],
      [blockB, 'changed'],
      [blockC, 'removed'],
    ])
    expect(body.blocks[0].fields).toEqual([{ name: 'script', from: 'return 1', to: 'return 2' }])
    expect(body.blocks[1].fields.map((field: { name: string }) => field.name)).toEqual(['variables.own'])
  })

  it('shows that a secret changed, never the secret', async () => {
    const id = await create(client, {
      workflowTemplateId: employeesToDirectory.id,
      variables: { initialPassword: 'correct horse battery' },
    })
    await save(id, { variables: { initialPassword: 'staple' } })
    const answer = await difference(id, 1, 2)
    expect(answer.body.variables).toEqual([
      { name: 'initialPassword', change: 'changed', from: '********', to: '********', fields: [] },
    ])
    expect(answer.text).not.toMatch(/horse|staple/)
    await save(id, { description: 'new' })
    expect((await difference(id, 2, 3)).body.variables).toEqual([])
  })

  it.each([
    ['an unknown revision', 1, 9, 404],
    ['no number', 'x', 1, 400],
    ['a missing one', '', 1, 400],
  ])('with %s is refused', async (_name, from, to, status) => {
    expect((await difference(await create(client), from, to)).status).toBe(status)
  })

  it('of an unknown workflow is 404', async () => {
    expect((await difference(nobody, 1, 1)).status).toBe(404)
  })
})

describe('RestoreRevision', () => {
  it('makes a new revision with the old content', async () => {
    const id = await create(client)
    const before = await content(id)
    await save(id, { name: 'Other', chain: [{ uniqueBlockId: blockC, isDeleted: true }] })
    const restored = await restore(id, 1)
    expect([restored.status, restored.body]).toEqual([200, 3])
    expect(await content(id)).toEqual(before)
  })

  it('brings the bond to the template back', async () => {
    const id = await create(client, { workflowTemplateId: helloWorld.id })
    await save(id, { unboundFromTemplate: true })
    expect((await read(client, id)).isCustomizedStructure).toBe(true)
    await restore(id, 1)
    expect((await read(client, id)).isCustomizedStructure).toBe(false)
  })

  it('brings secrets back, sealed for the new revision', async () => {
    const id = await create(client, {
      workflowTemplateId: employeesToDirectory.id,
      variables: { initialPassword: 'correct horse battery' },
    })
    await save(id, { variables: { initialPassword: 'staple' } })
    await restore(id, 1)
    expect((await difference(id, 1, 3)).body.variables).toEqual([])
  })

  it('of the newest revision makes none', async () => {
    const id = await create(client)
    expect((await restore(id, 1)).body).toBe(1)
    expect((await list(id)).body.total).toBe(1)
  })

  it('keeps a deployed workflow deployable', async () => {
    const id = await create(client, { workflowTemplateId: helloWorld.id })
    const application = (await client.get('/api/Applications')).body.find(
      ({ shortName }: { shortName: string }) => shortName === 'TEST',
    )
    const connection = await client.post('/api/RegApplication', {
      applicationId: application.id,
      tagText: 'test',
      credentialsJson: '{}',
    })
    expect((await save(id, { applications: { TEST: connection.body } })).status).toBe(200)
    expect((await client.get(`/api/DeployWorkflow/${id}`)).status).toBe(200)
    const refused = await restore(id, 1)
    expect(refused.status, refused.text).toBe(400)
    expect(refused.body.errorMessage).toContain('TEST')
    expect((await read(client, id)).revision).toBe(2)
  })

  it('is one row in the audit log', async () => {
    const id = await create(client)
    await save(id, { name: 'Other' })
    await restore(id, 1)
    const rows = await service.asOwner(
      "select details from audit_log where target = $1 and action = 'workflow.restored'",
      [id],
    )
    expect(rows).toEqual([{ details: expect.objectContaining({ revision: 3 }) }])
  })

  it.each([
    ['an unknown revision', 9, 404],
    ['revision 0', 0, 400],
    ['text', '1', 400],
    ['nothing', undefined, 400],
  ])('of %s is refused', async (_name, revision, status) => {
    expect((await restore(await create(client, customBody()), revision)).status).toBe(status)
  })
})
