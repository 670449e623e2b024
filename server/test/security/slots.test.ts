// Clients that leave at any moment: whatever they had begun, everything that was counted for them comes back to zero.
import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAccount, createOrganization } from '../harness/accounts.ts'
import type { Client } from '../harness/client.ts'
import { EventReader } from '../harness/event-reader.ts'
import { eventually } from '../harness/eventually.ts'
import { proofRandom, proofSize } from '../harness/proof-size.ts'
import { startService, type TestService } from '../harness/service.ts'
import { download, fileIds, postShare, shareFiles, sharePath } from '../harness/upload.ts'
import { enableWebhook, signature } from '../harness/webhooks.ts'
import { deployWorkflow } from '../harness/workflows.ts'

let service: TestService
beforeAll(async () => {
  service = await startService({ env: { PATCHBAY_RATE_LIMIT_PER_SECOND: '1000000' } })
})
afterAll(() => service[Symbol.asyncDispose]())

/** Everything that is counted for clients, by its name in /metrics, without what is zero. */
async function held(): Promise<Record<string, number>> {
  const { text } = await service.client(undefined).get('/metrics')
  const found = [...text.matchAll(/^patchbay_(?:slots_in_use|held_bytes)\{(.*)\} (\S+)$/gm)]
  expect(found.length).toBeGreaterThan(10)
  return Object.fromEntries(
    found.map(([, label = '', value]) => [label, Number(value)]).filter(([, value]) => value !== 0),
  )
}

async function nothingHeld(): Promise<void> {
  await eventually(async () => Object.keys(await held()).length === 0)
}

/** Sends the bytes over a connection of its own, and leaves after some milliseconds. */
function sendAndLeave(pieces: readonly (string | Buffer)[], leaveAfterMs: number): Promise<void> {
  return new Promise((done) => {
    const socket = connect(Number(new URL(service.baseUrl).port), '127.0.0.1')
    socket.on('error', () => {}).on('close', () => done())
    // Some read what comes, some do not.
    if (leaveAfterMs % 2 === 0) socket.resume()
    for (const piece of pieces) socket.write(piece)
    setTimeout(() => socket.resetAndDestroy(), leaveAfterMs)
  })
}

type Opening = { pieces: readonly (string | Buffer)[]; msMax: number }

async function openings(client: Client): Promise<Record<string, () => Opening>> {
  const keys = `Host: localhost\r\nConsumer: ${client.keys?.consumer}\r\nSecretKey: ${client.keys?.secretKey}\r\n`
  const json = (body: string, length = Buffer.byteLength(body)) =>
    `Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\nContent-Length: ${length}\r\n\r\n${body}`
  const { id } = await deployWorkflow(client, ['return 1'])
  const webhook = await enableWebhook(client, id)
  const { id: slow } = await deployWorkflow(client, ['await sleep(20); return 1'])
  const shareId = await shareFiles(client, { code: 'open sesame' }, [
    { name: 'large.bin', content: 'x'.repeat(3_000_000), type: 'text/plain' },
  ])
  const list = await postShare(service.baseUrl, shareId, { code: 'open sesame' })
  const form = new URLSearchParams({ code: 'open sesame', file: fileIds(list.bytes.toString())[0] ?? '' }).toString()
  const form64 = `--b\r\nContent-Disposition: form-data; name="files"; filename="a.txt"\r\n\r\n${'x'.repeat(50_000)}`
  const stream = (headers = '') => `GET /api/Stream HTTP/1.1\r\n${keys}${headers}\r\n`
  const body = Buffer.alloc(200_000, 'x')
  const listTools = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} })
  return {
    stream: () => ({ pieces: [stream()], msMax: 6 }),
    'stream of one workflow': () => ({ pieces: [stream().replace('Stream', `Stream?workflowId=${id}`)], msMax: 6 }),
    'stream that is resumed': () => ({ pieces: [stream('Last-Event-ID: 1\r\n')], msMax: 8 }),
    'streams behind each other': () => ({ pieces: [stream() + stream() + stream()], msMax: 8 }),
    upload: () => ({
      pieces: [
        `POST /api/ProxySecureUpload HTTP/1.1\r\n${keys}Content-Type: multipart/form-data; boundary=b\r\nContent-Length: 100000\r\n\r\n`,
        form64,
      ],
      msMax: 40,
    }),
    download: () => ({
      pieces: [
        `POST ${sharePath}?shareid=${shareId} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: ${form.length}\r\n\r\n${form}`,
      ],
      msMax: 400,
    }),
    mcp: () => ({ pieces: [`POST /mcp HTTP/1.1\r\n${keys}${json(listTools)}`], msMax: 15 }),
    'mcp with half a body': () => ({ pieces: [`POST /mcp HTTP/1.1\r\n${keys}${json('{', 200_000)}`], msMax: 15 }),
    'request with half a body': () => ({
      pieces: [`POST /api/TestBlock HTTP/1.1\r\n${keys}${json('{', 7_000_000)}`],
      msMax: 6,
    }),
    'wait for a result': () => ({
      pieces: [`POST /api/RunAndWait/${slow} HTTP/1.1\r\n${keys}${json('{"waitSeconds":25}')}`],
      msMax: 60,
    }),
    'large response': () => ({ pieces: [`GET /openapi.json HTTP/1.1\r\nHost: x\r\n\r\n`], msMax: 6 }),
    webhook: () => ({
      pieces: [
        `POST ${new URL(webhook.url).pathname} HTTP/1.1\r\nHost: x\r\nX-Patchbay-Signature: ${signature(webhook.secret, body)}\r\nContent-Length: ${body.length}\r\n\r\n`,
        body.subarray(0, 150_000),
      ],
      msMax: 6,
    }),
  }
}

