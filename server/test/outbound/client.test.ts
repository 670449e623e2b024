import { once } from 'node:events'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { connectTcp, createGuard, type HopEntry, parseEgressAllow } from '../../src/outbound/index.ts'
import { createClient, echo, failureOf, findClosedPort, startHttp, startTcp } from './peers.ts'

describe('connections', () => {
  it('are reused by calls to the same origin', async () => {
    await using peer = await startHttp(echo)
    await using client = createClient({ allow: peer.host })
    for (let call = 0; call < 20; call += 1) await client.send({ method: 'POST', url: peer.origin, body: 'x' })
    // The pool may open a second one while the first is still being handed back.
    expect(peer.connections).toBeLessThanOrEqual(2)
  })

  it('that died while idle do not fail a call that may be repeated', async () => {
    let requests = 0
    await using peer = await startHttp((request, response) => {
      requests += 1
      if (requests === 2) request.socket.destroy()
      else response.end()
    })
    await using client = createClient({ allow: peer.host })
    const send = (method: string) => client.send({ method, url: peer.origin })
    await send('GET')
    expect(await send('GET')).toMatchObject({ status: 200, retries: 1 })
    requests = 1
    expect((await failureOf(send('POST'))).kind).toBe('badResponse')
    requests = 1
    const repeatable = client.send({ method: 'POST', url: peer.origin, idempotencyKey: 'run-1' })
    expect(await repeatable).toMatchObject({ status: 200, retries: 1 })
  })

  it('ignore proxies named by the environment', async () => {
    await using proxy = await startTcp(() => {})
    await using peer = await startHttp(echo)
    const before = { ...process.env }
    for (const name of ['http_proxy', 'HTTP_PROXY', 'all_proxy', 'ALL_PROXY']) process.env[name] = proxy.origin
    try {
      await using client = createClient({ allow: peer.host })
      expect((await client.send({ method: 'GET', url: peer.origin })).status).toBe(200)
    } finally {
      process.env = before
    }
    expect(proxy.connections).toBe(0)
  })

  it('end with the client, and calls under way fail', async () => {
    await using peer = await startTcp((socket) => void socket.resume())
    const client = createClient({ allow: peer.host })
    const call = failureOf(client.send({ method: 'GET', url: peer.origin }))
    await expect.poll(() => peer.connections).toBe(1)
    await client[Symbol.asyncDispose]()
    expect((await call).kind).toBe('closed')
    expect((await failureOf(client.send({ method: 'GET', url: peer.origin }))).kind).toBe('closed')
    await expect.poll(() => peer.sockets.size).toBe(0)
  })
})

