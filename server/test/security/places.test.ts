// Requests with keys that never end: they take the places of their own account and organization, not those of others.
import { connect, type Socket } from 'node:net'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createAccount, createOrganization } from '../harness/accounts.ts'
import type { Client } from '../harness/client.ts'
import { eventually } from '../harness/eventually.ts'
import { startService, type TestService } from '../harness/service.ts'

let service: TestService
const sockets: Socket[] = []
beforeAll(async () => {
  service = await startService({ role: 'api' })
})
afterAll(async () => {
  for (const socket of sockets) socket.destroy()
  await service[Symbol.asyncDispose]()
})

/** Begins uploads that go no further; the statuses of those that are answered come one by one. */
function beginUploads({ keys }: Client, count: number): string[] {
  const statuses: string[] = []
  for (let index = 0; index < count; index++) {
    const socket = connect(Number(new URL(service.baseUrl).port), '127.0.0.1')
    socket.on('error', () => {}).on('data', (chunk) => void statuses.push(String(chunk).slice(9, 12)))
    socket.write(
      `POST /api/ProxySecureUpload HTTP/1.1\r\nHost: x\r\nConsumer: ${keys?.consumer}\r\nSecretKey: ${keys?.secretKey}\r\n` +
        'Content-Type: multipart/form-data; boundary=b\r\nContent-Length: 100000\r\n\r\n--b\r\n',
    )
    sockets.push(socket)
  }
  return statuses
}

it('one account, and one organization, holds its share and no more; all others are served', async () => {
  const { manager } = await createOrganization(service)
  const accounts = [await createAccount(service, manager, 'User'), await createAccount(service, manager, 'User')]
  for (const { client } of accounts) {
    const statuses = beginUploads(client, 520)
    await eventually(() => statuses.length === 20)
    expect(new Set(statuses)).toEqual(new Set(['429']))
  }
  // Its organization has all it may have, whichever account asks.
  const refused = await manager.get('/api/Authenticate')
  expect([refused.status, refused.body.errorMessage]).toEqual([429, expect.stringContaining('under way')])
  const others = await Promise.all(Array.from({ length: 100 }, () => service.manager.get('/api/Authenticate')))
  expect(new Set(others.map(({ status }) => status))).toEqual(new Set([200]))
  for (const socket of sockets.splice(0)) socket.destroy()
  await eventually(async () => (await manager.get('/api/Authenticate')).status === 200)
})
