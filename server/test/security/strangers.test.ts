// What strangers without keys can do to those who have them: nothing that is felt.
import { connect, type Socket } from 'node:net'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { eventually } from '../harness/eventually.ts'
import { startService, type TestService } from '../harness/service.ts'

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
