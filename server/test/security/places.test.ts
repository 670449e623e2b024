// Requests with keys that never end: they take the places of their own account and organization, not those of others.
import { createServer, type Server } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createAccount, createOrganization } from '../harness/accounts.ts'
import type { Client } from '../harness/client.ts'
import { eventually } from '../harness/eventually.ts'
import { startService, type TestService } from '../harness/service.ts'
import { hello, sendUpload, uploadForm } from '../harness/upload.ts'

let service: TestService
let silent: Server
let baseUrl: string
beforeAll(async () => {
  // A target that takes calls and never answers.
  silent = createServer(() => {})
  await new Promise<void>((done) => silent.listen(0, '127.0.0.1', done))
  baseUrl = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`
  service = await startService({ role: 'api', env: { PATCHBAY_EGRESS_ALLOW: '127.0.0.1' } })
})
afterAll(async () => {
  silent.closeAllConnections()
  await service[Symbol.asyncDispose]()
  silent.close()
})

/**
 * Holds calls that the target never answers. One that ends is made again: on a slow machine the service gives up the
 * first before the last begin. The answer is the calls that were refused at least once, which grow while time passes.
 */
async function holdCalls(client: Client, count: number, released: AbortSignal): Promise<ReadonlySet<number>> {
  const applications = (await client.get('/api/Applications')).body as { id: string; shortName: string }[]
  const registered = await client.post('/api/RegApplication', {
    applicationId: applications.find(({ shortName }) => shortName === 'HTTP')?.id,
    tagText: 'silent',
    credentialsJson: JSON.stringify({ baseUrl, authType: 'none' }),
  })
  expect(registered.status, registered.text).toBe(200)
  const refused = new Set<number>()
  const hold = async (index: number) => {
    while (!released.aborted) {
      const { status } = await client.get('/api/ApiGet?url=http/slow')
      if (status !== 429) continue
      refused.add(index)
      await new Promise((done) => setTimeout(done, 1_000))
    }
  }
  for (let index = 0; index < count; index++) hold(index).catch(() => {})
  return refused
}

it('one account, and one organization, holds its share and no more; all others are served', async () => {
  const { manager } = await createOrganization(service)
  const accounts = [await createAccount(service, manager, 'User'), await createAccount(service, manager, 'User')]
  const release = new AbortController()
  for (const { client } of accounts) {
    const refused = await holdCalls(client, 520, release.signal)
    await eventually(() => refused.size >= 20)
    // Those that found a place, when another had given it up, are few.
    expect(refused.size).toBeLessThan(60)
  }
  // Its organization has all it may have, whichever account asks.
  const full = await eventually(async () => {
    const answer = await manager.get('/api/Authenticate')
    return answer.status === 429 ? answer : undefined
  })
  expect(full.body.errorMessage).toContain('in progress')
  const others = await Promise.all(Array.from({ length: 100 }, () => service.manager.get('/api/Authenticate')))
  expect(new Set(others.map(({ status }) => status))).toEqual(new Set([200]))
  release.abort()
  await eventually(async () => {
    silent.closeAllConnections()
    return (await manager.get('/api/Authenticate')).status === 200
  })
})

it('uploads that stand still take the places of their account and organization, not those of others', async () => {
  const { manager } = await createOrganization(service)
  const accounts = await Promise.all([1, 2, 3, 4].map(() => createAccount(service, manager, 'User')))
  const sockets: Socket[] = []
  const refused: string[] = []
  const beginUploads = (client: Client, count: number) => {
    const head = `POST /api/ProxySecureUpload HTTP/1.1\r\nHost: x\r\nConsumer: ${client.keys?.consumer}\r\nSecretKey: ${client.keys?.secretKey}\r\n`
    for (let index = 0; index < count; index++) {
      const socket = connect(Number(new URL(service.baseUrl).port), '127.0.0.1')
      socket.on('error', () => {}).on('data', (bytes) => void refused.push(bytes.toString().slice(9, 12)))
      socket.write(`${head}Content-Type: multipart/form-data; boundary=b\r\nContent-Length: 100000\r\n\r\n--b\r\n`)
      sockets.push(socket)
    }
  }
  const upload = async (client: Client) => (await sendUpload(client, uploadForm([hello]))).status
  try {
    for (const [index, { client }] of accounts.slice(0, 3).entries()) {
      beginUploads(client, 70)
      await eventually(() => refused.length === 6 * (index + 1))
    }
    expect(new Set(refused)).toEqual(new Set(['429']))
    // Three accounts have all that their organization may have.
    expect(await upload(accounts[3]?.client as Client)).toBe(429)
    expect((await manager.get('/api/Authenticate')).status).toBe(200)
    expect(await upload(service.manager)).toBe(200)
  } finally {
    for (const socket of sockets) socket.destroy()
  }
  await eventually(async () => (await upload(accounts[3]?.client as Client)) === 200)
})
