// A workflow that runs after each run that failed.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createAccount, createOrganization } from '../harness/accounts.ts'
import type { Client } from '../harness/client.ts'
import { eventually } from '../harness/eventually.ts'
import { joinService } from '../harness/joined-service.ts'
import type { TestService } from '../harness/service.ts'
import { blockResult, createWorkflow, deployWorkflow, endOf, runToEnd } from '../harness/workflows.ts'

let service: TestService
beforeAll(async () => {
  service = await joinService()
})
afterAll(() => service[Symbol.asyncDispose]())

const fresh = async () => (await createAccount(service, service.manager, 'DevPartner')).client
const choose = (client: Client, workflowId: string | null, scope = 'account') =>
  client.post('/api/ErrorWorkflow', { scope, workflowId })
const countRuns = async (client: Client, id: string) =>
  (await client.post(`/api/GetRunHistory/${id}`, { page: 0, size: 1 })).body.total

it('is none at first, is read back, and can be taken away', async () => {
  const client = await fresh()
  const { id } = await deployWorkflow(client, ['return 1'])
  const read = async (query = '') => (await client.get(`/api/ErrorWorkflow${query}`)).body
  expect(await read()).toEqual({ scope: 'account', workflowId: null })
  expect(await choose(client, id, 'managed')).toMatchObject({ status: 200, text: '' })
  expect(await read('?scope=managed')).toEqual({ scope: 'managed', workflowId: id })
  expect(await read('?scope=account')).toEqual({ scope: 'account', workflowId: null })
  await choose(client, null, 'managed')
  expect(await read('?scope=managed')).toEqual({ scope: 'managed', workflowId: null })
})

it('runs after each failure with the data of run.failed as run.input, and not after a success', async () => {
  const client = await fresh()
  const handler = await deployWorkflow(client, ['return run.input'])
  await choose(client, handler.id)
  const failing = await deployWorkflow(client, ['if (run.input !== "ok") throw new Error("No stock"); return 1'])
  await runToEnd(client, failing.id, { input: 'ok' })
  const failed = await runToEnd(client, failing.id)
  expect(await eventually(() => endOf(client, handler.id, 1))).toMatchObject({ runBy: 'Workflow', status: 'Ready' })
  const { result } = (await blockResult(client, handler, 1, 1)).body
  expect(result).toMatchObject({
    workflowId: failing.id,
    workflowName: 'Sample',
    runNumber: 2,
    runBy: 'API',
    status: 'Error',
    errorMessage: failed.errorMessage,
  })
  await runToEnd(client, failing.id)
  await eventually(() => endOf(client, handler.id, 2))
  expect(await countRuns(client, handler.id)).toBe(2)
})

it('never runs for its own failures, nor two of them for each other', async () => {
  const client = await fresh()
  const handler = await deployWorkflow(client, ['throw new Error("handler")'])
  await choose(client, handler.id)
  await runToEnd(client, handler.id)
  const failing = await deployWorkflow(client, ['throw new Error("x")'])
  await runToEnd(client, failing.id)
  await eventually(() => endOf(client, handler.id, 2))
  // Whatever follows from the failure of the handler would be there before what follows from a later failure.
  await runToEnd(client, failing.id)
  await eventually(() => endOf(client, handler.id, 3))
  expect(await countRuns(client, handler.id)).toBe(3)
})

it('with scope managed runs in the account that chose it, for those that it may act for', async () => {
  const customer = await createAccount(service, service.manager, 'DevPartner')
  const { manager: stranger } = await createOrganization(service)
  const { manager } = service
  const handler = await deployWorkflow(manager, ['return run.input'])
  await choose(manager, handler.id, 'managed')
  for (const client of [stranger, customer.client]) {
    const failing = await deployWorkflow(client, ['throw new Error("x")'])
    await runToEnd(client, failing.id)
  }
  await eventually(() => endOf(manager, handler.id, 1))
  expect((await blockResult(manager, handler, 1, 1)).body.result.accountId).toBe(customer.id)
  expect(await countRuns(manager, handler.id)).toBe(1)
  await choose(manager, null, 'managed')
})

it('of an unknown or foreign workflow is 404, of one that is not deployed 400', async () => {
  const client = await fresh()
  const foreign = await deployWorkflow(await fresh(), ['return 1'])
  const nothing = await choose(client, '00000000-0000-4000-8000-00000000dead')
  const anothers = await choose(client, foreign.id)
  expect([nothing.status, anothers.status]).toEqual([404, 404])
  expect(anothers.body).toEqual(nothing.body)
  const { id } = await createWorkflow(client, ['return 1'])
  expect(await choose(client, id)).toMatchObject({ status: 400 })
})
