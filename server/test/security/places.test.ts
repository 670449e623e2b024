// Requests with keys that never end: they take the places of their own account and organization, not those of others.
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createAccount, createOrganization } from '../harness/accounts.ts'
import type { Client } from '../harness/client.ts'
import { eventually } from '../harness/eventually.ts'
import { startService, type TestService } from '../harness/service.ts'

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

/** Begins calls that the target never answers; the statuses of those that are refused come one by one. */
async function beginCalls(client: Client, count: number): Promise<number[]> {
  const applications = (await client.get('/api/Applications')).body as { id: string; shortName: string }[]
  const registered = await client.post('/api/RegApplication', {
    applicationId: applications.find(({ shortName }) => shortName === 'HTTP')?.id,
    tagText: 'silent',
    credentialsJson: JSON.stringify({ baseUrl, authType: 'none' }),
  })
  expect(registered.status, registered.text).toBe(200)
  const statuses: number[] = []
  for (let index = 0; index < count; index++) {
    client.get('/api/ApiGet?url=http/slow').then(
      ({ status }) => void statuses.push(status),
      () => {},
    )
  }
  return statuses
}

it('one account, and one organization, holds its share and no more; all others are served', async () => {
  const { manager } = await createOrganization(service)
  const accounts = [await createAccount(service, manager, 'User'), await createAccount(service, manager, 'User')]
  for (const { client } of accounts) {
    const statuses = await beginCalls(client, 520)
    await eventually(() => statuses.length === 20)
    expect(new Set(statuses)).toEqual(new Set([429]))
  }
  // Its organization has all it may have, whichever account asks.
  const refused = await manager.get('/api/Authenticate')
  expect([refused.status, refused.body.errorMessage]).toEqual([429, expect.stringContaining('in progress')])
  const others = await Promise.all(Array.from({ length: 100 }, () => service.manager.get('/api/Authenticate')))
  expect(new Set(others.map(({ status }) => status))).toEqual(new Set([200]))
  silent.closeAllConnections()
  await eventually(async () => {
    silent.closeAllConnections()
    return (await manager.get('/api/Authenticate')).status === 200
  })
})
