import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startService, type TestService } from '../harness/service.ts'
import { enableWebhook, type SampleWebhook, sendRaw, signature } from '../harness/webhooks.ts'
import { deployWorkflow } from '../harness/workflows.ts'
import { hmac, sampleFormats } from '../webhooks-verify/sign.ts'

describe('a webhook request that comes again', () => {
  let service: TestService
  beforeAll(async () => {
    service = await startService()
  })
  afterAll(() => service[Symbol.asyncDispose]())

  const deployed = async (settings: Record<string, unknown> = {}): Promise<SampleWebhook> => {
    const { id } = await deployWorkflow(service.manager, ['return webhook'])
    return enableWebhook(service.manager, id, settings)
  }
  const stored = async (workflowId: string) => {
    const [row] = await service.asOwner('select count(*)::int as count from webhook_requests where workflow_id = $1', [
      workflowId,
    ])
    return row?.['count']
  }

  it('is stored once, whatever marks it', async () => {
    for (const header of ['webhook-id', 'X-GitHub-Delivery', 'X-Shopify-Webhook-Id', 'Idempotency-Key']) {
      const webhook = await deployed()
      const send = (id: string, body: unknown = { a: 1 }) => webhook.send(body, { [header]: id })
      const first = await send('delivery 1')
      const answers = await Promise.all(Array.from({ length: 50 }, (_, index) => send('delivery 1', { again: index })))
      expect(new Set(answers.map((answer) => `${answer.status} ${answer.text}`))).toEqual(
        new Set([`200 ${first.text}`]),
      )
      expect((await send('delivery 2')).body.webhookId).not.toBe(first.body.webhookId)
      const other = await deployed()
      expect((await other.send({}, { [header]: 'delivery 1' })).body.webhookId).not.toBe(first.body.webhookId)
      expect(await stored(webhook.workflowId)).toBe(2)
    }
  })

  it('is one item of a thousand that all arrive at once, at two processes', async () => {
    await using other = await service.startAnother()
    const webhook = await deployed()
    const bytes = Buffer.from('{}')
    const headers = { 'X-Patchbay-Signature': signature(webhook.secret, bytes), 'Idempotency-Key': 'the only one' }
    const answers = await Promise.all(
      Array.from({ length: 1000 }, (_, index) =>
        sendRaw(`${index % 2 === 0 ? service.baseUrl : other.baseUrl}/webhook/${webhook.workflowId}`, bytes, headers),
      ),
    )
    expect(new Set(answers.map((answer) => answer.text)).size).toBe(1)
    expect(answers.every((answer) => answer.status === 200)).toBe(true)
    expect(await stored(webhook.workflowId)).toBe(1)
  })

  it('is taken as new after seven days', async () => {
    const webhook = await deployed()
    const first = await webhook.send({}, { 'Idempotency-Key': 'weekly' })
    const age = (days: number) =>
      service.asOwner(
        `update webhook_deliveries set created_at = now() - $2 * interval '1 day' where workflow_id = $1`,
        [webhook.workflowId, days],
      )
    await age(6.99)
    expect((await webhook.send({}, { 'Idempotency-Key': 'weekly' })).body).toEqual(first.body)
    await age(7.01)
    const second = await webhook.send({}, { 'Idempotency-Key': 'weekly' })
    expect(second.body.webhookId).not.toBe(first.body.webhookId)
    expect((await webhook.send({}, { 'Idempotency-Key': 'weekly' })).body).toEqual(second.body)
  })

  it.each(['Standard Webhooks', 'Stripe', 'Slack'])(
    'with the same %s signature is the same delivery, because that signature covers its time',
    async (name) => {
      const secret = `whsec_${randomBytes(32).toString('base64')}`
      const webhook = await deployed({ secret })
      const sign = sampleFormats.find((format) => format.name === name)!.sign
      const bytes = Buffer.from('{"a":1}')
      const seconds = Math.floor(Date.now() / 1000)
      const headers = sign({ secret, body: bytes, time: String(seconds), id: 'msg_1' })
      const first = await sendRaw(webhook.url, bytes, headers)
      expect(first.status, first.text).toBe(200)
      expect((await sendRaw(webhook.url, bytes, headers)).body).toEqual(first.body)
      const later = sign({ secret, body: bytes, time: String(seconds - 1), id: 'msg_2' })
      expect((await sendRaw(webhook.url, bytes, later)).body.webhookId).not.toBe(first.body.webhookId)
      expect(await stored(webhook.workflowId)).toBe(2)
    },
  )

  it('cannot show a signature that covers a time as one that covers a body', async () => {
    const secret = `a pass phrase ${randomBytes(16).toString('hex')}`
    const webhook = await deployed({ secret })
    const time = String(Math.floor(Date.now() / 1000))
    for (const prefix of [`${time}.`, `v0:${time}:`, `msg_1.${time}.`]) {
      const caught = Buffer.from(`${prefix}{"a":1}`)
      const mac = hmac(Buffer.from(secret), caught)
      for (const headers of [
        { 'X-Hub-Signature-256': `sha256=${mac.toString('hex')}` },
        { 'X-Patchbay-Signature': `sha256=${mac.toString('hex')}` },
        { 'X-Shopify-Hmac-Sha256': mac.toString('base64') },
        { 'X-WC-Webhook-Signature': mac.toString('base64') },
      ]) {
        const answer = await sendRaw(webhook.url, caught, headers as unknown as Record<string, string>)
        expect([answer.status, Object.keys(headers), prefix]).toEqual([401, Object.keys(headers), prefix])
      }
    }
    expect(await stored(webhook.workflowId)).toBe(0)
    for (const text of ['12.5', '"1700000000."', 'v0', 'version 1.2.3'])
      expect((await webhook.send(text)).status, text).toBe(200)
  })
})
