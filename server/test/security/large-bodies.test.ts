// Large JSON bodies of one account: they keep the event loop from nobody, and their bytes come out of the account's own share.
import { connect, type Socket } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { createAccount, createOrganization } from '../harness/accounts.ts'
import type { Client } from '../harness/client.ts'
import { eventually } from '../harness/eventually.ts'
import { loopDelayDuring, prepareRequest } from '../harness/loop-delay.ts'
import { useProxySample } from '../harness/proxy-sample.ts'
import { startService } from '../harness/service.ts'
import { startSmtpSink } from '../harness/smtp-sink.ts'
import { deployWorkflow } from '../harness/workflows.ts'

const sample = useProxySample()
/** Far more than a quiet machine takes, and far less than what these bodies take in one go. */
const delayMsMax = 400
/** One turn of the event loop may be longer: what a machine computes in a given time differs by half. In one go, a large mail would take far more. */
const turnMsMax = 1000
const MiB = 1024 * 1024
const wide = `[${'{},'.repeat(2_500_000)}{}]`

function keysOf({ keys }: Client): Record<string, string> {
  return { Consumer: keys?.consumer ?? '', SecretKey: keys?.secretKey ?? '' }
}

/** Sends bytes that are there already, so that only the service is measured. */
async function post(path: string, body: Buffer) {
  const headers = { ...keysOf(sample.user), 'Content-Type': 'application/json' }
  return loopDelayDuring(await prepareRequest(`${sample.service.baseUrl}${path}`, { method: 'POST', headers, body }))
}

describe('a body of millions of values', () => {
  it.each([
    ['/api/ApiPost?url=http/x', `{"jsonData":${wide}}`],
    ['/api/ApiSend/HTTP', `{"verb":"POST", "data" : ${wide} ,"requestUrl":"x"}`],
  ])('goes through %s to its target as it is', async (path, text) => {
    await sample.register()
    sample.target.answer = () => ({ json: 'taken' })
    const { result, maxMs } = await post(path, Buffer.from(text))
    expect(result.status).toBe(200)
    const [received] = sample.target.received
    expect([received?.headers['content-type'], received?.body.equals(Buffer.from(wide))]).toEqual([
      'application/json',
      true,
    ])
    expect(maxMs).toBeLessThan(delayMsMax)
  })

  it('is refused with a sentence where it would have to be parsed', async () => {
    const body = Buffer.from(`{"script":"return 1","webhook":${wide}}`)
    const { result, maxMs } = await post('/api/TestBlock', body)
    expect(result.status).toBe(400)
    expect(maxMs).toBeLessThan(delayMsMax)
    const answer = await sample.user.post('/api/TestBlock', { script: 'return 1', webhook: Array(200_001).fill(0) })
    expect(answer.body.errorMessage).toBe('The body holds more than 200000 values. Send it in parts.')
    const form = { verb: 'POST', requestUrl: 'x', headers: { 'Content-Type': 'application/x-www-form-urlencoded' } }
    await sample.register()
    const sent = await sample.send({ ...form, data: Array(200_001).fill(0) })
    expect([sent.status, sent.body.errorMessage]).toEqual([400, expect.stringContaining('as JSON only')])
  })

  it.each([
    ['not JSON', `{"script":"return 1",${' '.repeat(300_000)}}`, 'not valid JSON'],
    ['half of a character', `{"script":"return 1","webhook":"${'x'.repeat(300_000)}\\ud800"}`, 'unpaired surrogate'],
    ['too deep', `{"script":"return 1","webhook":${'['.repeat(200_000)}${']'.repeat(200_000)}}`, 'levels deep'],
  ])('is refused when it is %s', async (_what, text, sentence) => {
    const answer = await fetch(`${sample.service.baseUrl}/api/TestBlock`, {
      method: 'POST',
      headers: { ...keysOf(sample.user), 'Content-Type': 'application/json' },
      body: text,
    })
    expect([answer.status, await answer.text()]).toEqual([400, expect.stringContaining(sentence)])
  })

  it('is refused by a webhook without being parsed when it is nested too deep', async () => {
    const { id } = await deployWorkflow(sample.user, ['return 1'])
    const { body: webhook } = await sample.user.post(`/api/WebhookSettingsEnable/${id}`, {})
    const headers = { 'X-Webhook-Secret': webhook.secret, 'Content-Type': 'application/json' }
    const body = Buffer.from(`${'['.repeat(250)}${'{},'.repeat(1_600_000)}{}${']'.repeat(250)}`)
    const { result, maxMs } = await loopDelayDuring(
      await prepareRequest(`${sample.service.baseUrl}/webhook/${id}`, { method: 'POST', headers, body }),
    )
    expect(result.status).toBe(400)
    expect(maxMs).toBeLessThan(turnMsMax)
  })

  it('is read whole when it is large and has few values', async () => {
    await sample.register()
    const bytes = Buffer.alloc(30 * MiB, 'p')
    const body = { verb: 'POST', requestUrl: 'x', data: { $base64: bytes.toString('base64') } }
    sample.target.answer = () => ({ json: 1 })
    expect((await sample.send(body)).status).toBe(200)
    expect(sample.target.received[0]?.body.equals(bytes)).toBe(true)
    const paired = await sample.user.post('/api/TestBlock', {
      script: 'return webhook.length',
      webhook: '\u{1f600}'.repeat(100_000),
    })
    expect(paired.body).toMatchObject({ success: true, result: 200_000 })
  })
})

