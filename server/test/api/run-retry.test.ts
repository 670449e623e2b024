import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventually } from '../harness/eventually.ts'
import { joinService } from '../harness/joined-service.ts'
import type { TestService } from '../harness/service.ts'
import { operateQueues } from '../harness/webhook-queue.ts'
import { enableWebhook, hasStatus, historyOf, leftQueue, queueOf } from '../harness/webhooks.ts'
import {
  blockResult,
  deployWorkflow,
  endOf,
  findRun,
  runToEnd,
  type SampleWorkflow,
  startRun,
} from '../harness/workflows.ts'

let service: TestService
beforeAll(async () => {
  service = await joinService()
})
afterAll(() => service[Symbol.asyncDispose]())
const { hold, release, makeDue } = operateQueues(() => service)

const open = (workflow: SampleWorkflow) =>
  service.manager.post(`/api/MyVaultSet/${workflow.id}/open`, { jsonData: true })
const retry = (workflow: SampleWorkflow, runNumber: number) =>
  service.manager.get(`/api/RetryRun/${workflow.id}?runNumber=${runNumber}`)
const dateLastRun = async (workflow: SampleWorkflow) =>
  (await service.manager.get(`/api/Workflow/${workflow.id}`)).body.dateLastRunUTC

const throwUntilOpen = 'if (!myVault.contains("open")) throw new Error("closed")'

/** A workflow whose webhook run number 1 has failed. */
async function failWebhookRun(settings: Record<string, unknown> = {}, script = `${throwUntilOpen}; return webhook`) {
  const workflow = await deployWorkflow(service.manager, [script])
  const webhook = await enableWebhook(service.manager, workflow.id, settings)
  const { webhookId } = (await webhook.send({ n: 1 })).body
  await hasStatus(service.manager, workflow.id, webhookId, 'Failed')
  return { workflow, webhook, webhookId }
}

