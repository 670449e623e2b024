// Uploads and downloads of files against what clients, disks and crashes do to them: on a real process, with its memory, files and descriptors counted.
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Client } from '../harness/client.ts'
import { eventually } from '../harness/eventually.ts'
import {
  beginOfForm,
  blocks,
  downloadLarge,
  largeFormType,
  openUpload,
  statusOf,
  uploadLarge,
} from '../harness/large-upload.ts'
import { formType, malformedForms, wellFormed } from '../harness/malformed-forms.ts'
import { connectionsAt, openFilesBelow, peakMbDuring, residentMb } from '../harness/process-use.ts'
import { type Program, startProgram } from '../harness/program.ts'
import { proofSize } from '../harness/proof-size.ts'
import { startService, type TestService } from '../harness/service.ts'
import { fileIds, postShare, sendUpload, sharePath } from '../harness/upload.ts'

const ready = /Patchbay is ready at (\S+) /
const megabyte = 1024 * 1024

// The service of the harness makes the database and the first account; the program under test is a process of its own on both.
let service: TestService
let program: Program
let baseUrl: string
let sharesDir: string
const start = () =>
  startProgram('main', [], {
    PATCHBAY_PORT: '0',
    PATCHBAY_DATA_DIR: service.dataDir,
    PATCHBAY_DATABASE_URL: service.databaseUrl,
    PATCHBAY_LOG_LEVEL: 'error',
  })
beforeAll(async () => {
  service = await startService()
  sharesDir = join(service.dataDir, 'shares')
  program = start()
  baseUrl = (await program.saw(ready))[1] as string
})
afterAll(async () => {
  await program[Symbol.asyncDispose]()
  await service[Symbol.asyncDispose]()
})

const keys = () => service.firstAccount
const sharesOnDisk = () => readdirSync(sharesDir).filter((name) => name !== 'storage-id')
const uploadsInDatabase = async () => (await service.asOwner("select 1 from shares where status = 'Uploading'")).length
/** No file of a share is open, and no connection but those that clients keep for later. */
const holdsNothing = () =>
  openFilesBelow(program.pid, sharesDir) === 0 && connectionsAt(Number(new URL(baseUrl).port)) <= 2
const isAnswering = async () => (await new Client(baseUrl, keys()).get('/api/Authenticate')).status === 200

/** Sends the beginning of an upload of which the rest will not come, and waits until its file is being written. */
async function beginUpload() {
  const before = sharesOnDisk().length
  const socket = await openUpload(baseUrl, keys(), {
    'Content-Type': largeFormType,
    'Content-Length': String(100 * megabyte),
  })
  socket.write(beginOfForm)
  for (const block of blocks(3 * megabyte)) socket.write(block)
  await eventually(() => sharesOnDisk().length > before)
  return socket
}

describe('a large file', () => {
  const size = proofSize('UPLOAD_MIB', { small: 64, large: 10_240 })
  it(
    `of ${size} MiB comes back byte for byte, while the process grows by less than 64 MiB`,
    async () => {
      const warm = await uploadLarge(baseUrl, keys(), 8 * megabyte)
      await downloadLarge(baseUrl, warm.shareId)
      const before = residentMb(program.pid)
      const { peakMb, result } = await peakMbDuring(program.pid, async () => {
        const sent = await uploadLarge(baseUrl, keys(), size * megabyte)
        return { sent, got: await downloadLarge(baseUrl, sent.shareId) }
      })
      console.log(`memory before ${before.toFixed(0)} MB, at most ${peakMb.toFixed(0)} MB`)
      expect(result.got).toEqual({ bytes: size * megabyte, digest: result.sent.digest })
      expect(peakMb - before).toBeLessThan(64)
    },
    120_000 + size * 200,
  )
})

describe('an upload that ends early', () => {
  it('leaves no file, no row and no descriptor, whether the client goes away at once or at the end', async () => {
    const kept = sharesOnDisk().length
    for (const ending of ['destroy', 'end'] as const) {
      const sockets = await Promise.all(Array.from({ length: 5 }, beginUpload))
      for (const socket of sockets) socket[ending]()
      await eventually(async () => sharesOnDisk().length === kept && (await uploadsInDatabase()) === 0)
    }
    await eventually(holdsNothing)
    expect(await isAnswering()).toBe(true)
  })

  it('because its process was killed is cleaned up at the next start', async () => {
    const kept = sharesOnDisk().length
    const socket = await beginUpload()
    expect(await uploadsInDatabase()).toBe(1)
    program.kill('SIGKILL')
    await program.ended
    socket.destroy()
    expect(sharesOnDisk().length).toBe(kept + 1)
    program = start()
    baseUrl = (await program.saw(ready))[1] as string
    expect(sharesOnDisk().length).toBe(kept)
    expect(await uploadsInDatabase()).toBe(0)
  })

  it('is answered at once when it is refused, and cut off when the client goes on sending', async () => {
    const kept = sharesOnDisk().length
    const socket = await openUpload(baseUrl, keys(), {
      'Content-Type': largeFormType,
      'Content-Length': String(2 ** 30),
    })
    socket.write(beginOfForm.replace('anna@example.com', 'nobody'))
    // The end may come as a reset: the client is still sending.
    socket.on('error', () => {})
    const closed = new Promise((done) => socket.once('close', done))
    const status = statusOf(socket)
    const sending = setInterval(() => socket.write(Buffer.alloc(1000)), 20)
    expect(await status).toBe(400)
    await closed
    clearInterval(sending)
    expect(sharesOnDisk().length).toBe(kept)
  })

  it('is refused before it begins when it would fill the disk', async () => {
    const socket = await openUpload(baseUrl, keys(), {
      'Content-Type': largeFormType,
      'Content-Length': String(2 ** 52),
    })
    socket.write(beginOfForm)
    expect(await statusOf(socket)).toBe(400)
    socket.destroy()
  })

  it('does not count for ever: the service answers after more aborted requests than it takes at once', async () => {
    for (let round = 0; round < 21; round++) {
      const sockets = await Promise.all(
        Array.from({ length: 100 }, () =>
          openUpload(baseUrl, keys(), { 'Content-Type': formType, 'Content-Length': '100' }),
        ),
      )
      for (const socket of sockets) socket.destroy()
    }
    expect(await isAnswering()).toBe(true)
  })
})

