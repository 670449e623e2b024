import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAccount } from '../harness/accounts.ts'
import { eventually } from '../harness/eventually.ts'
import { holdLock } from '../harness/held-lock.ts'
import { joinService } from '../harness/joined-service.ts'
import type { TestService } from '../harness/service.ts'
import { operateQueues, remember } from '../harness/webhook-queue.ts'
import { enableWebhook, hasStatus, historyOf, leftQueue, queueOf } from '../harness/webhooks.ts'
import { blockResult, deployWorkflow } from '../harness/workflows.ts'

describe('the order of a webhook queue', () => {
  let service: TestService
  beforeAll(async () => {
    service = await joinService()
  })
  afterAll(() => service[Symbol.asyncDispose]())

  const { prepare, seenBy, hold, release, emptied } = operateQueues(() => service)

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

  it('keeps strict order that was asked for while later ones were being processed, also when these fail', async () => {
    const { workflow, webhook } = await prepare(
      `const isMended = () => myVault.contains('mended')
       if (webhook.body.n === 1 && !isMended()) throw new Error('first')
       while (!myVault.contains('go')) await sleep(20)
       if (!isMended()) throw new Error('second')
       ${remember}`,
    )
    const first = (await webhook.send({ n: 1 })).body.webhookId
    await hasStatus(service.manager, workflow.id, first, 'Failed')
    const second = (await webhook.send({ n: 2 })).body.webhookId
    await hasStatus(service.manager, workflow.id, second, 'Processing')
    await service.manager.post(`/api/WebhookSettingsEnable/${workflow.id}`, { strictOrderProcessing: true })
    await service.manager.post(`/api/MyVaultSet/${workflow.id}/go`, { jsonData: true })
    await hasStatus(service.manager, workflow.id, second, 'Failed')
    const ready = await service.asOwner('select webhook_id from webhook_queue where workflow_id = $1 and is_ready', [
      workflow.id,
    ])
    expect(ready).toEqual([{ webhook_id: first }])
    await service.manager.post(`/api/MyVaultSet/${workflow.id}/mended`, { jsonData: true })
    for (const id of [second, first]) await service.manager.post(`/api/WebhookRetry/${id}`)
    await emptied(workflow.id)
    expect(await seenBy(workflow)).toEqual([1, 2])
  })

  it('processes side by side without strict order', async () => {
    // Each waits until it sees the other: one after the other would never end well.
    const { workflow, webhook } = await prepare(
      `await myVault.set('here' + webhook.body.n, true)
       while (!(await myVault.contains('here' + (3 - webhook.body.n)))) await sleep(20)
       return 'met'`,
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

  it('ends a batch before a request that somebody has in hand, so that none overtakes it', async () => {
    const { workflow, webhook } = await prepare(remember, { isBatch: true, batchSize: 3, strictOrderProcessing: true })
    await hold(workflow.id)
    const ids: string[] = []
    for (let n = 1; n <= 4; n++) ids.push((await webhook.send({ n })).body.webhookId)
    await using second = await holdLock(
      service.databaseUrl,
      'select from webhook_queue where webhook_id = $1 for update',
      [ids[1]],
    )
    await release(workflow.id)
    // It stays so: at its end the run lets the second one move up, and waits for it.
    await hasStatus(service.manager, workflow.id, ids[0] as string, 'Processing')
    await second.release()
    await emptied(workflow.id)
    expect(await seenBy(workflow)).toEqual([1, 2, 3, 4])
    const { items } = await historyOf(service.manager, workflow.id)
    expect(items.map((item: { runNumber: number }) => item.runNumber)).toEqual([2, 2, 2, 1])
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

  it('mails when the skip script first fails, once for a workflow, and when everything works again', async () => {
    const { client, id: accountId } = await createAccount(service, service.manager, 'User')
    const workflow = await deployWorkflow(client, ['return 1'], { name: 'Checked' })
    const webhook = await enableWebhook(client, workflow.id, { skipScript: 'throw new Error("cannot tell")' })
    const told = () =>
      service.asOwner('select subject from mails where account_id = $1 and subject like $2 order by id', [
        accountId,
        '%"Checked"%',
      ])
    const ids: string[] = []
    for (let n = 1; n <= 3; n++) ids.push((await webhook.send({ n })).body.webhookId)
    for (const id of ids) await hasStatus(client, workflow.id, id, 'Failed')
    await eventually(async () => (await told()).length > 0)
    expect(await told()).toEqual([{ subject: 'Workflow "Checked" failed' }])
    await client.post(`/api/WebhookSettingsEnable/${workflow.id}`, { skipScript: '' })
    for (const id of ids) await client.post(`/api/WebhookRetry/${id}`)
    await eventually(async () => (await told()).length > 1)
    expect(await told()).toEqual([
      { subject: 'Workflow "Checked" failed' },
      { subject: 'Workflow "Checked" works again' },
    ])
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
})