describe('a call', () => {
  it('sends strings, bytes and streams', async () => {
    await using peer = await startHttp(echo)
    await using client = createClient({ allow: peer.host })
    const bodies = ['täxt', Buffer.from('täxt'), Readable.from([Buffer.from('tä'), Buffer.from('xt')])]
    for (const body of bodies) {
      const response = await client.send({ method: 'PUT', url: peer.origin, body })
      expect(JSON.parse(response.body.toString()).body).toBe('täxt')
    }
  })

  it('can be given up by its caller, also before it starts', async () => {
    await using peer = await startTcp(() => {})
    await using client = createClient({ allow: peer.host })
    const stop = new AbortController()
    const call = failureOf(client.send({ method: 'GET', url: peer.origin, signal: stop.signal }))
    await expect.poll(() => peer.connections).toBe(1)
    stop.abort()
    expect((await call).kind).toBe('cancelled')
    const late = client.send({ method: 'GET', url: peer.origin, signal: stop.signal })
    expect((await failureOf(late)).kind).toBe('cancelled')
  })

  it.each([
    { method: 'CONNECT' },
    { method: 'TRACE' },
    { method: 'GET /x HTTP/1.1\r\nX: y' },
    { headers: { 'X-A': 'a\r\nX-B: b' } },
    { headers: { 'X A': 'a' } },
    { headers: { 'X-A': '☃' } },
    { credentials: { allowedHosts: ['127.0.0.1:1'], headers: {} }, url: 'http://x@127.0.0.1:1/' },
    { url: 'not an address' },
  ])('that cannot be sent is refused without a connection: %j', async (change) => {
    await using peer = await startHttp(echo)
    await using client = createClient({ allow: peer.host })
    const failure = await failureOf(client.send({ method: 'GET', url: peer.origin, ...change }))
    expect(failure.kind).toBe('invalidRequest')
    expect(peer.connections).toBe(0)
  })

  it('fails with its own kind when the stream of its caller breaks', async () => {
    await using peer = await startHttp(echo)
    await using client = createClient({ allow: peer.host })
    const body = Readable.from(
      (async function* () {
        yield Buffer.from('first')
        throw new Error('The disk is gone.')
      })(),
    )
    expect((await failureOf(client.send({ method: 'PUT', url: peer.origin, body }))).kind).toBe('bodyFailed')
  })

  it('keeps the headers of the connection to itself', async () => {
    await using peer = await startHttp(echo)
    await using client = createClient({ allow: peer.host })
    const headers = {
      'Transfer-Encoding': 'chunked',
      'Content-Length': '999',
      Connection: 'upgrade',
      Upgrade: 'h2c',
      TE: 'x',
    }
    const response = await client.send({ method: 'POST', url: peer.origin, body: 'four', headers })
    const seen = JSON.parse(response.body.toString()).headers
    expect(seen).toMatchObject({ 'content-length': '4', connection: 'keep-alive' })
    for (const name of ['transfer-encoding', 'upgrade', 'te']) expect(seen[name]).toBeUndefined()
    const credentials = { allowedHosts: [peer.host], headers: { Connection: 'a secret' } }
    const failure = await failureOf(client.send({ method: 'GET', url: peer.origin, credentials }))
    expect(failure.message).toBe('The header Connection cannot carry credentials.')
  })
})

describe('a streamed answer', () => {
  it('arrives with flat memory and unpacked, whatever its size', async () => {
    const block = Buffer.alloc(1024 * 1024, 'abc')
    const packed = gzipSync(block)
    await using peer = await startHttp((_request, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' })
      // Members of gzip may follow one another, so sixty-four of them are one body of 64 MiB.
      pipeline(Readable.from(Array.from({ length: 64 }, () => packed)), response).catch(() => {})
    })
    await using client = createClient({ allow: peer.host })
    const request = { method: 'GET', url: peer.origin, responseBytesMax: 64 * block.length }
    const response = await client.stream(request)
    let bytes = 0
    for await (const chunk of response.body) bytes += chunk.length
    expect(bytes).toBe(64 * block.length)

    const tooSmall = await client.stream({ ...request, responseBytesMax: block.length })
    expect((await failureOf(tooSmall.body.resume().toArray())).kind).toBe('tooLarge')
  })

  it('may take longer than the time limit as long as it flows, and not when it stalls', async () => {
    const part = Buffer.alloc(4 * 1024 * 1024)
    await using peer = await startHttp((_request, response) => void response.write(part))
    await using client = createClient({ allow: peer.host, streamIdleMs: 3_000 })
    const { body } = await client.stream({ method: 'GET', url: peer.origin, timeoutMs: 3_000 })
    const chunks = body[Symbol.asyncIterator]()
    const startedMs = performance.now()
    let bytes = (await chunks.next()).value.length
    // A reader that takes its time is not the target's silence.
    await expect.poll(() => performance.now() - startedMs > 3_200).toBe(true)
    while (bytes < part.length) bytes += (await chunks.next()).value.length
    expect((await failureOf(chunks.next())).kind).toBe('timedOut')
  })

  it('that is dropped frees its connection', async () => {
    await using peer = await startHttp((_request, response) => void response.write('first'))
    await using client = createClient({ allow: peer.host })
    const { body } = await client.stream({ method: 'GET', url: peer.origin })
    body.destroy()
    await expect.poll(() => peer.sockets.size).toBe(0)
  })
})