describe('a retried webhook run', () => {
  it('has the same request, leaves dateLastRun as the setting says, and takes the request out of the queue', async () => {
    const { workflow, webhookId } = await failWebhookRun()
    await open(workflow)
    const answer = await retry(workflow, 1)
    expect(answer.status, answer.text).toBe(200)
    expect(await endOf(service.manager, workflow.id, 2)).toMatchObject({
      status: 'Ready',
      runBy: 'Retry',
      webhookIds: [webhookId],
    })
    expect((await blockResult(service.manager, workflow, 1, 2)).body.result).toMatchObject({
      id: webhookId,
      body: { n: 1 },
    })
    expect(await leftQueue(service.manager, workflow.id, webhookId)).toMatchObject({ status: 'Done', runNumber: 2 })
    expect((await queueOf(service.manager, workflow.id)).length).toBe(0)
    expect(await dateLastRun(workflow)).toBeNull()
  })

  it('moves dateLastRun to the start of the failed run where the setting says so', async () => {
    const { workflow } = await failWebhookRun({ updateDateLastRun: true })
    await open(workflow)
    await retry(workflow, 1)
    await endOf(service.manager, workflow.id, 2)
    expect(await dateLastRun(workflow)).toBe((await findRun(service.manager, workflow.id, 1)).startDateTimeUTC)
  })

  it('of a batch stays a batch', async () => {
    const workflow = await deployWorkflow(service.manager, [
      `${throwUntilOpen}; return webhook.map(({ body }) => body.n)`,
    ])
    const webhook = await enableWebhook(service.manager, workflow.id, { isBatch: true })
    await hold(workflow.id)
    const sent = [await webhook.send({ n: 1 }), await webhook.send({ n: 2 })].map(({ body }) => body.webhookId)
    await release(workflow.id)
    await hasStatus(service.manager, workflow.id, sent[1], 'Failed')
    await open(workflow)
    await retry(workflow, 1)
    expect(await endOf(service.manager, workflow.id, 2)).toMatchObject({ status: 'Ready', webhookIds: sent })
    expect((await blockResult(service.manager, workflow, 1, 2)).body.result).toEqual([1, 2])
    await leftQueue(service.manager, workflow.id, sent[1])
    expect((await queueOf(service.manager, workflow.id)).length).toBe(0)
  })

  it('keeps its request from being tried by itself while it runs', async () => {
    const script = `${throwUntilOpen}; while (!(await myVault.get('go'))) await sleep(20); return webhook.body`
    const { workflow, webhookId } = await failWebhookRun({}, script)
    await open(workflow)
    await retry(workflow, 1)
    expect((await hasStatus(service.manager, workflow.id, webhookId, 'Processing')).webhookId).toBe(webhookId)
    // Due as it is, nobody else takes it: the request that came later is.
    await makeDue(workflow.id)
    await service.manager.post(`/api/MyVaultSet/${workflow.id}/go`, { jsonData: true })
    expect(await endOf(service.manager, workflow.id, 2)).toMatchObject({ status: 'Ready' })
    expect(await leftQueue(service.manager, workflow.id, webhookId)).toMatchObject({ status: 'Done', runNumber: 2 })
    expect(await findRun(service.manager, workflow.id, 3)).toBeUndefined()
  })

  it('puts its request back when it fails as well', async () => {
    const { workflow, webhookId } = await failWebhookRun()
    await retry(workflow, 1)
    expect(await endOf(service.manager, workflow.id, 2)).toMatchObject({ status: 'Error' })
    expect(await hasStatus(service.manager, workflow.id, webhookId, 'Failed')).toMatchObject({ errorCounter: 2 })
  })

  it('is refused when the request succeeded meanwhile', async () => {
    const { workflow, webhookId } = await failWebhookRun()
    await open(workflow)
    await makeDue(workflow.id)
    await leftQueue(service.manager, workflow.id, webhookId)
    const answer = await retry(workflow, 1)
    expect(answer.status).toBe(400)
    expect(answer.body.errorMessage).toContain(`${webhookId} has been processed since, by run 2`)
  })

  it('makes a request done that had been given up', async () => {
    const workflow = await deployWorkflow(service.manager, [`${throwUntilOpen}; return webhook.body`])
    const webhook = await enableWebhook(service.manager, workflow.id, { skipProcessingAfterErrors: 1 })
    const { webhookId } = (await webhook.send({ n: 1 })).body
    expect(await leftQueue(service.manager, workflow.id, webhookId)).toMatchObject({ status: 'Skipped', runNumber: 1 })
    await open(workflow)
    await retry(workflow, 1)
    await endOf(service.manager, workflow.id, 2)
    expect((await historyOf(service.manager, workflow.id)).items[0]).toMatchObject({
      status: 'Done',
      runNumber: 2,
      errorMessage: null,
    })
  })

  it('is refused when its request is not stored any more', async () => {
    const { workflow, webhookId } = await failWebhookRun()
    await service.asOwner('delete from webhook_requests where id = $1', [webhookId])
    const answer = await retry(workflow, 1)
    expect(answer.status).toBe(400)
    expect(answer.body.errorMessage).toContain('no longer stored')
  })
})

