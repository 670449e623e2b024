// What limits an upload: the disk, and silence. Size and duration do not.
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { type AddressInfo, connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { Type } from 'typebox'
import { describe, expect, it } from 'vitest'
import { createHttpServer, createMetrics, type MultipartBody, rateLimiter } from '../../src/http/index.ts'
import { createShareDirectory, openStorage, requireSpace, writeShareFile } from '../../src/shares/storage.ts'
import { blocks, statusOf } from '../harness/large-upload.ts'
import { formType } from '../harness/malformed-forms.ts'

const megabyte = 1024 * 1024

describe('the disk', () => {
  it('is never filled: an upload stops as soon as too little is left', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'patchbay-disk-'))
    const gigabyte = 1024 ** 3
    try {
      const real = await openStorage(directory)
      expect((await openStorage(directory)).id).toBe(real.id)
      const withSpace = (freeBytes: number, totalBytes: number) => ({
        ...real,
        diskSpace: async () => ({ freeBytes, totalBytes }),
      })
      await expect(requireSpace(withSpace(11 * gigabyte, 100 * gigabyte), 0)).resolves.toBeUndefined()
      await expect(requireSpace(withSpace(4 * gigabyte, 100 * gigabyte), 0)).rejects.toMatchObject({
        code: 'storage_full',
        status: 400,
      })
      await expect(requireSpace(withSpace(11 * gigabyte, 100 * gigabyte), 7 * gigabyte)).rejects.toMatchObject({
        code: 'storage_full',
      })
      await expect(requireSpace(withSpace(2 * gigabyte, 10 * gigabyte), 0)).resolves.toBeUndefined()
      await expect(requireSpace(withSpace(0.9 * gigabyte, 10 * gigabyte), 0)).rejects.toMatchObject({
        code: 'storage_full',
      })
      let free = 6 * gigabyte
      const filling = {
        ...real,
        diskSpace: async () => {
          free -= gigabyte
          return { freeBytes: free, totalBytes: 100 * gigabyte }
        },
      }
      await createShareDirectory(filling, 's')
      let taken = 0
      async function* source() {
        for (const block of blocks(1024 * megabyte)) {
          taken += block.length
          yield block
        }
      }
      await expect(
        writeShareFile(filling, source(), Buffer.alloc(32), { shareId: 's', fileId: 'f', index: 0 }),
      ).rejects.toMatchObject({ code: 'storage_full' })
      expect(taken).toBeLessThan(200 * megabyte)
    } finally {
      rmSync(directory, { recursive: true, force: true })
    }
  })
})

describe('silence', () => {
  const idleMs = 400
  async function startServer() {
    const outcomes: string[] = []
    const receive = async ({ body }: { body: MultipartBody }) => {
      let bytes = 0
      try {
        for await (const part of body)
          if (part.kind === 'file') for await (const chunk of part.bytes) bytes += chunk.length
        outcomes.push('whole')
      } catch (error) {
        outcomes.push((error as Error).message)
        throw error
      }
      return bytes
    }
    const app = await createHttpServer({
      operations: {
        Receive: {
          name: 'Receive',
          feature: 'Secure shares',
          method: 'POST',
          path: '/receive',
          description: 'Receive.',
          access: 'public',
          bodyType: 'multipart',
          answers: { 200: Type.Integer() },
        },
      },
      handlers: { Receive: receive },
      pages: [],
      authenticators: undefined as never,
      rateLimiter: rateLimiter(1000),
      metrics: createMetrics(),
      logger: pino({ level: 'silent' }),
      trustedProxies: [],
      formIdleMs: idleMs,
    })
    await app.listen({ host: '127.0.0.1', port: 0 })
    const { port } = app.server.address() as AddressInfo
    const send = async () => {
      const socket = connect(port, '127.0.0.1')
      socket.on('error', () => {})
      await once(socket, 'connect')
      socket.write(`POST /receive HTTP/1.1\r\nHost: test\r\nContent-Type: ${formType}\r\nContent-Length: 1000\r\n\r\n`)
      socket.write('--XbX\r\nContent-Disposition: form-data; name="files"; filename="a"\r\n\r\n')
      return socket
    }
    return { outcomes, send, [Symbol.asyncDispose]: () => app.close() }
  }

  it('ends an upload, and nothing is left waiting for it', async () => {
    await using server = await startServer()
    const socket = await server.send()
    const asked = performance.now()
    await statusOf(socket)
    expect(performance.now() - asked).toBeGreaterThanOrEqual(idleMs * 0.9)
    expect(server.outcomes).toEqual([expect.stringContaining('the connection was lost')])
  })

  it('does not end one that is slow: it lasts several times the limit and is taken', async () => {
    await using server = await startServer()
    const socket = await server.send()
    const status = statusOf(socket)
    const head = 69
    const end = '\r\n--XbX--\r\n'
    let left = 1000 - head - end.length
    const asked = performance.now()
    const dribble = setInterval(() => {
      const now = Math.min(left, 50)
      left -= now
      socket.write('x'.repeat(now))
      if (left > 0) return
      clearInterval(dribble)
      socket.write(end)
    }, 100)
    expect(await status).toBe(200)
    expect(performance.now() - asked).toBeGreaterThan(idleMs * 3)
    expect(server.outcomes).toEqual(['whole'])
    socket.destroy()
  })
})
