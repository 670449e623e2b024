// A change of role or state holds within a second, on every process, for keys, managed accounts and webhooks.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createAccount, uniqueEmail } from '../harness/accounts.ts'
import type { Client } from '../harness/client.ts'
import { joinService } from '../harness/joined-service.ts'
import type { TestService } from '../harness/service.ts'
import { enableWebhook } from '../harness/webhooks.ts'
import { holdsWithinASecond } from '../harness/within-a-second.ts'
import { deployWorkflow } from '../harness/workflows.ts'

let service: TestService
let other: TestService
beforeAll(async () => {
  service = await joinService()
  other = await service.startAnother({}, 'api')
})
afterAll(async () => {
  await other[Symbol.asyncDispose]()
  await service[Symbol.asyncDispose]()
})

const both = (client: Client) => [client, other.client(client.keys)]
const holds = (clients: Client[], ask: (client: Client) => Promise<number>, status: number) =>
  Promise.all(clients.map((client) => holdsWithinASecond(async () => (await ask(client)) === status)))

it('a role that was taken away or given', async () => {
  const { client, id } = await createAccount(service, service.manager, 'DevPartner')
  const person = { email: uniqueEmail(), firstName: 'Carl', lastName: 'Customer', roleName: 'User' }
  const customer = { id: (await client.post('/api/Account', person)).body as string }
  const ask = async (one: Client) => (await one.post('/api/TemplateUpgrades', {})).status
  const act = async (one: Client) => (await one.as(customer.id).get('/api/Authenticate')).status
  await holds(both(client), ask, 200)
  await holds(both(client), act, 200)
  expect((await service.manager.post(`/api/AccountUpdate/${id}`, { roleName: 'User' })).status).toBe(200)
  await Promise.all([holds(both(client), ask, 403), holds(both(client), act, 403)])
  expect((await service.manager.post(`/api/AccountUpdate/${id}`, { roleName: 'DevPartner' })).status).toBe(200)
  await Promise.all([holds(both(client), ask, 200), holds(both(client), act, 200)])
})

it('an account that is locked or active again', async () => {
  const { client, id } = await createAccount(service, service.manager, 'User')
  const workflow = await deployWorkflow(client, ['return 1'])
  const hook = await enableWebhook(client, workflow.id)
  const ask = async (one: Client) => (await one.get('/api/Workflows')).status
  const send = async () => (await hook.send({})).status
  await holds(both(client), ask, 200)
  expect(await send()).toBe(200)
  expect((await service.manager.post(`/api/AccountState/${id}`, { accountState: 'Locked' })).status).toBe(200)
  await Promise.all([holds(both(client), ask, 401), holdsWithinASecond(async () => (await send()) === 404)])
  expect((await service.manager.post(`/api/AccountState/${id}`, { accountState: 'Active' })).status).toBe(200)
  await Promise.all([holds(both(client), ask, 200), holdsWithinASecond(async () => (await send()) === 200)])
})