describe('repeating RetryRun', () => {
  it('starts nothing while a retry is under way, nor after one ended well', async () => {
    const workflow = await deployWorkflow(service.manager, [
      `${throwUntilOpen}; while (!(await myVault.get('go'))) await sleep(20); return 1`,
    ])
    await runToEnd(service.manager, workflow.id)
    await open(workflow)
    const answers = await Promise.all([1, 2, 3, 4].map(() => retry(workflow, 1)))
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200])
    expect(answers.map(({ headers }) => headers.get('x-run-number'))).toEqual(['2', '2', '2', '2'])
    expect(answers.filter(({ body }) => /^Run 2 is already retrying run 1/.test(body)).length).toBe(3)
    await service.manager.post(`/api/MyVaultSet/${workflow.id}/go`, { jsonData: true })
    await endOf(service.manager, workflow.id, 2)
    const later = await retry(workflow, 1)
    expect(later.status).toBe(200)
    expect(later.headers.get('x-run-number')).toBe('2')
    expect(later.body).toBe('Run 2 has already retried run 1 successfully.')
    expect(await findRun(service.manager, workflow.id, 3)).toBeUndefined()
  })

  it('starts another after one that failed, and knows a retry of a retry', async () => {
    const workflow = await deployWorkflow(service.manager, [`${throwUntilOpen}; return 1`])
    await runToEnd(service.manager, workflow.id)
    await retry(workflow, 1)
    await endOf(service.manager, workflow.id, 2)
    await open(workflow)
    expect((await retry(workflow, 2)).headers.get('x-run-number')).toBe('3')
    await endOf(service.manager, workflow.id, 3)
    expect((await retry(workflow, 1)).headers.get('x-run-number')).toBe('3')
    expect((await retry(workflow, 2)).headers.get('x-run-number')).toBe('3')
    expect((await retry(workflow, 3)).status).toBe(400)
  })
})

describe('a retried partial run', () => {
  it('runs its own range, wherever its blocks stand now', async () => {
    const workflow = await deployWorkflow(service.manager, [
      'return run.runNumber',
      `${throwUntilOpen}; return [run.runNumber, Datasource[0]]`,
      'return "beyond"',
    ])
    await runToEnd(service.manager, workflow.id, { runTillBlock: 1 })
    expect(await runToEnd(service.manager, workflow.id, { runFromBlock: 2, runTillBlock: 2 })).toMatchObject({
      status: 'Error',
    })
    await open(workflow)
    const added = await service.manager.post(`/api/Workflow/${workflow.id}`, {
      chain: [{ no: 1, blockName: 'New', script: 'return "new"', dataSources: [] }],
    })
    expect(added.status, added.text).toBe(200)
    const refused = await retry(workflow, 2)
    // The new block stands before the range, and the failed run knows nothing of it.
    expect(refused.body.errorMessage).toMatch(/because run 2 has no result for/)
    await service.manager.post(`/api/Workflow/${workflow.id}`, {
      chain: [
        { uniqueBlockId: workflow.blocks[0], no: 1 },
        { uniqueBlockId: workflow.blocks[1], no: 2 },
      ],
    })
    await retry(workflow, 2)
    expect(await endOf(service.manager, workflow.id, 3)).toMatchObject({ status: 'Ready', processorType: 'Debug' })
    expect((await blockResult(service.manager, workflow, 2, 3)).body.result).toEqual([3, 1])
    expect((await blockResult(service.manager, workflow, 3, 3)).status).toBe(404)
    expect(await dateLastRun(workflow)).toBeNull()
  })
})

describe('RunWorkflow with the webhookId of an isBatch workflow', () => {
  it('gives the script an array of one', async () => {
    const workflow = await deployWorkflow(service.manager, ['return webhook'])
    const webhook = await enableWebhook(service.manager, workflow.id, { isBatch: true })
    const { webhookId } = (await webhook.send({ n: 7 })).body
    await leftQueue(service.manager, workflow.id, webhookId)
    const number = await startRun(service.manager, workflow.id, { webhookId })
    expect(await endOf(service.manager, workflow.id, number)).toMatchObject({ status: 'Ready' })
    expect((await blockResult(service.manager, workflow, 1, number)).body.result).toMatchObject([
      { id: webhookId, body: { n: 7 } },
    ])
  })
})

describe('dateLastRun', () => {
  it('does not go back when an old run is retried after a newer one ended well', async () => {
    const workflow = await deployWorkflow(service.manager, [`${throwUntilOpen}; return 1`])
    await runToEnd(service.manager, workflow.id)
    await open(workflow)
    const newer = await runToEnd(service.manager, workflow.id)
    await retry(workflow, 1)
    await eventually(async () => (await findRun(service.manager, workflow.id, 3))?.status === 'Ready')
    expect(await dateLastRun(workflow)).toBe(newer.startDateTimeUTC)
  })
})
