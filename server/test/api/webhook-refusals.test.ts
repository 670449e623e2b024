import { afterAll, beforeAll, expect, it } from 'vitest'
import { createAccount } from '../harness/accounts.ts'
import { eventually } from '../harness/eventually.ts'
import { joinService } from '../harness/joined-service.ts'
import type { TestService } from '../harness/service.ts'
import { enableWebhook, hasStatus, leftQueue, queueOf, sendRaw } from '../harness/webhooks.ts'
import { deployWorkflow, endOf } from '../harness/workflows.ts'

let service: TestService
beforeAll(async () => {
  service = await joinService()
})
afterAll(() => service[Symbol.asyncDispose]())

const refusalsOf = async (workflowId: string, body: object = {}) => {
  const answer = await service.manager.post(`/api/WebhookRefusals/${workflowId}`, body)
  expect(answer.status, answer.text).toBe(200)
  return answer.body
}
const untilCounted = (workflowId: string, total: number) =>
  eventually(async () => {
    const found = await refusalsOf(workflowId)
    return found.total === total ? found : undefined
  })

it('what a webhook refuses is counted with its reason, and the newest ten are kept without their bodies', async () => {
  const { id } = await deployWorkflow(service.manager, ['return 1'])
  const hook = await enableWebhook(service.manager, id)
  expect(await refusalsOf(id)).toEqual({ items: [], hours: [], total: 0 })
  const wrong = { 'X-Patchbay-Signature': `sha256=${'0'.repeat(64)}`, 'X-Shop': 'secret-canary-7' }
  for (let count = 0; count < 12; count++)
    expect((await sendRaw(hook.url, Buffer.from('{"canary":"body-canary-7"}'), wrong)).status).toBe(401)
  const signed = await untilCounted(id, 12)
  expect(signed.items).toHaveLength(10)
  expect(signed.items[0]).toEqual({
    dateTimeUTC: expect.stringMatching(/Z$/),
    statusCode: 401,
    reason: expect.stringMatching(/signature/i),
    ipAddress: expect.stringMatching(/^(127\.0\.0\.1|::1|::ffff:127\.0\.0\.1)$/),
    headerNames: expect.arrayContaining(['x-patchbay-signature', 'x-shop']),
  })
  expect(signed.hours).toEqual([
    {
      startDateTimeUTC: expect.stringMatching(/:00:00\.000Z$/),
      statusCode: 401,
      reason: signed.items[0].reason,
      count: 12,
    },
  ])
  expect(JSON.stringify(signed)).not.toContain('canary')
  expect((await refusalsOf(id, { page: 1, size: 7 })).items).toHaveLength(3)

  expect((await hook.send('x'.repeat(5 * 1024 * 1024 + 1))).status).toBe(413)
  const { items: large } = await untilCounted(id, 13)
  expect(large[0]).toMatchObject({ statusCode: 413 })
  await service.manager.post(`/api/WebhookSettingsEnable/${id}`, { ipRestriction: ['203.0.113.7'] })
  expect(
    (
      await eventually(async () => {
        const answer = await hook.send({})
        return answer.status === 403 ? answer : undefined
      })
    ).status,
  ).toBe(403)
  const [refused] = (
    await eventually(async () => {
      const found = await refusalsOf(id)
      return found.items[0].statusCode === 403 ? found : undefined
    })
  ).items
  expect(refused.reason).toBe('The address is not allowed by the ipRestriction of this webhook.')

  const stranger = await createAccount(service, service.manager, 'User')
  expect((await stranger.client.post(`/api/WebhookRefusals/${id}`, {})).status).toBe(404)
})

it('requests that are left in the queue of an archived workflow are counted, and can be run again or removed', async () => {
  const { client } = await createAccount(service, service.manager, 'User')
  const { id } = await deployWorkflow(client, ['return webhook.body'])
  const hook = await enableWebhook(client, id)
  await client.post(`/api/WebhookQueueHold/${id}`)
  const { webhookId } = (await hook.send({ order: 7 })).body
  await client.get(`/api/ArchiveWorkflow/${id}`)
  expect((await client.post('/api/Overview', {})).body.webhooks.queued).toBe(1)

  expect((await client.post('/api/RunWorkflow', { workflowId: id })).status).toBe(400)
  const started = await client.post('/api/RunWorkflow', { workflowId: id, webhookId })
  expect(started.status, started.text).toBe(200)
  const number = Number(started.headers.get('x-run-number'))
  expect((await endOf(client, id, number)).status).toBe('Ready')
  const shown = await client.get(`/api/Workflow/${id}?runNumber=${number}`)
  const [{ uniqueBlockId }] = shown.body.chain
  const result = await client.get(`/api/GetBlockResult/${id}?uniqueBlockId=${uniqueBlockId}&runNumber=${number}`)
  expect(result.body.result).toEqual({ order: 7 })
  expect((await queueOf(client, id)).length).toBe(1)

  expect((await client.post(`/api/WebhookSkip/${webhookId}`)).body).toBe(true)
  expect((await leftQueue(client, id, webhookId)).status).toBe('Skipped')
  expect((await client.post('/api/Overview', {})).body.webhooks.queued).toBe(0)
  expect((await client.post('/api/RunWorkflow', { workflowId: id, webhookId })).status).toBe(400)
})

it('a request that fails again and again is mailed when it first fails and when it is given up, and the recovery when nothing fails', async () => {
  const { client } = await createAccount(service, service.manager, 'User')
  const script = 'if (webhook.body.bad) throw new Error("no stock"); return 1'
  const { id } = await deployWorkflow(client, [script], { name: 'Stock' })
  const hook = await enableWebhook(client, id, { skipProcessingAfterErrors: 3 })
  const subjects = async () => {
    const { body } = await client.post('/api/GetOutbox', { size: 100 })
    return body.items
      .map(({ subject }: { subject: string }) => subject)
      .filter((text: string) => /Stock|gave up/.test(text))
  }
  const good = async () => {
    const { webhookId } = (await hook.send({ bad: false })).body
    expect((await leftQueue(client, id, webhookId)).status).toBe('Done')
  }
  const { webhookId } = (await hook.send({ bad: true })).body
  const failedTimes = (times: number) =>
    eventually(async () => {
      const item = await hasStatus(client, id, webhookId, 'Failed')
      return item.errorCounter === times
    })
  await failedTimes(1)
  await eventually(async () => (await subjects()).length === 1)
  await good()
  expect((await client.post(`/api/WebhookRetry/${webhookId}`)).body).toBe(true)
  await failedTimes(2)
  await good()
  expect((await client.post(`/api/WebhookRetry/${webhookId}`)).body).toBe(true)
  await leftQueue(client, id, webhookId)
  await good()
  await eventually(async () => (await subjects()).length >= 3)
  expect((await subjects()).toSorted()).toEqual([
    'Patchbay gave up on a webhook request',
    'Workflow "Stock" failed',
    'Workflow "Stock" works again',
  ])
})
