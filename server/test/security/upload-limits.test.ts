// What limits an upload: the disk, and silence. Size and duration do not.
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { type AddressInfo, connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { Type } from 'typebox'
import { describe, expect, it } from 'vitest'
import { openDirectoryStore } from '../../src/files/directory-store.ts'
import { createHttpServer, type MultipartBody, rateLimiter } from '../../src/http/index.ts'
import { createMetrics } from '../../src/metrics/index.ts'
import { writeShareFile } from '../../src/shares/share-file.ts'
import { eventually } from '../harness/eventually.ts'
import { blocks, statusOf } from '../harness/large-upload.ts'
import { formType } from '../harness/malformed-forms.ts'

const megabyte = 1024 * 1024

describe('the disk', () => {
  it('is never filled: an upload stops as soon as too little is left', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'patchbay-disk-'))
    const gigabyte = 1024 ** 3
    try {
      const withSpace = (freeBytes: number, totalBytes: number) =>
        openDirectoryStore(directory, async () => ({ freeBytes, totalBytes }))
      const requireSpace = async (free: number, total: number, more: number) =>
        (await withSpace(free * gigabyte, total * gigabyte)).requireSpace(more * gigabyte)
      expect((await withSpace(1, 1)).id).toBe((await withSpace(2, 2)).id)
      await expect(requireSpace(11, 100, 0)).resolves.toBeUndefined()
      await expect(requireSpace(4, 100, 0)).rejects.toMatchObject({ code: 'storage_full', status: 400 })
      await expect(requireSpace(11, 100, 7)).rejects.toMatchObject({ code: 'storage_full' })
      await expect(requireSpace(2, 10, 0)).resolves.toBeUndefined()
      await expect(requireSpace(0.9, 10, 0)).rejects.toMatchObject({ code: 'storage_full' })
      let free = 6 * gigabyte
      const filling = await openDirectoryStore(directory, async () => {
        free -= gigabyte
        return { freeBytes: free, totalBytes: 100 * gigabyte }
      })
      await filling.create('s')
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
  async function startServer(idleMs: number) {
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
      metrics: createMetrics('api'),
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
    const idleMs = 400
    await using server = await startServer(idleMs)
    const socket = await server.send()
    const asked = performance.now()
    await statusOf(socket)
    expect(performance.now() - asked).toBeGreaterThanOrEqual(idleMs * 0.9)
    expect(server.outcomes).toEqual([expect.stringContaining('the connection was lost')])
  })

  it('does not end one that is slow: it lasts longer than the limit and is taken', async () => {
    const idleMs = 2000
    await using server = await startServer(idleMs)
    /** Undefined when the sender itself stood still on a busy machine, which says nothing about slow ones. */
    async function uploadSlowly() {
      const socket = await server.send()
      const status = statusOf(socket)
      const head = 69
      const end = '\r\n--XbX--\r\n'
      let left = 1000 - head - end.length
      const asked = performance.now()
      let sentAt = asked
      let longestSilenceMs = 0
      const dribble = setInterval(() => {
        longestSilenceMs = Math.max(longestSilenceMs, performance.now() - sentAt)
        sentAt = performance.now()
        const now = Math.min(left, 50)
        left -= now
        socket.write('x'.repeat(now))
        if (left > 0) return
        clearInterval(dribble)
        socket.write(end)
      }, 200)
      const ended = { status: await status, ms: performance.now() - asked, outcome: server.outcomes.at(-1) }
      clearInterval(dribble)
      socket.destroy()
      return longestSilenceMs < idleMs / 2 && performance.now() - sentAt < idleMs / 2 ? ended : undefined
    }
    const { status, ms, outcome } = await eventually(uploadSlowly)
    expect([status, outcome]).toEqual([200, 'whole'])
    expect(ms).toBeGreaterThan(idleMs * 1.1)
  })
})