it('a mail with a large attachment is checked and stored without keeping others waiting', async () => {
  const attachment = Buffer.alloc(20 * MiB, 7).toString('base64')
  const mail = { subject: 'Report', to: ['anna@example.com'], body: 'See below.', attachment, attachmentName: 'a.bin' }
  const { result, p99Ms, maxMs } = await post('/api/ApiProxyEmail', Buffer.from(JSON.stringify(mail)))
  expect(result.status).toBe(200)
  expect(p99Ms).toBeLessThan(delayMsMax)
  expect(maxMs).toBeLessThan(turnMsMax)
  const broken = { ...mail, attachment: `${attachment}*` }
  expect((await sample.user.post('/api/ApiProxyEmail', broken)).body).toEqual({
    Error: 'The field attachment is not valid base64.',
  })
})

it('a mail with a large attachment is sent without keeping others waiting', async () => {
  await using sink = await startSmtpSink()
  await using service = await startService({ env: { PATCHBAY_SMTP_URL: sink.url } })
  const attachment = Buffer.alloc(20 * MiB, 7).toString('base64')
  const mail = JSON.stringify({ subject: 'Report', to: ['anna@example.com'], body: 'See below.', attachment })
  const headers = { ...keysOf(service.manager), 'Content-Type': 'application/json' }
  const send = await prepareRequest(`${service.baseUrl}/api/ApiProxyEmail`, { method: 'POST', headers, body: mail })
  const arrived = sink.nextMail()
  const { result, p99Ms, maxMs } = await loopDelayDuring(async () => [(await send()).status, await arrived] as const)
  expect(result).toEqual([200, expect.any(Number)])
  expect(result[1]).toBeGreaterThan(attachment.length)
  expect(p99Ms).toBeLessThan(delayMsMax)
  expect(maxMs).toBeLessThan(turnMsMax)
})

describe('bytes of bodies that arrive', () => {
  const sockets: Socket[] = []
  afterEach(() => {
    for (const socket of sockets.splice(0)) socket.destroy()
  })
  /** Announces a body and sends little of it. Resolves with the status of a refusal. */
  function announce(client: Client, bytes: number): Promise<string> {
    const { port } = new URL(sample.service.baseUrl)
    const head = Object.entries({
      Host: 'x',
      ...keysOf(client),
      'Content-Type': 'application/json',
      'Content-Length': bytes,
    })
    const lines = head.map(([name, value]) => `${name}: ${value}\r\n`).join('')
    const socket = connect(Number(port), '127.0.0.1')
    sockets.push(socket)
    socket.on('error', () => {})
    socket.write(`POST /api/ApiPost?url=http/x HTTP/1.1\r\n${lines}\r\n{"jsonData":`)
    return new Promise((resolve) => socket.once('data', (chunk) => resolve(chunk.toString().slice(9, 12))))
  }

  it('are shared by account and organization, and given back', async () => {
    const { manager } = await createOrganization(sample.service)
    const [one, other] = [
      await createAccount(sample.service, manager, 'User'),
      await createAccount(sample.service, manager, 'User'),
    ]
    const large = 40 * MiB
    for (let index = 0; index < 2; index++) void announce(one.client, large)
    // Whether the first two have arrived is seen by the first that is refused.
    await eventually(async () => (await Promise.race([announce(one.client, large), soon()])) === '429')
    for (let index = 0; index < 2; index++) void announce(other.client, large)
    await eventually(async () => (await Promise.race([announce(manager, large), soon()])) === '429')
    const small = await one.client.post('/api/TestBlock', { script: 'return 1' })
    const stranger = await sample.user.post('/api/TestBlock', {
      script: 'return webhook.length',
      webhook: 'x'.repeat(MiB),
    })
    expect([small.status, stranger.status]).toEqual([200, 200])
    for (const socket of sockets.splice(0)) socket.destroy()
    await eventually(
      async () =>
        (await one.client.post('/api/TestBlock', { script: 'return 1', webhook: 'x'.repeat(7 * MiB) })).status === 200,
    )
  })
})

function soon(): Promise<string> {
  return new Promise((resolve) => setTimeout(resolve, 300, 'taken'))
}
