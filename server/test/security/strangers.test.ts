// What strangers without keys can do to those who have them: nothing that is felt.
import { connect, type Socket } from 'node:net'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { eventually } from '../harness/eventually.ts'
import { startService, type TestService } from '../harness/service.ts'
import { enableWebhook } from '../harness/webhooks.ts'
import { deployWorkflow } from '../harness/workflows.ts'

let service: TestService
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service[Symbol.asyncDispose]())

const sockets: Socket[] = []
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy()
})

/** A connection that sends and never reads. */
function sendUnread(text: string): Socket {
  const socket = connect(Number(new URL(service.baseUrl).port), '127.0.0.1')
  socket.on('error', () => {})
  socket.pause()
  socket.write(text)
  sockets.push(socket)
  return socket
}

const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`

describe('answers that nobody reads', () => {
  it('2,200 pipelined requests on two sockets cost no keyed request its answer, and little memory', async () => {
    await service.client(undefined).get('/openapi.json')
    const before = process.memoryUsage().rss
    for (let index = 0; index < 2; index++) sendUnread(get('/openapi.json').repeat(1100))
    const honest = await Promise.all(Array.from({ length: 200 }, () => service.manager.get('/api/Authenticate')))
    expect(new Set(honest.map(({ status }) => status))).toEqual(new Set([200]))
    expect(process.memoryUsage().rss - before).toBeLessThan(200 * 1024 * 1024)
  })
  it('no connection has more than a few requests waiting: one that sends more is closed', async () => {
    const socket = sendUnread(get('/reference').repeat(1100))
    const closed = new Promise<void>((done) => socket.on('close', () => done()))
    socket.resume()
    await closed
  })
  it('connections that were cut hold nothing: hundreds of them later strangers are still answered', async () => {
    for (let index = 0; index < 300; index++) sendUnread(get('/openapi.json').repeat(40))
    await eventually(async () => (await service.client(undefined).get('/openapi.json')).status === 200)
  })
  it('an address without keys has its share of places, those with keys have theirs', async () => {
    // 30 requests are few enough for a connection. What its buffers do not take of the answers stays, and adds up.
    await eventually(async () => {
      sendUnread(get('/openapi.json').repeat(30))
      return /"route":"\/openapi.json","status":429/.test(service.logText())
    })
    const honest = await Promise.all(Array.from({ length: 50 }, () => service.manager.get('/api/Authenticate')))
    expect(new Set(honest.map(({ status }) => status))).toEqual(new Set([200]))
    for (const socket of sockets.splice(0)) socket.destroy()
    await eventually(async () => (await service.client(undefined).get('/openapi.json')).status === 200)
  })
})

describe('fixed answers', () => {
  it.each(['/openapi.json', '/reference', '/api/GetMetaData'])(
    '%s is not sent again to a client that has it',
    async (path) => {
      const first = await service.manager.get(path)
      const etag = first.headers.get('etag') ?? ''
      expect([first.status, etag]).toEqual([200, expect.stringMatching(/^"[\w-]+"$/)])
      for (const known of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
        const second = await service.manager.with({ 'If-None-Match': known }).get(path)
        expect([second.status, second.headers.get('etag')]).toEqual([304, etag])
      }
      expect((await service.manager.with({ 'If-None-Match': '"other"' }).get(path)).status).toBe(200)
    },
  )
})

describe('bodies that do not end', () => {
  const webhookOf = async () => {
    const { id } = await deployWorkflow(service.manager, ['return 1'])
    const webhook = await enableWebhook(service.manager, id)
    await service.manager.post(`/api/WebhookQueueHold/${id}`)
    return webhook
  }

  it('of one webhook keep out nobody else, and end by themselves; so do forms', async () => {
    const [attacked, honest] = await Promise.all([webhookOf(), webhookOf()])
    const head = `POST ${new URL(attacked.url).pathname} HTTP/1.1\r\nHost: x\r\nContent-Length: 5000000\r\n\r\n`
    const answers: string[] = []
    for (let index = 0; index < 20; index++) {
      const socket = sendUnread(head)
      socket.write(Buffer.alloc(4_900_000))
      socket.on('data', (chunk) => void answers.push(String(chunk).slice(9, 12)))
      socket.resume()
    }
    const form = sendUnread(
      'POST /set-password HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 50\r\n\r\nemail=',
    )
    const formClosed = new Promise<void>((done) => form.on('close', () => done()).resume())
    // Three fit into the share of the webhook; the others are refused at once.
    await eventually(() => answers.length >= 17)
    expect(new Set(answers)).toEqual(new Set(['429']))
    expect((await honest.send(Buffer.alloc(1_000_000, 97))).status).toBe(200)
    expect((await attacked.send({ small: true })).status).toBe(200)
    // Those that are silent for too long are told so, and make room.
    await eventually(() => answers.length === 20)
    expect(answers.filter((status) => status === '400')).toHaveLength(3)
    expect((await attacked.send(Buffer.alloc(1_000_000, 97))).status).toBe(200)
    await formClosed
  })
})

describe('what strangers say', () => {
  it('is not remembered: long and unknown Consumer values cost no memory', async () => {
    const { KeyAuthenticator } = await import('../../src/keys/index.ts')
    let asked = 0
    const database = { system: { query: async () => ({ rows: [], rowCount: asked++ }) } }
    await using keys = new KeyAuthenticator(database as never, Buffer.alloc(32), () => {})
    const refused = async (consumer: string) => {
      await expect(async () => keys.authenticate(consumer, 'secret', '192.0.2.1')).rejects.toThrow('not valid')
    }
    for (const consumer of ['x'.repeat(65), 'x'.repeat(15_000), 'with space', 'pbc_\0', 'ünknown'])
      await refused(consumer)
    expect(asked).toBe(0)
    await refused('pbc_unknownButWellFormed')
    expect(asked).toBe(1)
  })
  it.each(['/signin', '/set-password', '/activate', '/forgot-password', '/reconnect', '/oauth/take-back'])(
    'in a form of %s counts only when it comes from our own page',
    async (path) => {
      for (const headers of [
        { Origin: 'https://evil.example' },
        { 'Sec-Fetch-Site': 'cross-site' },
        { Origin: 'null' },
      ]) {
        const type = { 'Content-Type': 'application/x-www-form-urlencoded' }
        const answer = await service.client(undefined).send('POST', path, 'token=x', { ...type, ...headers })
        expect(answer.status).toBe(403)
      }
    },
  )
})
