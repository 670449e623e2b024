/** Targets that hang, flood, lie or explode cost a bounded time and a bounded number of bytes. */
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { answerRaw, createClient, failureOf, startHttp, startTcp } from './peers.ts'

const bytesMax = 256 * 1024
const bombs = {
  gzip: gzipSync,
  deflate: deflateSync,
  br: brotliCompressSync,
  zstd: zstdCompressSync,
}

describe('a target that', () => {
  it.each([
    ['says nothing', answerRaw()],
    ['stops inside the headers', answerRaw('HTTP/1.1 200 OK\r\nContent-Ty')],
    ['sends interim answers only', answerRaw('HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(20))],
    ['stops inside the body', answerRaw('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nfirst part')],
    ['stops inside a chunk', answerRaw('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nff\r\nfirst part')],
    [
      'stops inside a packed body',
      answerRaw('HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n', gzipSync('x').subarray(0, 12)),
    ],
    [
      'promises a body and hangs in a redirect',
      answerRaw('HTTP/1.1 302 Found\r\nLocation: /\r\nContent-Length: 9\r\n\r\n'),
    ],
  ])('%s is given up when the time is over', async (_what, behave) => {
    await using peer = await startTcp(behave)
    await using client = createClient({ allow: peer.host })
    const given = failureOf(client.send({ method: 'POST', url: peer.origin, timeoutMs: 150 }))
    const patient = failureOf(client.send({ method: 'POST', url: peer.origin, timeoutMs: 60_000 }))
    const failure = await given
    expect(failure.kind).toBe('timedOut')
    expect(failure.message).toBe(`The address ${peer.origin} did not answer completely within 0.15 seconds.`)
    // One with more time is still waiting.
    expect(await Promise.race([patient, Promise.resolve('waits')])).toBe('waits')
  })

  it('drips bytes for ever is given up when the time is over', async () => {
    await using peer = await startTcp((socket) => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n')
      const timer = setInterval(() => socket.write('x'), 10)
      socket.on('close', () => clearInterval(timer))
    })
    await using client = createClient({ allow: peer.host })
    expect((await failureOf(client.send({ method: 'GET', url: peer.origin, timeoutMs: 200 }))).kind).toBe('timedOut')
  })

  it('accepts no connection is given up after the connect limit', async () => {
    await using client = createClient({ resolve: () => new Promise(() => {}), connectMs: 100 })
    const failure = await failureOf(client.send({ method: 'GET', url: 'http://never-resolved.test/' }))
    expect(failure.kind).toBe('unreachable')
  })

  it('floods is cut off at the limit', async () => {
    let written = 0
    await using peer = await startTcp((socket) => {
      const block = Buffer.alloc(64 * 1024)
      const flood = () => {
        written += block.length
        while (!socket.destroyed && socket.write(block)) written += block.length
      }
      socket.on('drain', flood)
      socket.write('HTTP/1.1 200 OK\r\n\r\n', flood)
    })
    await using client = createClient({ allow: peer.host })
    const failure = await failureOf(client.send({ method: 'GET', url: peer.origin, responseBytesMax: bytesMax }))
    expect(failure.kind).toBe('tooLarge')
    // What lies in the buffers of both sockets comes on top of the limit.
    expect(written).toBeLessThan(bytesMax + 16 * 1024 * 1024)
  })

  it('announces too much is refused before its body is read', async () => {
    await using peer = await startTcp(answerRaw('HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\n'))
    await using client = createClient({ allow: peer.host })
    expect((await failureOf(client.send({ method: 'GET', url: peer.origin }))).kind).toBe('tooLarge')
  })

  it.each(Object.entries(bombs))('sends a %s bomb is cut off at the limit after unpacking', async (encoding, pack) => {
    const bomb = pack(Buffer.alloc(16 * 1024 * 1024))
    expect(bomb.length).toBeLessThan(bytesMax)
    await using peer = await startHttp((_request, response) => {
      response.writeHead(200, { 'content-encoding': encoding }).end(bomb)
    })
    await using client = createClient({ allow: peer.host })
    const failure = await failureOf(client.send({ method: 'GET', url: peer.origin, responseBytesMax: bytesMax }))
    expect(failure.kind).toBe('tooLarge')
  })

  it.each([
    ['a body shorter than announced', 'HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nshort'],
    ['two different lengths', 'HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nshort'],
    ['a negative length', 'HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\nshort'],
    ['a length and chunks', 'HTTP/1.1 200 OK\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n'],
    ['a chunk without end', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nshort\r\n'],
    ['something other than HTTP', 'SSH-2.0-OpenSSH_9.9\r\n'],
    ['a header without end', `HTTP/1.1 200 OK\r\nX: ${'x'.repeat(100_000)}`],
    ['nothing', ''],
    ['an upgrade nobody asked for', 'HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n'],
    ['broken gzip', 'HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\nnot packed at all'],
    ['broken brotli', 'HTTP/1.1 200 OK\r\nContent-Encoding: br\r\n\r\n\x00\x00not packed at all'],
    ['an unknown encoding', 'HTTP/1.1 200 OK\r\nContent-Encoding: lzma\r\n\r\nx'],
    ['encodings upon encodings', 'HTTP/1.1 200 OK\r\nContent-Encoding: gzip, gzip, br\r\n\r\nx'],
  ])('answers with %s gives a bad response', async (_what, answer) => {
    await using peer = await startTcp((socket) => void socket.once('data', () => socket.end(answer)))
    await using client = createClient({ allow: peer.host })
    const failure = await failureOf(client.send({ method: 'POST', url: peer.origin, timeoutMs: 60_000 }))
    expect(failure.kind).toBe('badResponse')
  })

  it('cuts off a packed body gives a bad response', async () => {
    await using peer = await startHttp((_request, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync('x'.repeat(1_000)).subarray(0, 20))
    })
    await using client = createClient({ allow: peer.host })
    expect((await failureOf(client.send({ method: 'GET', url: peer.origin }))).kind).toBe('badResponse')
  })

  it('sends bytes behind its answer does not reach the next caller with them', async () => {
    const forged = 'HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nforged'
    await using peer = await startTcp((socket) => {
      socket.on('data', () => socket.write(`HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nreal${forged}`))
    })
    await using client = createClient({ allow: peer.host })
    for (let call = 0; call < 3; call += 1) {
      const answer = await client.send({ method: 'POST', url: peer.origin, timeoutMs: 60_000 }).catch(() => undefined)
      expect(answer?.body.toString() ?? 'real').toBe('real')
    }
  })
})

describe('packed answers', () => {
  const text = 'packed '.repeat(1_000)
  it.each([
    ['gzip', gzipSync(text)],
    ['x-gzip', gzipSync(text)],
    ['deflate', deflateSync(text)],
    ['deflate', deflateRawSync(text)],
    ['br', brotliCompressSync(text)],
    ['zstd', zstdCompressSync(text)],
    ['identity', Buffer.from(text)],
  ])('in %s are unpacked', async (encoding, packed) => {
    await using peer = await startHttp((request, response) => {
      expect(request.headers['accept-encoding']).toBe('gzip, deflate, br, zstd')
      response.writeHead(200, { 'content-encoding': encoding, 'content-length': packed.length }).end(packed)
    })
    await using client = createClient({ allow: peer.host })
    const response = await client.send({ method: 'GET', url: peer.origin })
    expect(response.body.toString()).toBe(text)
    expect(response.headers['content-length']).toBe(encoding === 'identity' ? String(packed.length) : undefined)
  })

  it('without a body are empty', async () => {
    await using peer = await startHttp((_request, response) =>
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(),
    )
    await using client = createClient({ allow: peer.host })
    for (const method of ['GET', 'HEAD']) {
      expect((await client.send({ method, url: peer.origin })).body).toHaveLength(0)
    }
  })
})
