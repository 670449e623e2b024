import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventually } from '../harness/eventually.ts'
import { joinService } from '../harness/joined-service.ts'
import type { TestService } from '../harness/service.ts'
import { operateQueues } from '../harness/webhook-queue.ts'
import { enableWebhook, hasStatus, historyOf, leftQueue, queueOf } from '../harness/webhooks.ts'
import { blockResult, deployWorkflow, endOf, findRun, runToEnd } from '../harness/workflows.ts'

describe('the queue of a webhook', () => {
  let service: TestService
  beforeAll(async () => {
    service = await joinService()
  })
  afterAll(() => service[Symbol.asyncDispose]())

  const { prepare, hold, release, emptied, makeDue } = operateQueues(() => service)

  it('gives each request to a run as `webhook`, and both histories name the other', async () => {
    const { workflow, webhook } = await prepare('return webhook')
    const sent = await webhook.send({ n: 1 }, { 'X-Topic': 'orders' })
    const item = await leftQueue(service.manager, workflow.id, sent.body.webhookId)
    expect(item).toEqual({
      webhookId: sent.body.webhookId,
      status: 'Done',
      createDateTimeUTC: expect.any(String),
      errorCounter: 0,
      nextScheduleDateTimeUTC: expect.any(String),
      no: 1,
      runNumber: 1,
      errorMessage: null,
      deleteFromQueueDateTimeUTC: expect.any(String),
    })
    expect(await findRun(service.manager, workflow.id, 1)).toMatchObject({
      runBy: 'Webhook',
      status: 'Ready',
      processorType: 'Standard',
      webhookIds: [sent.body.webhookId],
    })
    expect((await blockResult(service.manager, workflow, 1)).body.result).toMatchObject({
      id: sent.body.webhookId,
      method: 'POST',
      body: { n: 1 },
      headers: { 'x-topic': 'orders' },
      urlParameters: {},
    })
  })

  it('gives the query to the script', async () => {
    const { workflow, webhook } = await prepare('return webhook', { urlParameters: 'source=shop&tag=a&tag=b' })
    const sent = await webhook.send({})
    await leftQueue(service.manager, workflow.id, sent.body.webhookId)
    expect((await blockResult(service.manager, workflow, 1)).body.result.urlParameters).toEqual({
      source: 'shop',
      tag: ['a', 'b'],
    })
  })

  it('shows what waits with its position, in pages, by time', async () => {
    const { workflow, webhook } = await prepare('return 1')
    await hold(workflow.id)
    const sent: string[] = []
    for (let n = 1; n <= 7; n++) sent.push((await webhook.send({ n })).body.webhookId)
    const all = await queueOf(service.manager, workflow.id)
    expect(all.items.map((item: { webhookId: string; no: number }) => [item.webhookId, item.no])).toEqual(
      sent.map((id, index) => [id, index + 1]),
    )
    expect(all).toMatchObject({
      length: 7,
      isLast: true,
      workflowSettings: { isAutoRunPaused: false, isWebhookActive: true },
    })
    expect(all.items[0]).toEqual({
      webhookId: sent[0],
      status: 'Pending',
      createDateTimeUTC: expect.stringMatching(/Z$/),
      errorCounter: 0,
      nextScheduleDateTimeUTC: expect.stringMatching(/Z$/),
      no: 1,
      runNumber: null,
      errorMessage: null,
    })
    const second = await queueOf(service.manager, workflow.id, { page: 1, size: 3 })
    expect([second.items.map((item: { no: number }) => item.no), second.length, second.isLast]).toEqual([
      [4, 5, 6],
      7,
      false,
    ])
    const third = await queueOf(service.manager, workflow.id, { page: 2, size: 3 })
    expect([third.items.length, third.isLast]).toEqual([1, true])
    expect(await queueOf(service.manager, workflow.id, { page: 9, size: 3 })).toMatchObject({
      items: [],
      length: 7,
      isLast: true,
    })
    const [from, to] = [all.items[2].createDateTimeUTC, all.items[5].createDateTimeUTC]
    await service.asOwner(
      `update webhook_queue set created_at = date_trunc('milliseconds', created_at) where workflow_id = $1`,
      [workflow.id],
    )
    const ranged = await queueOf(service.manager, workflow.id, { searchFrom: from, searchTo: to })
    expect(ranged.items.map((item: { no: number }) => item.no)).toEqual([3, 4, 5])
    expect(ranged.length).toBe(3)
    for (const body of [
      { page: -1 },
      { size: 0 },
      { size: 1001 },
      { page: '0' },
      { searchFrom: 'yesterday' },
      { status: 'Done' },
    ])
      expect((await service.manager.post(`/api/GetWebhookQueue/${workflow.id}`, body)).status).toBe(400)
    await release(workflow.id)
    await emptied(workflow.id)
    const history = await historyOf(service.manager, workflow.id, { page: 0, size: 3 })
    expect([history.length, history.isLast, history.items.map((item: { no: number }) => item.no)]).toEqual([
      7,
      false,
      [1, 2, 3],
    ])
    expect(history.items[0].webhookId).toBe(sent[6])
    const past = await historyOf(service.manager, workflow.id, { searchFrom: from, searchTo: to })
    expect(past.items.map((item: { webhookId: string }) => item.webhookId)).toEqual([sent[4], sent[3], sent[2]])
  })

  it('tries a failed request again: 30 seconds, doubling, at most an hour', async () => {
    const { workflow, webhook } = await prepare('throw new Error("not today")', { skipProcessingAfterErrors: 0 })
    const { webhookId } = (await webhook.send({})).body
    const first = await hasStatus(service.manager, workflow.id, webhookId, 'Failed')
    expect(first).toMatchObject({ errorCounter: 1, runNumber: 1, errorMessage: expect.stringContaining('not today') })
    const waitOf = (item: { nextScheduleDateTimeUTC: string }) => Date.parse(item.nextScheduleDateTimeUTC) - Date.now()
    expect(waitOf(first)).toBeGreaterThan(20_000)
    expect(waitOf(first)).toBeLessThan(34_000)
    await makeDue(workflow.id)
    const second = await eventually(async () => {
      const { items } = await queueOf(service.manager, workflow.id)
      return items[0].errorCounter === 2 && items[0].status === 'Failed' ? items[0] : undefined
    })
    expect(waitOf(second)).toBeGreaterThan(45_000)
    expect(waitOf(second)).toBeLessThan(67_000)
    await service.asOwner('update webhook_queue set due_at = now(), error_counter = 40 where workflow_id = $1', [
      workflow.id,
    ])
    const late = await eventually(async () => {
      const { items } = await queueOf(service.manager, workflow.id)
      return items[0].errorCounter === 41 && items[0].status === 'Failed' ? items[0] : undefined
    })
    expect(waitOf(late)).toBeLessThanOrEqual(3_600_000)
    expect(waitOf(late)).toBeGreaterThan(2_800_000)
  })

  it('skips a request after so many errors in a row, and goes on with the next', async () => {
    const { workflow, webhook } = await prepare('if (webhook.body.bad) throw new Error("bad one"); return 1', {
      skipProcessingAfterErrors: 2,
      strictOrderProcessing: true,
    })
    const bad = (await webhook.send({ bad: true })).body.webhookId
    const good = (await webhook.send({})).body.webhookId
    await hasStatus(service.manager, workflow.id, bad, 'Failed')
    expect((await queueOf(service.manager, workflow.id)).items.map((item: { status: string }) => item.status)).toEqual([
      'Failed',
      'Pending',
    ])
    await makeDue(workflow.id)
    expect(await leftQueue(service.manager, workflow.id, bad)).toMatchObject({
      status: 'Skipped',
      errorCounter: 2,
      runNumber: 2,
      errorMessage: expect.stringContaining('bad one'),
    })
    expect(await leftQueue(service.manager, workflow.id, good)).toMatchObject({ status: 'Done', runNumber: 3 })
  })

  it('moves the last-run time only when asked to', async () => {
    const dateLastRun = async (id: string) => (await service.manager.get(`/api/Workflow/${id}`)).body.dateLastRunUTC
    const { workflow, webhook } = await prepare('return 1')
    await leftQueue(service.manager, workflow.id, (await webhook.send({})).body.webhookId)
    expect(await dateLastRun(workflow.id)).toBeNull()
    await service.manager.post(`/api/WebhookSettingsEnable/${workflow.id}`, { updateDateLastRun: true })
    const run = (await leftQueue(service.manager, workflow.id, (await webhook.send({})).body.webhookId)) as {
      runNumber: number
    }
    expect(await dateLastRun(workflow.id)).toBe(
      (await findRun(service.manager, workflow.id, run.runNumber)).startDateTimeUTC,
    )
  })

  it('runs a past or waiting request again without touching the queue', async () => {
    const { workflow, webhook } = await prepare('return webhook.body')
    const { webhookId } = (await webhook.send({ n: 5 })).body
    await leftQueue(service.manager, workflow.id, webhookId)
    const before = await historyOf(service.manager, workflow.id)
    const run = await runToEnd(service.manager, workflow.id, { webhookId })
    expect(run).toMatchObject({ status: 'Ready', runBy: 'API', lockVersionNumber: 2 })
    expect((await blockResult(service.manager, workflow, 1, 2)).body.result).toEqual({ n: 5 })
    expect(await historyOf(service.manager, workflow.id)).toEqual(before)
    await hold(workflow.id)
    const waiting = (await webhook.send({ n: 6 })).body.webhookId
    await runToEnd(service.manager, workflow.id, { webhookId: waiting.toUpperCase() })
    expect((await blockResult(service.manager, workflow, 1, 3)).body.result).toEqual({ n: 6 })
    expect((await queueOf(service.manager, workflow.id)).items[0]).toMatchObject({
      status: 'Pending',
      webhookId: waiting,
    })
    const other = await prepare('return 1')
    for (const id of [randomUUID(), webhookId])
      expect(
        (await service.manager.post('/api/RunWorkflow', { workflowId: other.workflow.id, webhookId: id })).status,
      ).toBe(400)
  })

  it('skips a request whose run was stopped by hand', async () => {
    const { workflow, webhook } = await prepare('await sleep(100); return 1', { strictOrderProcessing: true })
    // A stop ends its sleep.
    const slow = await deployWorkflow(service.manager, ['await sleep(3_000_000); return 1', 'return 2'])
    const slowHook = await enableWebhook(service.manager, slow.id)
    const { webhookId } = (await slowHook.send({})).body
    await hasStatus(service.manager, slow.id, webhookId, 'Processing')
    await service.manager.get(`/api/StopWorkflowRun/${slow.id}?runNumber=1`)
    expect(await leftQueue(service.manager, slow.id, webhookId)).toMatchObject({ status: 'Skipped', runNumber: 1 })
    expect((await endOf(service.manager, slow.id, 1)).status).toBe('Stopped')
    expect((await webhook.send({})).status).toBe(200)
    await emptied(workflow.id)
  })
})
