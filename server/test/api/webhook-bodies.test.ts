import { randomBytes } from 'node:crypto'
import { connect } from 'node:net'
import { deflateRawSync, deflateSync, gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventually } from '../harness/eventually.ts'
import { joinService } from '../harness/joined-service.ts'
import type { TestService } from '../harness/service.ts'
import { countStored, deployWebhook, sendRaw, signature } from '../harness/webhooks.ts'

const mebibyte = 1024 * 1024

describe('bodies of webhook requests', () => {
  let service: TestService
  beforeAll(async () => {
    service = await joinService()
  })
  afterAll(() => service[Symbol.asyncDispose]())

  const deployed = (settings?: Record<string, unknown>) => deployWebhook(service.manager, settings)
  const stored = (workflowId: string) => countStored(service, workflowId)

  it.each([
    ['a plain body that is too large', () => Buffer.alloc(5 * mebibyte + 1, 97), {}, 413],
    [
      'a packed body that unpacks to too much',
      () => gzipSync(Buffer.alloc(50 * mebibyte)),
      { 'Content-Encoding': 'gzip' },
      413,
    ],
    ['broken gzip', () => Buffer.from('no gzip'), { 'Content-Encoding': 'gzip' }, 400],
    [
      'gzip that was cut short',
      () => gzipSync(randomBytes(1000)).subarray(0, 500),
      { 'Content-Encoding': 'gzip' },
      400,
    ],
    ['broken deflate', () => Buffer.from([0x78, 0x9c, 1, 2, 3]), { 'Content-Encoding': 'deflate' }, 400],
    ['an unknown encoding', () => Buffer.from('{}'), { 'Content-Encoding': 'rot13' }, 400],
    ['two encodings', () => gzipSync(gzipSync('{}')), { 'Content-Encoding': 'gzip, gzip' }, 400],
    ['JSON that is 10,000 deep', () => Buffer.from('['.repeat(10_000) + ']'.repeat(10_000)), {}, 400],
    ['objects that are 1,000 deep', () => Buffer.from(`${'{"a":'.repeat(1000)}1${'}'.repeat(1000)}`), {}, 400],
  ])('refuses %s', async (_name, make, headers, status) => {
    const webhook = await deployed()
    const answer = await webhook.send(make(), headers as Record<string, string>)
    expect(answer.status, answer.text.slice(0, 200)).toBe(status)
    expect(answer.body).toMatchObject({ code: status, response: null })
    expect(await stored(webhook.workflowId)).toBe(0)
  })

  it('takes 5 MiB, and JSON that is 200 deep', async () => {
    const webhook = await deployed({ strictOrderProcessing: true })
    await service.manager.post(`/api/WebhookQueueHold/${webhook.workflowId}`)
    expect((await webhook.send(Buffer.alloc(5 * mebibyte, 97))).status).toBe(200)
    expect((await webhook.send(Buffer.from('['.repeat(200) + ']'.repeat(200)))).status).toBe(200)
  })

  it.each([
    ['gzip', gzipSync],
    ['deflate', deflateSync],
    ['deflate', deflateRawSync],
  ] as const)('unpacks %s, signed before or after packing', async (encoding, pack) => {
    const webhook = await deployed()
    const plain = Buffer.from('{"packed":true}')
    const packed = pack(plain)
    for (const signed of [plain, packed]) {
      const answer = await sendRaw(webhook.url, packed, {
        'Content-Encoding': encoding,
        'X-Patchbay-Signature': signature(webhook.secret, signed),
      })
      expect(answer.status, answer.text).toBe(200)
      const read = await service.manager.get(`/api/GetWebhook/${answer.body.webhookId}`)
      expect(read.body.webhookValue).toEqual({ packed: true })
    }
    const forged = await sendRaw(webhook.url, packed, {
      'Content-Encoding': encoding,
      'X-Patchbay-Signature': signature('another secret', plain),
    })
    expect(forged.status).toBe(401)
  })

  it('refuses a body that is announced too large before it is sent, and keeps the connection in order', async () => {
    const webhook = await deployed()
    const { hostname, port } = new URL(webhook.url)
    const socket = connect(Number(port), hostname)
    let text = ''
    socket.on('data', (chunk) => {
      text += chunk
    })
    socket.write(`POST /webhook/${webhook.workflowId} HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999999\r\n\r\nabc`)
    await eventually(() => text.includes('"code":413'))
    socket.destroy()
    expect((await webhook.send({})).status).toBe(200)
  })

  it('drops a request whose sender went away in the middle', async () => {
    const webhook = await deployed()
    const { hostname, port } = new URL(webhook.url)
    const socket = connect(Number(port), hostname)
    await new Promise<void>((done) =>
      socket.write(
        `POST /webhook/${webhook.workflowId} HTTP/1.1\r\nHost: x\r\nX-Webhook-Secret: ${webhook.secret}\r\nContent-Length: 100\r\n\r\nabc`,
        () => done(),
      ),
    )
    socket.destroy()
    expect((await webhook.send({})).status).toBe(200)
    const [row] = await service.asOwner('select count(*)::int as count from webhook_requests where workflow_id = $1', [
      webhook.workflowId,
    ])
    expect(row?.['count']).toBe(1)
  })
})
