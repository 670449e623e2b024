import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAccount } from '../harness/accounts.ts'
import { eventually } from '../harness/eventually.ts'
import { startService, type TestService } from '../harness/service.ts'
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

/** Keeps what it was given in the vault, in the order in which it ran. */
const remember = `
  const seen = (await myVault.get('seen')) ?? []
  const requests = Array.isArray(webhook) ? webhook : [webhook]
  await myVault.set('seen', [...seen, ...requests.map(({ body }) => body.n)])
  return webhook`

describe('the queue of a webhook', () => {
  let service: TestService
  beforeAll(async () => {
    service = await startService()
  })
  afterAll(() => service[Symbol.asyncDispose]())

  const prepare = async (script: string, settings: Record<string, unknown> = {}) => {
    const workflow = await deployWorkflow(service.manager, [script])
    return { workflow, webhook: await enableWebhook(service.manager, workflow.id, settings) }
  }
  const seenBy = async (workflow: SampleWorkflow) =>
    (await service.manager.get(`/api/MyVaultGet/${workflow.id}/seen`)).body
  const hold = (id: string) => service.manager.post(`/api/WebhookQueueHold/${id}`)
  const release = (id: string) => service.manager.post(`/api/WebhookQueueRelease/${id}`)
  const emptied = (id: string, withinMs?: number) =>
    eventually(async () => (await queueOf(service.manager, id)).length === 0, withinMs)
  const makeDue = (id: string) =>
    service.asOwner('update webhook_queue set due_at = now() where workflow_id = $1', [id])

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

  it('keeps strict order: one at a time, and a failing head holds the others up', async () => {
    const { workflow, webhook } = await prepare(
      `if (webhook.body.n === 3 && !(await myVault.contains('mended'))) throw new Error('third'); ${remember}`,
      { strictOrderProcessing: true },
    )
    const ids: string[] = []
    for (let n = 1; n <= 6; n++) ids.push((await webhook.send({ n })).body.webhookId)
    await hasStatus(service.manager, workflow.id, ids[2] as string, 'Failed')
    expect(await seenBy(workflow)).toEqual([1, 2])
    await service.manager.post(`/api/MyVaultSet/${workflow.id}/mended`, { jsonData: true })
    expect((await service.manager.post(`/api/WebhookRetry/${ids[2]}`)).body).toBe(true)
    await emptied(workflow.id)
    expect(await seenBy(workflow)).toEqual([1, 2, 3, 4, 5, 6])
    const history = await historyOf(service.manager, workflow.id)
    expect(history.items.map((item: { runNumber: number }) => item.runNumber)).toEqual(
      [7, 6, 5, 4, 2, 1].toSorted((a, b) => b - a),
    )
  })

  it('processes side by side without strict order', async () => {
    // Each waits until it sees the other: one after the other would never end well.
    const { workflow, webhook } = await prepare(
      `await myVault.set('here' + webhook.body.n, true)
       for (let i = 0; i < 200; i++) { if (await myVault.contains('here' + (3 - webhook.body.n))) return 'met'; await sleep(20) }
       throw new Error('alone')`,
    )
    await Promise.all([webhook.send({ n: 1 }), webhook.send({ n: 2 })])
    await emptied(workflow.id)
    const history = await historyOf(service.manager, workflow.id)
    expect(history.items.map((item: { status: string }) => item.status)).toEqual(['Done', 'Done'])
  })

  it('keeps order by key while keys go side by side', async () => {
    const { workflow, webhook } = await prepare(
      `const key = 'seen-' + webhook.body.order.id
       if (webhook.body.order.id === 'b' && webhook.body.n === 1 && !(await myVault.contains('mended'))) throw new Error('b stands still')
       await myVault.set(key, [...((await myVault.get(key)) ?? []), webhook.body.n])
       return 1`,
      { orderKey: 'order.id' },
    )
    const ids = new Map<string, string>()
    for (let n = 1; n <= 5; n++)
      for (const id of ['a', 'b', 'c']) ids.set(`${id}${n}`, (await webhook.send({ n, order: { id } })).body.webhookId)
    await hasStatus(service.manager, workflow.id, ids.get('b1') as string, 'Failed')
    await eventually(async () => (await queueOf(service.manager, workflow.id)).length === 5)
    const seen = async (id: string) => (await service.manager.get(`/api/MyVaultGet/${workflow.id}/seen-${id}`)).body
    expect([await seen('a'), await seen('b'), await seen('c')]).toEqual([[1, 2, 3, 4, 5], null, [1, 2, 3, 4, 5]])
    await service.manager.post(`/api/MyVaultSet/${workflow.id}/mended`, { jsonData: true })
    await service.manager.post(`/api/WebhookRetry/${ids.get('b1')}`)
    await emptied(workflow.id)
    expect(await seen('b')).toEqual([1, 2, 3, 4, 5])
  })

  it('gives a batch to one run, in order, and settles all of it together', async () => {
    const { workflow, webhook } = await prepare(remember, { isBatch: true, batchSize: 4, strictOrderProcessing: true })
    await hold(workflow.id)
    for (let n = 1; n <= 10; n++) await webhook.send({ n })
    await release(workflow.id)
    await emptied(workflow.id)
    expect(await seenBy(workflow)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
    const { items } = await historyOf(service.manager, workflow.id)
    expect(items.map((item: { runNumber: number }) => item.runNumber)).toEqual([3, 3, 2, 2, 2, 2, 1, 1, 1, 1])
    const last = (await blockResult(service.manager, workflow, 1)).body.result
    expect(last.map((request: { body: { n: number } }) => request.body.n)).toEqual([9, 10])
    // Even a single request is a batch.
    await webhook.send({ n: 11 })
    await emptied(workflow.id)
    expect((await blockResult(service.manager, workflow, 1)).body.result).toHaveLength(1)
  })

  it('counts the failure of a batch for all of it', async () => {
    const { workflow, webhook } = await prepare('throw new Error("no")', { isBatch: true, batchSize: 3 })
    await hold(workflow.id)
    for (let n = 1; n <= 3; n++) await webhook.send({ n })
    await release(workflow.id)
    const failed = await eventually(async () => {
      const { items } = await queueOf(service.manager, workflow.id)
      return items.every((item: { status: string }) => item.status === 'Failed') ? items : undefined
    })
    expect(
      failed.map((item: { errorCounter: number; runNumber: number }) => [item.errorCounter, item.runNumber]),
    ).toEqual([
      [1, 1],
      [1, 1],
      [1, 1],
    ])
    expect(
      new Set(failed.map((item: { nextScheduleDateTimeUTC: string }) => item.nextScheduleDateTimeUTC.slice(0, 22)))
        .size,
    ).toBe(1)
  })

  it('lets the skip script leave requests out, without a run', async () => {
    const { workflow, webhook } = await prepare(remember, {
      strictOrderProcessing: true,
      skipScript: 'console.log("looking"); return webhook.body.n % 2 === 0 && webhook.headers["x-topic"] === "orders"',
    })
    const ids: string[] = []
    for (let n = 1; n <= 4; n++) ids.push((await webhook.send({ n }, { 'X-Topic': 'orders' })).body.webhookId)
    expect(await leftQueue(service.manager, workflow.id, ids[1] as string)).toMatchObject({
      status: 'Skipped',
      runNumber: null,
      errorMessage: null,
      errorCounter: 0,
    })
    await emptied(workflow.id)
    expect(await seenBy(workflow)).toEqual([1, 3])
  })

  it.each([
    ['throws', 'throw new Error("cannot tell")', /cannot tell/],
    ['runs for ever', 'while (true) {}', /5/],
    ['waits for ever', 'await new Promise(() => {})', /./],
    ['wants to call an application', 'return await api.get("TEST/meta")', /./],
    ['eats all memory', 'const all = []; for (;;) all.push(new Array(1e6).fill(1))', /./],
  ])('loses nothing when the skip script %s', async (_name, skipScript, message) => {
    const { workflow, webhook } = await prepare('return 1', { skipScript })
    const { webhookId } = (await webhook.send({})).body
    const item = await hasStatus(service.manager, workflow.id, webhookId, 'Failed')
    expect(item).toMatchObject({ errorCounter: 1, runNumber: null, errorMessage: expect.stringMatching(message) })
    await service.manager.post(`/api/WebhookSettingsEnable/${workflow.id}`, { skipScript: '' })
    await service.manager.post(`/api/WebhookRetry/${webhookId}`)
    expect(await leftQueue(service.manager, workflow.id, webhookId)).toMatchObject({ status: 'Done', runNumber: 1 })
  })

  it('keeps strict order around what the skip script leaves out or fails on', async () => {
    const { workflow, webhook } = await prepare(remember, {
      strictOrderProcessing: true,
      isBatch: true,
      batchSize: 10,
      skipScript: `if (webhook.body.n === 4 && !(await myVault.contains('mended'))) throw new Error('four'); return webhook.body.n === 2`,
    })
    await hold(workflow.id)
    const ids: string[] = []
    for (let n = 1; n <= 6; n++) ids.push((await webhook.send({ n })).body.webhookId)
    await release(workflow.id)
    await hasStatus(service.manager, workflow.id, ids[3] as string, 'Failed')
    await leftQueue(service.manager, workflow.id, ids[2] as string)
    expect(await seenBy(workflow)).toEqual([1, 3])
    await service.manager.post(`/api/MyVaultSet/${workflow.id}/mended`, { jsonData: true })
    await service.manager.post(`/api/WebhookRetry/${ids[3]}`)
    await emptied(workflow.id)
    expect(await seenBy(workflow)).toEqual([1, 3, 4, 5, 6])
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
    // Two blocks, so that the run can be stopped between them.
    const slow = await deployWorkflow(service.manager, ['await sleep(1500); return 1', 'return 2'])
    const slowHook = await enableWebhook(service.manager, slow.id)
    const { webhookId } = (await slowHook.send({})).body
    await hasStatus(service.manager, slow.id, webhookId, 'Processing')
    await service.manager.get(`/api/StopWorkflowRun/${slow.id}?runNumber=1`)
    expect(await leftQueue(service.manager, slow.id, webhookId)).toMatchObject({ status: 'Skipped', runNumber: 1 })
    expect((await endOf(service.manager, slow.id, 1)).status).toBe('Stopped')
    expect((await webhook.send({})).status).toBe(200)
    await emptied(workflow.id)
  })

  it('can be held and released, request by request skipped and retried', async () => {
    const { workflow, webhook } = await prepare(remember, { strictOrderProcessing: true })
    expect((await hold(workflow.id)).body).toMatch(/held/)
    expect((await service.manager.get(`/api/WebhookSettings/${workflow.id}`)).body.isHeld).toBe(true)
    const ids: string[] = []
    for (let n = 1; n <= 3; n++) ids.push((await webhook.send({ n })).body.webhookId)
    expect((await service.manager.post(`/api/WebhookRetry/${ids[0]}`)).body).toBe(false)
    expect((await service.manager.post(`/api/WebhookSkip/${ids[0]}`)).body).toBe(true)
    expect((await service.manager.post(`/api/WebhookSkip/${ids[0]}`)).body).toBe(false)
    expect((await service.manager.post(`/api/WebhookSkip/${randomUUID()}`)).status).toBe(404)
    expect((await queueOf(service.manager, workflow.id)).items.map((item: { no: number }) => item.no)).toEqual([1, 2])
    expect((await release(workflow.id)).body).toMatch(/released/)
    await emptied(workflow.id)
    expect(await seenBy(workflow)).toEqual([2, 3])
    expect(await leftQueue(service.manager, workflow.id, ids[0] as string)).toMatchObject({
      status: 'Skipped',
      runNumber: null,
    })
    const { id: unconfigured } = await deployWorkflow(service.manager, ['return 1'])
    expect((await hold(unconfigured)).status).toBe(400)
    expect((await hold(randomUUID())).status).toBe(404)
    const user = await createAccount(service, service.manager, 'User')
    for (const path of [`WebhookSkip/${ids[1]}`, `WebhookRetry/${ids[1]}`, `WebhookQueueHold/${workflow.id}`])
      expect((await user.client.post(`/api/${path}`)).status).toBe(404)
  })

  it('can be given past requests again, by time and status, with progress', async () => {
    const { workflow, webhook } = await prepare(
      `if (webhook.body.n % 2 === 0 && !(await myVault.contains('mended'))) throw new Error('even'); ${remember}`,
      { skipProcessingAfterErrors: 1, strictOrderProcessing: true },
    )
    for (let n = 1; n <= 6; n++) await webhook.send({ n })
    await emptied(workflow.id)
    await service.manager.post(`/api/WebhookSettingsEnable/${workflow.id}`)
    expect(await seenBy(workflow)).toEqual([1, 3, 5])
    await service.manager.post(`/api/MyVaultSet/${workflow.id}/mended`, { jsonData: true })
    const replay = await service.manager.post(`/api/WebhookReplay/${workflow.id}`, {})
    expect(replay.body, replay.text).toMatchObject({ workflowId: workflow.id, total: 3 })
    const done = await eventually(async () => {
      const answer = await service.manager.get(`/api/GetWebhookReplay/${replay.body.id}`)
      return answer.body.isComplete ? answer.body : undefined
    })
    expect(done).toMatchObject({ total: 3, queued: 3, waiting: 0, isComplete: true })
    expect(await seenBy(workflow)).toEqual([1, 3, 5, 2, 4, 6])
    const history = await historyOf(service.manager, workflow.id)
    expect([history.length, new Set(history.items.map((item: { status: string }) => item.status))]).toEqual([
      6,
      new Set(['Done']),
    ])
    const third = history.items.at(-3).createDateTimeUTC
    await service.asOwner(
      `update webhook_history set created_at = date_trunc('milliseconds', created_at) where workflow_id = $1`,
      [workflow.id],
    )
    const partly = await service.manager.post(`/api/WebhookReplay/${workflow.id}`, {
      searchTo: third,
      status: ['done'],
    })
    expect(partly.body.total).toBe(2)
    await eventually(async () => (await service.manager.get(`/api/GetWebhookReplay/${partly.body.id}`)).body.isComplete)
    expect(await seenBy(workflow)).toEqual([1, 3, 5, 2, 4, 6, 1, 2])
    expect((await service.manager.get(`/api/GetWebhookReplay/${randomUUID()}`)).status).toBe(404)
    expect((await service.manager.post(`/api/WebhookReplay/${workflow.id}`, { status: ['Pending'] })).status).toBe(400)
  })

  it('takes what waits along when the settings ask for another order', async () => {
    const { workflow, webhook } = await prepare(remember)
    await hold(workflow.id)
    for (let n = 1; n <= 6; n++) await webhook.send({ n, order: n % 2 })
    await service.manager.post(`/api/WebhookSettingsEnable/${workflow.id}`, { orderKey: 'order' })
    const lanes = async () =>
      (
        await service.asOwner('select lane, is_ready from webhook_queue where workflow_id = $1 order by seq', [
          workflow.id,
        ])
      ).map((row) => [row['lane'], row['is_ready']])
    expect(await lanes()).toEqual([
      ['=1', true],
      ['=0', true],
      ['=1', false],
      ['=0', false],
      ['=1', false],
      ['=0', false],
    ])
    await service.manager.post(`/api/WebhookSettingsEnable/${workflow.id}`, {
      orderKey: '',
      strictOrderProcessing: true,
    })
    expect(await lanes()).toEqual([['', true], ...Array.from({ length: 5 }, () => ['', false])])
    await webhook.send({ n: 7 })
    await release(workflow.id)
    await emptied(workflow.id)
    expect(await seenBy(workflow)).toEqual([1, 2, 3, 4, 5, 6, 7])
    await service.manager.post(`/api/WebhookSettingsEnable/${workflow.id}`, { strictOrderProcessing: false })
    await webhook.send({ n: 8 })
    await emptied(workflow.id)
  })

  it('is worked off after the webhook was disabled and cleaned', async () => {
    const { workflow, webhook } = await prepare(remember, { strictOrderProcessing: true })
    await hold(workflow.id)
    for (let n = 1; n <= 3; n++) await webhook.send({ n })
    await service.manager.post(`/api/WebhookSettingsDisable/${workflow.id}?disableWithCleanSettings=true`)
    await emptied(workflow.id)
    expect(await seenBy(workflow)).toEqual([1, 2, 3])
  })

  it('waits while automatic runs are paused, and goes on in order when the webhook is enabled again', async () => {
    const { workflow, webhook } = await prepare(
      `if (!(await myVault.contains('mended'))) throw new Error('broken'); return 1`,
      { skipProcessingAfterErrors: 0 },
    )
    for (let n = 1; n <= 10; n++) await webhook.send({ n })
    await eventually(async () => (await queueOf(service.manager, workflow.id)).workflowSettings.isAutoRunPaused)
    await service.manager.post(`/api/MyVaultSet/${workflow.id}/mended`, { jsonData: true })
    await makeDue(workflow.id)
    await webhook.send({ n: 11 })
    expect((await queueOf(service.manager, workflow.id)).items.at(-1).status).toBe('Pending')
    await service.manager.post(`/api/WebhookSettingsEnable/${workflow.id}`)
    await emptied(workflow.id)
    expect((await queueOf(service.manager, workflow.id)).workflowSettings.isAutoRunPaused).toBe(false)
    const { items } = await historyOf(service.manager, workflow.id)
    expect(items.map((item: { status: string }) => item.status)).toEqual(Array.from({ length: 11 }, () => 'Done'))
  })

  it('starts what an api process took through a worker process', async () => {
    await using both = await startService({ role: 'api' })
    await using _worker = await both.startAnother({}, 'worker')
    const workflow = await deployWorkflow(both.manager, ['return webhook.body'])
    const webhook = await enableWebhook(both.manager, workflow.id)
    const { webhookId } = (await webhook.send({ n: 1 })).body
    expect(await leftQueue(both.manager, workflow.id, webhookId)).toMatchObject({ status: 'Done' })
    expect(await startRun(both.manager, workflow.id)).toBe(2)
  })
})