describe(`${malformedForms.length} malformed forms`, () => {
  it('are 400 each, sent whole, in small pieces or chunked, and leave nothing behind', async () => {
    const kept = sharesOnDisk().length
    const wrong: string[] = []
    for (const [name, text, type = formType] of malformedForms) {
      const body = Buffer.from(text)
      const whole = await openUpload(baseUrl, keys(), { 'Content-Type': type, 'Content-Length': String(body.length) })
      const answered = statusOf(whole)
      whole.write(body)
      const chunked = await openUpload(baseUrl, keys(), { 'Content-Type': type, 'Transfer-Encoding': 'chunked' })
      const answeredToo = statusOf(chunked)
      for (let at = 0; at < body.length; at += Math.ceil(body.length / 50)) {
        const piece = body.subarray(at, at + Math.ceil(body.length / 50))
        chunked.write(Buffer.concat([Buffer.from(`${piece.length.toString(16)}\r\n`), piece, Buffer.from('\r\n')]))
      }
      chunked.write('0\r\n\r\n')
      const statuses = [await answered, await answeredToo]
      if (statuses.some((status) => status !== 400)) wrong.push(`${name}: ${statuses}`)
      whole.destroy()
      chunked.destroy()
    }
    expect(wrong).toEqual([])
    await eventually(async () => sharesOnDisk().length === kept && (await uploadsInDatabase()) === 0)
    await eventually(holdsNothing)
    const good = await sendUpload(new Client(baseUrl, keys()), wellFormed, { 'Content-Type': formType })
    expect(good.status, good.text).toBe(200)
    expect(program.output()).not.toContain('Background work failed')
  })

  it('whose announced end never comes are 400 when the client closes its side, and gone', async () => {
    const socket = await openUpload(baseUrl, keys(), { 'Content-Type': formType, 'Content-Length': '100000' })
    socket.end(wellFormed)
    expect([0, 400]).toContain(await statusOf(socket))
    await eventually(async () => (await uploadsInDatabase()) === 0)
  })
})

describe('a download that is given up', () => {
  it('leaves no descriptor and no connection', async () => {
    const { shareId } = await uploadLarge(baseUrl, keys(), 16 * megabyte)
    const list = await postShare(baseUrl, shareId, { code: 'c' })
    const form = new URLSearchParams({ code: 'c', file: fileIds(list.bytes.toString())[0] ?? '' }).toString()
    for (let round = 0; round < 10; round++) {
      const socket = connect(Number(new URL(baseUrl).port), '127.0.0.1')
      socket.write(
        `POST ${sharePath}?shareid=${shareId} HTTP/1.1\r\nHost: test\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: ${form.length}\r\n\r\n${form}`,
      )
      expect(await statusOf(socket)).toBe(200)
      socket.destroy()
    }
    await eventually(holdsNothing)
  })
})

describe('the end of the process', () => {
  it('closes connections on which nothing was asked while it still answers what was', async () => {
    const last = start()
    const { port } = new URL((await last.saw(ready))[1] as string)
    const sockets = Array.from({ length: 3 }, () => connect(Number(port), '127.0.0.1').on('error', () => {}))
    await Promise.all(sockets.map((socket) => once(socket, 'connect')))
    // Whoever is in the middle of a request gets ten seconds, after which all are cut off: then this one would not be answered either.
    const asking = connect(Number(port), '127.0.0.1').on('error', () => {})
    asking.write('POST /signin HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-www-form-urlencoded\r\n')
    asking.write('Content-Length: 16\r\n\r\nemail=a')
    await new Client(`http://127.0.0.1:${port}`, undefined).get('/livez')
    const closed = Promise.all(sockets.map((socket) => once(socket.resume(), 'close')))
    last.kill('SIGTERM')
    await closed
    const status = statusOf(asking)
    asking.write('&password')
    expect(await status).toBeGreaterThanOrEqual(200)
    expect(await last.ended).toBe(0)
    asking.destroy()
  })
})
