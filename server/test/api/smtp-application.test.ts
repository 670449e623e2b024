import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { SMTPServer } from 'smtp-server'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createAccount } from '../harness/accounts.ts'
import type { Client } from '../harness/client.ts'
import { joinService } from '../harness/joined-service.ts'
import type { TestService } from '../harness/service.ts'
import { type ReceivedMail, startSmtpPeer } from '../harness/smtp-peer.ts'
import { blockResult, deployWorkflow, runToEnd } from '../harness/workflows.ts'
import { createSelfSigned } from '../outbound/self-signed.ts'

const smtpId = 'd58d931d-8622-50f6-925e-265e3c224e69'
const sendMailTemplate = '9eb2bcfd-fe42-5b34-bf05-c7c5e8334191'
const mail = { to: ['ada@example.com'], subject: 'Hello', body: 'Hi there' }

describe('an account sends through its own mail server', () => {
  let service: TestService
  let user: Client
  let email: string

  beforeAll(async () => {
    service = await joinService()
  })
  afterAll(() => service[Symbol.asyncDispose]())
  beforeEach(async () => {
    const made = await createAccount(service, service.manager, 'User')
    user = made.client
    email = made.email
  })

  async function register(port: number, more: Record<string, unknown> = {}): Promise<string> {
    const credentialsJson = JSON.stringify({ host: '127.0.0.1', port, from: 'Orders <orders@shop.example>', ...more })
    const made = await user.post('/api/RegApplication', { applicationId: smtpId, credentialsJson })
    expect(made.status, made.text).toBe(200)
    return made.body
  }
  const portOf = (peer: { url: string }) => Number(new URL(peer.url).port)
  const send = (jsonData: unknown) => user.post('/api/ApiPost?url=SMTP/send', { jsonData })

  it('every field of ApiProxyEmail arrives, from the sender of the registered application', async () => {
    await using peer = await startSmtpPeer()
    await register(portOf(peer))
    const sent = await send({
      ...mail,
      cc: ['bob@example.com'],
      bcc: ['eve@example.com'],
      toAccountEmail: true,
      bodyIsHtml: true,
      body: '<p>12 orders</p>',
      attachment: Buffer.from('a;b').toString('base64'),
      attachmentName: 'orders.csv',
      attachmentContentType: 'text/csv',
    })
    expect(sent).toMatchObject({ status: 200, body: { Success: true, rejected: [] } })
    const [received] = peer.received as [ReceivedMail]
    expect(received.from).toBe('orders@shop.example')
    expect(received.to.toSorted()).toEqual(['ada@example.com', 'bob@example.com', 'eve@example.com', email].toSorted())
    expect(received.source).toMatch(/^From: Orders <orders@shop\.example>/m)
    expect(received.source).toMatch(/^Content-Type: text\/html/m)
    expect(received.source).toContain('filename=orders.csv')
    expect(received.source).not.toContain('eve@example.com')
  })

  it('a call that is repeated with its key carries the same Message-ID', async () => {
    await using peer = await startSmtpPeer()
    await register(portOf(peer))
    const again = user.with({ 'Idempotency-Key': 'order-7' })
    await again.post('/api/ApiPost?url=SMTP/send', { jsonData: mail })
    await again.post('/api/ApiPost?url=SMTP/send', { jsonData: mail })
    const ids = peer.received.map(({ source }) => /^Message-ID: (.*)$/m.exec(source)?.[1])
    expect(ids[0]).toMatch(/^<[0-9a-f]{40}@patchbay>/)
    expect(ids[1]).toBe(ids[0])
  })

  it.each([
    [{ ...mail, subject: 'a\r\nBcc: eve@example.com' }, /subject/],
    [{ ...mail, to: ['no address'] }, /to/],
    [{ ...mail, to: [] }, /The field to is required/],
    [{ ...mail, sender: 'x' }, /sender/],
    [null, /body|JSON|subject/],
    [{ ...mail, attachment: '%%' }, /attachment/],
  ])('refuses what the mail endpoint would refuse (%j)', async (body, words) => {
    await using peer = await startSmtpPeer()
    await register(portOf(peer))
    const refused = await send(body)
    expect(refused.status).toBe(400)
    expect(refused.body.errorMessage).toMatch(words)
    expect(peer.received).toEqual([])
  })

  it('knows one endpoint', async () => {
    await using peer = await startSmtpPeer()
    await register(portOf(peer))
    const other = await user.post('/api/ApiPost?url=SMTP/other', { jsonData: mail })
    expect(other).toMatchObject({ status: 400, body: { response: { statusCode: 404 } } })
    expect(await user.get('/api/ApiGet?url=SMTP/send')).toMatchObject({
      status: 400,
      body: { response: { statusCode: 405 } },
    })
  })

  it.each(['nobody', 'a@shop.example\r\nBcc: eve@example.com', '<>'])('refuses %j as its sender', async (from) => {
    await using peer = await startSmtpPeer()
    await register(portOf(peer), { from })
    expect((await send(mail)).body.errorMessage).toContain('The field from of the mail server must be an address')
    expect(peer.received).toEqual([])
  })

  it('tells in words what the server refuses, and which recipients it refuses among several', async () => {
    await using peer = await startSmtpPeer((to) => to.startsWith('gone'))
    await register(portOf(peer))
    const all = await send({ ...mail, to: ['gone@example.com'] })
    expect(all).toMatchObject({ status: 400, body: { response: { statusCode: 422 } } })
    expect(all.body.errorMessage).toContain('no such mailbox')
    const some = await send({ ...mail, to: ['gone@example.com', 'ada@example.com'] })
    expect(some).toMatchObject({ status: 200, body: { Success: true, rejected: ['gone@example.com'] } })
  })

  it('signs in; a wrong password faults the connection and is in no answer and no log', async () => {
    const attempts: string[] = []
    const server = new SMTPServer({
      disabledCommands: ['STARTTLS'],
      allowInsecureAuth: true,
      onAuth: ({ username, password }, _session, done) => {
        attempts.push(`${username}:${password}`)
        if (password === 'right-canary') done(null, { user: username })
        else done(new Error('Authentication failed'))
      },
      onData: (stream, _session, done) => stream.on('end', done).resume(),
    })
    server.listen(0, '127.0.0.1')
    await once(server.server, 'listening')
    try {
      const { port } = server.server.address() as AddressInfo
      const id = await register(port, { username: 'ada', password: 'wrong-canary' })
      const refused = await send(mail)
      expect(refused).toMatchObject({ status: 400, body: { response: { statusCode: 401 } } })
      expect(refused.body.errorMessage).toContain('does not accept the user name or password')
      expect((await user.get('/api/RegApplications')).body[0].isFaulted).toBe(true)
      const credentialsJson = JSON.stringify({
        host: '127.0.0.1',
        port,
        from: 'a@shop.example',
        username: 'ada',
        password: 'right-canary',
      })
      expect((await user.post(`/api/RegApplication/${id}`, { credentialsJson })).status).toBe(200)
      expect((await send(mail)).status).toBe(200)
      expect((await user.get('/api/RegApplications')).body[0].isFaulted).toBe(false)
      expect(attempts).toContain('ada:right-canary')
      expect(refused.text + service.logText()).not.toMatch(/(wrong|right)-canary/)
    } finally {
      await new Promise<void>((done) => server.close(() => done()))
    }
  })

  it('a mail server that is away, or breaks off, is told as unreachable', async () => {
    const deaf = createServer((socket) => socket.end())
    deaf.listen(0, '127.0.0.1')
    await once(deaf, 'listening')
    const { port } = deaf.address() as AddressInfo
    await register(port)
    expect((await send(mail)).body.errorMessage).toMatch(/closed the connection/)
    deaf.close()
    await once(deaf, 'close')
    expect((await send(mail)).body.errorMessage).toMatch(/could not be reached/)
  })

  it.each([false, true])(
    'a certificate that nobody vouches for gets neither password nor mail (secure: %j)',
    async (secure) => {
      const seen: string[] = []
      const server = new SMTPServer({
        secure,
        ...createSelfSigned(),
        onAuth: ({ username }, _session, done) => {
          seen.push(username ?? '')
          done(null, { user: username ?? '' })
        },
      })
      // The client breaks off in the middle of the handshake.
      server.on('error', () => {})
      server.listen(0, '127.0.0.1')
      await once(server.server, 'listening')
      try {
        const { port } = server.server.address() as AddressInfo
        await register(port, { secure, username: 'ada', password: 'tls-canary' })
        const refused = await send(mail)
        expect(refused.status).toBe(400)
        expect(refused.body.errorMessage).toContain('offers no TLS that can be trusted')
        expect(seen).toEqual([])
      } finally {
        await new Promise<void>((done) => server.close(() => done()))
      }
    },
  )

  it('the guard judges mail servers as it judges every address', async () => {
    await using guarded = await service.startAnother({ PATCHBAY_EGRESS_ALLOW: '' }, 'api')
    await using peer = await startSmtpPeer()
    await register(portOf(peer))
    const refused = await guarded.client(user.keys).post('/api/ApiPost?url=SMTP/send', { jsonData: mail })
    expect(refused.status).toBe(400)
    expect(refused.body.errorMessage).toContain('could not be reached')
    expect(peer.received).toEqual([])
  })

  it('the block template sends a mail from a workflow', async () => {
    await using peer = await startSmtpPeer()
    const id = await register(portOf(peer))
    const workflow = await deployWorkflow(
      user,
      [
        { script: "return { name: '<Ada>' }" },
        {
          blockTemplateId: sendMailTemplate,
          variables: {
            to: { variableSource: 'Value', value: 'ada@example.com, bob@example.com' },
            subject: { variableSource: 'Value', value: 'For {{name}}' },
            body: { variableSource: 'Value', value: '<b>{{name}}</b>' },
            bodyIsHtml: { variableSource: 'Value', value: true },
          },
        },
      ],
      { applications: { SMTP: id } },
    )
    await runToEnd(user, workflow.id)
    expect((await blockResult(user, workflow, 2)).body.result).toMatchObject({ Success: true })
    expect(peer.received).toMatchObject([{ to: ['ada@example.com', 'bob@example.com'] }])
    expect(peer.received[0]?.source).toContain('<b>&lt;Ada&gt;</b>')
  })
})