describe('the request log', () => {
  it('has one entry a hop and no secret', async () => {
    const entries: HopEntry[] = []
    await using peer = await startHttp((request, response) => {
      request.resume()
      if (request.url?.startsWith('/s3cret-path'))
        response.writeHead(307, { location: '/end?token=s3cret-other' }).end('12')
      else response.end('12345')
    })
    await using client = createClient({ allow: peer.host, onHop: (entry) => entries.push(entry) })
    await client.send({
      method: 'post',
      url: `${peer.origin}/s3cret-path/x?api_key=s3cret-own&sig=s3cret-sig&page=2&note=s3cret-query#s3cret`,
      body: 'abc',
      secrets: ['s3cret-path'],
      credentials: {
        allowedHosts: [peer.host],
        headers: { authorization: 'Bearer s3cret-token' },
        query: { id: 's3cret-query' },
      },
    })
    expect(entries).toMatchObject([
      { method: 'POST', status: 307, requestBytes: 3, retries: 0 },
      { method: 'POST', status: 200, requestBytes: 3, responseBytes: 5, retries: 0 },
    ])
    expect(entries[0]!.url).toBe(`${peer.origin}/***/x?api_key=***&sig=***&page=2&note=***`)
    expect(JSON.stringify(entries)).not.toContain('s3cret')
  })

  it('says with which answer a call ended that led nowhere', async () => {
    const entries: HopEntry[] = []
    await using peer = await startHttp((_request, response) => response.writeHead(302, { location: '/' }).end())
    await using client = createClient({ allow: peer.host, onHop: (entry) => entries.push(entry) })
    await failureOf(client.send({ method: 'GET', url: peer.origin, redirectsMax: 1 }))
    expect(entries.map((entry) => [entry.status, entry.failure])).toEqual([
      [302, undefined],
      [302, 'tooManyRedirects'],
    ])
  })

  it('tells how a call failed, and its address holds no user name', async () => {
    const entries: HopEntry[] = []
    await using client = createClient({ onHop: (entry) => entries.push(entry) })
    await failureOf(client.send({ method: 'GET', url: 'http://127.0.0.1/' }))
    await failureOf(client.send({ method: 'GET', url: 'http://s3cret:s3cret@127.0.0.1/' }))
    await failureOf(client.send({ method: 'GET', url: 's3cret' }))
    expect(entries.map((entry) => [entry.url, entry.failure])).toEqual([
      ['http://127.0.0.1/', 'refusedByGuard'],
      ['http://127.0.0.1/', 'invalidRequest'],
      ['about:blank', 'invalidRequest'],
    ])
  })
})

describe('a guarded TCP connection', () => {
  const guardFor = (allow: string) =>
    createGuard({ allow: parseEgressAllow(allow), resolve: async () => ['127.0.0.1'] })

  it('reaches an allowed mail host and carries bytes', async () => {
    await using peer = await startTcp((socket) => socket.end('220 ready\r\n'))
    const socket = await connectTcp(guardFor(peer.host), 'mail.test', peer.port)
    const [greeting] = await once(socket, 'data')
    expect(String(greeting)).toBe('220 ready\r\n')
    socket.destroy()
  })

  it('fails with the same kinds as a call', async () => {
    const port = await findClosedPort()
    expect((await failureOf(connectTcp(guardFor('127.0.0.1'), 'mail.test', port))).kind).toBe('unreachable')
    expect((await failureOf(connectTcp(guardFor(''), 'mail.test', port))).kind).toBe('refusedByGuard')
    expect((await failureOf(connectTcp(guardFor(''), 'a/b', port))).kind).toBe('invalidRequest')
    expect((await failureOf(connectTcp(guardFor(''), 'mail.test', 0))).kind).toBe('invalidRequest')
    const signal = AbortSignal.abort()
    expect((await failureOf(connectTcp(guardFor('127.0.0.1'), 'mail.test', port, { signal }))).kind).toBe('cancelled')
  })
})
