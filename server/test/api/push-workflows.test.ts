import { afterAll, beforeAll, expect, it } from 'vitest'
import { createAccount, createOrganization } from '../harness/accounts.ts'
import type { Client } from '../harness/client.ts'
import { joinService } from '../harness/joined-service.ts'
import type { TestService } from '../harness/service.ts'
import { create, customBody, helloWorld, nobody, read } from './workflow-samples.ts'

let service: TestService
let client: Client
beforeAll(async () => {
  service = await joinService()
  client = (await createAccount(service, service.manager, 'User')).client
})
afterAll(() => service[Symbol.asyncDispose]())

const push = (...workflows: object[]) => client.post('/api/PushWorkflows', { workflows })
const simple = (name: string, script = 'return 1') => ({ name, chain: [{ blockName: 'A', script }] })
const names = async () => {
  const found = await client.post('/api/Workflows', { page: 0, size: 1000 })
  return (found.body.workflows as { name: string }[]).map(({ name }) => name).toSorted()
}

it('creates and changes many at once, and answers in their order', async () => {
  const id = await create(client, customBody({ name: 'There' }))
  const same = await create(client, customBody({ name: 'Same' }))
  const answer = await push(
    { workflow: simple('New') },
    { id: id.toUpperCase(), revision: 1, workflow: { description: 'Changed' } },
    { id: same, revision: 1, workflow: { name: 'Same' } },
    { workflow: { name: 'Hello', workflowTemplateId: helloWorld.id } },
  )
  expect([answer.status, answer.body]).toEqual([
    200,
    [
      { id: expect.any(String), revision: 1, change: 'created' },
      { id, revision: 2, change: 'updated' },
      { id: same, revision: 1, change: 'unchanged' },
      { id: expect.any(String), revision: 1, change: 'created' },
    ],
  ])
  expect(await read(client, answer.body[0].id)).toMatchObject({ name: 'New', revision: 1 })
  expect(await read(client, id)).toMatchObject({ description: 'Changed', revision: 2 })
  expect(await read(client, answer.body[3].id)).toMatchObject({ workflowTemplateId: helloWorld.id })
})

it.each([
  ['a script that does not compile', { workflow: simple('Broken', 'return ][') }, 400, '"Broken": '],
  [
    'a revision that is not the newest',
    { revision: 7, workflow: { name: 'Old' } },
    409,
    '"Old": The workflow was changed',
  ],
  ['an id without its revision', { workflow: { name: 'Blind' } }, 400, 'needs the revision'],
  ['a workflow of nobody', { id: nobody, revision: 1, workflow: { name: 'Gone' } }, 404, 'not found'],
])('saves nothing when one of them is refused: %s', async (_, wrong, status, sentence) => {
  const id = await create(client, customBody({ name: 'Second' }))
  const before = await names()
  const isNew = 'chain' in wrong.workflow
  const answer = await push(
    { workflow: simple('Lost') },
    { id, revision: 1, workflow: { name: 'Lost too' } },
    isNew ? wrong : { id: await create(client, customBody({ name: 'Third' })), ...wrong },
  )
  expect([answer.status, answer.body.errorMessage]).toEqual([status, expect.stringContaining(sentence)])
  expect((await names()).filter((name) => name !== 'Third')).toEqual(before.filter((name) => name !== 'Third'))
  expect(await read(client, id)).toMatchObject({ name: 'Second', revision: 1 })
})

it('refuses an id that is named twice, an empty list and unknown fields', async () => {
  const id = await create(client, customBody({ name: 'Twice' }))
  const one = { id, revision: 1, workflow: { name: 'Once' } }
  expect((await push(one, one)).body.errorMessage).toBe(`The workflow ${id} is named twice.`)
  expect((await push()).status).toBe(400)
  expect((await push({ ...one, isDeleted: true })).status).toBe(400)
  expect((await read(client, id)).revision).toBe(1)
})

it('never reaches a workflow of another organization', async () => {
  const other = await createOrganization(service)
  const foreign = await create(other.manager, customBody({ name: 'Foreign' }))
  const answer = await push({ id: foreign, revision: 1, workflow: { name: 'Mine' } })
  const unknown = await push({ id: nobody, revision: 1, workflow: { name: 'Mine' } })
  expect([answer.status, answer.text]).toEqual([404, unknown.text])
  expect((await read(other.manager, foreign)).name).toBe('Foreign')
})

it('of two at once that change the same, one wins and the other saves nothing', async () => {
  const ids = [await create(client, customBody({ name: 'Race' })), await create(client, customBody({ name: 'Race' }))]
  const attempt = (name: string, order: string[]) =>
    push(...order.map((id) => ({ id, revision: 1, workflow: { name } })), { workflow: simple(`${name} new`) })
  const answers = await Promise.all([attempt('one', ids), attempt('two', ids.toReversed())])
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409])
  const winner = answers[0]?.status === 200 ? 'one' : 'two'
  for (const id of ids) expect(await read(client, id)).toMatchObject({ name: winner, revision: 2 })
  expect((await names()).filter((name) => name.endsWith(' new'))).toEqual([`${winner} new`])
})

it('audits each of them, in the transaction that saves it', async () => {
  const id = await create(service.manager, customBody({ name: 'Audited' }))
  const answer = await service.manager.post('/api/PushWorkflows', {
    workflows: [{ workflow: simple('Made') }, { id, revision: 1, workflow: { description: 'x' } }],
  })
  const { body } = await service.manager.post('/api/GetAuditLog', { page: 0, size: 10 })
  const seen = body.items.map(({ action, target }: { action: string; target: string }) => `${action} ${target}`)
  expect(seen).toEqual(expect.arrayContaining([`workflow.created ${answer.body[0].id}`, `workflow.changed ${id}`]))
})