describe('a client that leaves', () => {
  it('gives back everything, whatever it had begun and whenever it leaves', async () => {
    const times = proofSize('ABORTED_REQUESTS', { small: 60, large: 10_000 })
    const random = proofRandom()
    const { client } = await createAccount(service, service.manager, 'User')
    // Each code that is checked costs a tenth of a second, and each result a run, so these are fewer.
    const costly = new Set(['download', 'wait for a result'])
    const timesOf = (kind: string) => (costly.has(kind) ? Math.ceil(times / 10) : times)
    for (const [kind, open] of Object.entries(await openings(client))) {
      let left = timesOf(kind)
      const leave = async () => {
        while (left-- > 0) {
          const { pieces, msMax } = open()
          await sendAndLeave(pieces, random.below(msMax + 1))
        }
      }
      await Promise.all(Array.from({ length: 10 }, leave))
      await nothingHeld()
      console.log(`${kind}: opened and left ${timesOf(kind)} times, nothing is held`)
    }
    // All of it is there for the next one.
    await using reader = await EventReader.open(client)
    expect(reader.status).toBe(200)
    const shared = await shareFiles(client, { code: 'again' })
    expect((await download(service, shared, 'again')).bytes.toString()).toBe('Hello, Anna')
  })
})

describe('streams', () => {
  it('are at most 50 of an account; another account of the same organization has its own', async () => {
    const { client } = await createAccount(service, service.manager, 'User')
    const open = () => EventReader.open(client)
    const readers = await Promise.all(Array.from({ length: 50 }, open))
    expect(new Set(readers.map(({ status }) => status))).toEqual(new Set([200]))
    expect(await held()).toMatchObject({ 'kind="stream"': 50 })
    const refused = await client.get('/api/Stream')
    expect([refused.status, refused.body.errorMessage]).toEqual([429, expect.stringContaining('at most 50')])
    const other = await createAccount(service, service.manager, 'User')
    expect((await other.client.get('/api/Stream')).status).toBe(200)
    await readers[0]?.[Symbol.asyncDispose]()
    await eventually(async () => (await client.get('/api/Stream')).status === 200)
    for (const reader of readers) await reader[Symbol.asyncDispose]()
    await nothingHeld()
  })

  it('carry at most 1 KB of a message', async () => {
    const { manager } = await createOrganization(service)
    const { id } = await deployWorkflow(manager, ['throw new Error("€".repeat(60_000) + "\\n".repeat(60_000))'])
    await using reader = await EventReader.open(manager)
    await manager.post('/api/RunWorkflow', { workflowId: id })
    const [ended] = await reader.wait('run.ended')
    for (const event of reader.events) expect(Buffer.byteLength(JSON.stringify(event.data))).toBeLessThan(2_048)
    expect(ended?.data.errorMessage).toMatch(/€{100,}…$/)
    expect(Buffer.byteLength(ended?.data.errorMessage)).toBeGreaterThan(1_000)
  })
})
