// The limits of answers that are made and not read, on a plain server: which connections go, and that nothing is held for them afterwards.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { OpenAnswers } from '../../src/http/admission/open-answers.ts'
import { eventually } from '../harness/eventually.ts'

const cleanUps: (() => void)[] = []
afterEach(() => {
  for (const cleanUp of cleanUps.splice(0)) cleanUp()
})

/** More than the buffers of a connection take. */
const large = Buffer.alloc(16 * 1024 * 1024, 'x')

async function serve(answers: OpenAnswers, answer: (request: IncomingMessage, response: ServerResponse) => void) {
  const server = createServer((request, response) => {
    if (answers.open(request, response)) answer(request, response)
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  cleanUps.push(() => {
    answers[Symbol.dispose]()
    server.closeAllConnections()
    server.close()
  })
  return (path: string): Socket & { isClosed(): boolean } => {
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
    let isClosed = false
    socket.on('error', () => {})
    socket.on('close', () => {
      isClosed = true
    })
    socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`)
    cleanUps.push(() => socket.destroy())
    return Object.assign(socket, { isClosed: () => isClosed })
  }
}

describe('unread answers', () => {
  it('are given up after a time, and what waits for them is told', async () => {
    let ended = 0
    const ask = await serve(
      new OpenAnswers({ takeMsMax: 50, bytesPerMsMin: 1e9, sweepMs: 10 }),
      (_request, response) => {
        response.end(large)
      },
    )
    const socket = ask('/')
    await new Promise<void>((done) => socket.once('readable', done))
    // A client that reads nothing more does not learn of the end either; one that reads comes to it.
    await eventually(() => {
      ended += socket.read()?.length ?? 0
      return socket.isClosed()
    })
    expect(ended).toBeLessThan(large.length)
  })
  it('are not given up while the service itself is still at work', async () => {
    let finish = () => {}
    const ask = await serve(new OpenAnswers({ takeMsMax: 20, sweepMs: 5 }), (request, response) => {
      if (request.url === '/slow') finish = () => response.end('done')
      else response.end('quick')
    })
    const slow = ask('/slow')
    // Others are answered meanwhile, for several times as long as a client may take.
    for (const until = performance.now() + 100; performance.now() < until; ) {
      const quick = ask('/')
      await new Promise<void>((done) => quick.once('data', () => done()))
    }
    expect(slow.isClosed()).toBe(false)
    const text = new Promise<string>((done) => slow.once('data', (chunk) => done(String(chunk))))
    finish()
    expect(await text).toContain('done')
  })
  it('beyond the share of their reader go, the oldest first; those of others stay', async () => {
    const closed: string[] = []
    const made: string[] = []
    const answers = new OpenAnswers({ readerBytesMax: 2 * large.length })
    const ask = await serve(answers, (request, response) => {
      const name = String(request.url)
      answers.hold(response, large.length, { id: name.slice(0, 2), groupId: 'one' })
      answers.onClose(response, () => void closed.push(name))
      made.push(name)
      response.end(large)
    })
    for (const name of ['/b1', '/a1', '/a2', '/a3', '/a4']) {
      ask(name).pause()
      await eventually(() => made.includes(name))
    }
    await eventually(() => closed.length === 2)
    expect(closed).toEqual(['/a1', '/a2'])
  })
  it('beyond the share of an organization go too, whichever of its accounts they are for', async () => {
    const closed: string[] = []
    const made: string[] = []
    const answers = new OpenAnswers({ readerBytesMax: 3 * large.length, groupBytesMax: 4 * large.length })
    const ask = await serve(answers, (request, response) => {
      const name = String(request.url)
      answers.hold(response, large.length, { id: name.slice(0, 3), groupId: name.slice(0, 2) })
      answers.onClose(response, () => void closed.push(name))
      made.push(name)
      response.end(large)
    })
    for (const name of ['/yc1', '/xa1', '/xa2', '/xb1', '/xb2', '/xb3', '/yc2']) {
      ask(name).pause()
      await eventually(() => made.includes(name))
    }
    await eventually(() => closed.length === 1)
    expect(closed).toEqual(['/xa1'])
  })
  it('of streams count in the same quotas, for as long as they are unread', async () => {
    const closed: string[] = []
    const made = new Map<string, (bytes: number) => void>()
    const answers = new OpenAnswers({ readerBytesMax: 100, groupBytesMax: 150 })
    const ask = await serve(answers, (request, response) => {
      const name = String(request.url)
      made.set(name, answers.watch(response, { id: name.slice(0, 2), groupId: 'one' }))
      answers.onClose(response, () => void closed.push(name))
      response.write('begun')
    })
    for (const name of ['/a1', '/a2', '/b1']) {
      ask(name).pause()
      await eventually(() => made.has(name))
    }
    made.get('/a1')?.(90)
    made.get('/b1')?.(60)
    expect(answers.unreadBytes).toBe(150)
    // Its client has read: the account has room again.
    made.get('/a1')?.(0)
    made.get('/a2')?.(90)
    expect(answers.unreadBytes).toBe(150)
    made.get('/a1')?.(20)
    await eventually(() => closed.length === 1)
    expect([closed, answers.unreadBytes]).toEqual([['/a2'], 80])
    made.get('/b1')?.(140)
    await eventually(() => closed.length === 2)
    expect([closed[1], answers.unreadBytes]).toEqual(['/a1', 140])
  })
  it('have half a minute, and a second for each 16 KB', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] })
    cleanUps.push(() => void vi.useRealTimers())
    const answers = new OpenAnswers()
    const made: string[] = []
    const ask = await serve(answers, (request, response) => {
      const name = String(request.url)
      if (name === '/held') answers.hold(response, 160_000, { id: 'a', groupId: 'x' })
      response.end(large, () => {})
      made.push(name)
    })
    const [plain, held] = [ask('/plain').pause(), ask('/held').pause()]
    await eventually(() => made.length === 2)
    vi.advanceTimersByTime(30_000)
    expect([plain.closed, held.closed]).toEqual([false, false])
    vi.advanceTimersByTime(3_000)
    plain.resume()
    await eventually(() => plain.closed)
    vi.advanceTimersByTime(7_000)
    expect(held.closed).toBe(false)
    vi.advanceTimersByTime(4_000)
    held.resume()
    await eventually(() => held.closed)
  })
})
