import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAccount } from '../harness/accounts.ts'
import { eventually } from '../harness/eventually.ts'
import { startService, type TestService } from '../harness/service.ts'
import { type PeerTls, startSmtpPeer } from '../harness/smtp-peer.ts'
import { createSelfSigned } from '../outbound/self-signed.ts'

const smtpId = 'd58d931d-8622-50f6-925e-265e3c224e69'
const modes: PeerTls['mode'][] = ['implicit', 'starttls']

let service: TestService
beforeAll(async () => {
  service = await startService({ role: 'api' })
})
afterAll(() => service[Symbol.asyncDispose]())

async function mail(subject: string): Promise<void> {
  const answer = await service.manager.post('/api/ApiProxyEmail', { to: ['ada@example.com'], subject, body: 'Hello' })
  expect([answer.status, answer.body], answer.text).toEqual([200, { Success: true }])
}

async function outboxEntry(subject: string) {
  const { body } = await service.manager.post('/api/GetOutbox', { page: 0, size: 50 })
  return body.items.find((item: { subject: string }) => item.subject === subject)
}

describe.each(modes)('a mail server with a certificate of its own making (%s TLS)', (mode) => {
  it('takes the mails of the service under TLS where the operator allows it', async () => {
    await using peer = await startSmtpPeer(undefined, { mode, ...createSelfSigned() })
    const subject = `allowed ${mode}`
    await mail(subject)
    const env = { PATCHBAY_SMTP_URL: `${peer.url}?tls.rejectUnauthorized=false` }
    await using _worker = await service.startAnother(env, 'worker')
    const received = await eventually(() => peer.received.find(({ source }) => source.includes(subject)))
    expect(received).toMatchObject({ to: ['ada@example.com'], isSecure: true })
    await eventually(async () => (await outboxEntry(subject)).status === 'Sent')
  })

  it('gets none otherwise, and the outbox says why and what to do', async () => {
    await using peer = await startSmtpPeer(undefined, { mode, ...createSelfSigned() })
    const subject = `not trusted ${mode}`
    await mail(subject)
    await using _worker = await service.startAnother({ PATCHBAY_SMTP_URL: peer.url }, 'worker')
    const entry = await eventually(async () => {
      const found = await outboxEntry(subject)
      return found.errorMessage === null ? undefined : found
    })
    expect(entry).toMatchObject({ status: 'Queued', attempts: 1 })
    expect(entry.errorMessage).toMatch(/no TLS that can be trusted: .*certificate.*tls\.rejectUnauthorized=false/)
    expect(peer.received).toEqual([])
  })

  it('takes the mails of an account that allows it in its registered application', async () => {
    await using peer = await startSmtpPeer(undefined, { mode, ...createSelfSigned() })
    const credentialsJson = JSON.stringify({
      host: '127.0.0.1',
      port: Number(new URL(peer.url).port),
      from: 'orders@shop.example',
      secure: mode === 'implicit',
      acceptAnyCertificate: true,
    })
    const { client } = await createAccount(service, service.manager, 'User')
    const made = await client.post('/api/RegApplication', { applicationId: smtpId, credentialsJson })
    expect(made.status, made.text).toBe(200)
    const jsonData = { to: ['ada@example.com'], subject: 'Hello', body: 'Hi' }
    const sent = await client.post('/api/ApiPost?url=SMTP/send', { jsonData })
    expect(sent, sent.text).toMatchObject({ status: 200, body: { Success: true } })
    expect(peer.received).toMatchObject([{ from: 'orders@shop.example', isSecure: true }])
  })
})
