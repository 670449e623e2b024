// Templates whose blocks are runs of other templates.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createAccount } from '../harness/accounts.ts'
import type { Client } from '../harness/client.ts'
import { joinService } from '../harness/joined-service.ts'
import type { TestService } from '../harness/service.ts'
import { createTemplate, newBlock } from '../harness/templates.ts'
import { blockResult, runToEnd } from '../harness/workflows.ts'

let service: TestService
let client: Client
beforeAll(async () => {
  service = await joinService()
  client = (await createAccount(service, service.manager, 'DevPartner')).client
})
afterAll(() => service[Symbol.asyncDispose]())

const calling = (subWorkflow: object) => newBlock('return 20', { subWorkflow } as object)
const read = async (id: string) => (await client.get(`/api/Workflow/${id}`)).body

it('makes both workflows, bound to each other', async () => {
  const child = createTemplate(client)
  await child.publish('1', { chain: [newBlock('return run.input + 1')] })
  const parent = createTemplate(client)
  const input = 'prepared * 2'
  const block = calling({ workflowTemplateId: child.id, input })
  await parent.publish('1', { chain: [block] })
  const made = await client.post('/api/Workflow', { workflowTemplateId: parent.id })
  expect(made.status, made.text).toBe(200)
  const { subWorkflow } = (await read(made.body)).chain[0]
  expect(subWorkflow).toEqual({ workflowId: expect.any(String), input })
  expect(await read(subWorkflow.workflowId)).toMatchObject({ workflowTemplateId: child.id, templateVersion: '1' })
  for (const id of [subWorkflow.workflowId, made.body])
    expect((await client.get(`/api/DeployWorkflow/${id}`)).status).toBe(200)
  expect((await runToEnd(client, made.body)).status).toBe('Ready')
  const workflow = { id: made.body, blocks: [block.uniqueBlockId] }
  expect((await blockResult(client, workflow, 1)).body.result).toBe(41)

  await parent.publish('2', {
    chain: [{ ...block, subWorkflow: { workflowTemplateId: child.id, input: '1' } } as never],
  })
  const [preview] =
    (await client.post('/api/TemplateUpgradePreview', { workflowTemplateId: parent.id })).body.items ?? []
  expect(preview).toMatchObject({ outcome: 'clean' })
})

it('that name each other in a circle are refused', async () => {
  const one = createTemplate(client)
  const two = createTemplate(client)
  await one.publish('1', { chain: [calling({ workflowTemplateId: two.id })] })
  await two.publish('1', { chain: [calling({ workflowTemplateId: one.id })] })
  const refused = await client.post('/api/Workflow', { workflowTemplateId: one.id })
  expect(refused).toMatchObject({ status: 400 })
  expect(refused.body.errorMessage).toContain('Templates name each other more than 5 levels deep.')
})

it('cannot name a workflow', async () => {
  const chain = [calling({ workflowId: '0198c0de-0000-7000-8000-000000000001' })]
  await expect(createTemplate(client).publish('1', { chain })).rejects.toThrow('needs a workflowTemplateId')
})
