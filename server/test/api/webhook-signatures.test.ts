// Signatures as they arrive at the real address: what is signed of it, the settings that describe a format, and pings that are not signed.
import { createHmac } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startService, type TestService } from '../harness/service.ts'
import { countStored, deployWebhook, sendRaw } from '../harness/webhooks.ts'

const publicUrl = 'https://hooks.example.com/in'
let service: TestService
beforeAll(async () => {
  service = await startService({ env: { PATCHBAY_WEBHOOK_URL: publicUrl } })
})
afterAll(() => service[Symbol.asyncDispose]())

const body = Buffer.from('{"order":1}')
const addressOf = (workflowId: string, query = '') => `${service.baseUrl}/webhook/${workflowId}${query}`

it('{url} and the address that HubSpot signs are the public one, with the query as it came', async () => {
  const { workflowId, secret } = await deployWebhook(service.manager)
  const time = String(Date.now())
  const sign = (address: string) => ({
    'X-HubSpot-Request-Timestamp': time,
    'X-HubSpot-Signature-v3': createHmac('sha256', secret).update(`POST${address}${body}${time}`).digest('base64'),
  })
  const target = addressOf(workflowId, '?from=a%20b')
  const good = await sendRaw(target, body, sign(`${publicUrl}/${workflowId}?from=a%20b`))
  expect(good.status, good.text).toBe(200)
  expect((await sendRaw(target, body, sign(target))).status).toBe(401)
  expect((await sendRaw(target, body, sign(`${publicUrl}/${workflowId}`))).status).toBe(401)
})

it('a format of the settings is accepted, shown, kept by other changes, and taken away with null', async () => {
  const signature = {
    header: 'X-Shop-Proof',
    algorithm: 'sha512',
    encoding: 'base64',
    signedText: '{method}:{url}:{timestamp}:{body}',
    timestampHeader: 'X-Shop-Time',
    idHeader: 'X-Shop-Id',
  }
  const { workflowId, secret } = await deployWebhook(service.manager, {
    signature: { ...signature, algorithm: 'SHA512' },
  })
  const enable = (settings: object) => service.manager.post(`/api/WebhookSettingsEnable/${workflowId}`, settings)
  const shown = async () => (await service.manager.get(`/api/WebhookSettings/${workflowId}`)).body.signature
  await enable({ batchSize: 2 })
  expect(await shown()).toEqual(signature)
  const time = String(Math.floor(Date.now() / 1000))
  const send = (id: string, text = body) => {
    const proof = createHmac('sha512', secret)
      .update(`POST:${publicUrl}/${workflowId}:${time}:${body}`)
      .digest('base64')
    return sendRaw(addressOf(workflowId), text, { 'X-Shop-Proof': proof, 'X-Shop-Time': time, 'X-Shop-Id': id })
  }
  const first = await send('a')
  expect(first.status, first.text).toBe(200)
  expect((await send('a')).body).toEqual(first.body)
  expect((await send('b')).body).not.toEqual(first.body)
  expect((await send('c', Buffer.from('{"order":2}'))).status).toBe(401)
  for (const wrong of [{ ...signature, signedText: '{body}{url' }, { ...signature, encoding: 'utf8' }, { header: 'X' }])
    expect((await enable({ signature: wrong })).status).toBe(400)
  await enable({ signature: null })
  expect(await shown()).toBeNull()
  expect((await send('d')).status).toBe(401)
})

it('the ping of WooCommerce is answered and stored nowhere', async () => {
  const { workflowId } = await deployWebhook(service.manager)
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  expect((await sendRaw(addressOf(workflowId), Buffer.from('webhook_id=7'), headers)).status).toBe(200)
  expect((await sendRaw(addressOf(workflowId), Buffer.from('webhook_id=7&a=b'), headers)).status).toBe(401)
  expect(await countStored(service, workflowId)).toBe(0)
})

it('a repeated event of Stripe is known by its signed id, whatever headers say', async () => {
  const { workflowId, secret } = await deployWebhook(service.manager)
  const event = Buffer.from('{"id":"evt_1","type":"charge.succeeded"}')
  const send = (offset: number, key: string) => {
    const time = Math.floor(Date.now() / 1000) + offset
    const proof = createHmac('sha256', secret).update(`${time}.${event}`).digest('hex')
    return sendRaw(addressOf(workflowId), event, {
      'stripe-signature': `t=${time},v1=${proof}`,
      'idempotency-key': key,
    })
  }
  const first = await send(0, 'one')
  expect(first.status).toBe(200)
  expect((await send(-30, 'two')).body).toEqual(first.body)
})
