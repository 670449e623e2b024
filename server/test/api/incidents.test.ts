// The bad day, grouped by cause.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAccount } from '../harness/accounts.ts'
import type { Client } from '../harness/client.ts'
import { joinService } from '../harness/joined-service.ts'
import type { TestService } from '../harness/service.ts'
import { createWorkflow, deployWorkflow, runToEnd } from '../harness/workflows.ts'

type Account = Awaited<ReturnType<typeof createAccount>>
let service: TestService
let manager: Client
let north: Account
let south: Account
const connection = 'cccccccc-0000-4000-8000-0000000000c1'

beforeAll(async () => {
  service = await joinService()
  manager = service.manager
  north = await createAccount(service, manager, 'User')
  south = await createAccount(service, manager, 'User')
  const fail = async (client: Client, name: string, sentence: string) => {
    const { id } = await deployWorkflow(client, [`throw new Error(${JSON.stringify(sentence)})`], { name })
    await runToEnd(client, id)
    return id
  }
  await fail(north.client, 'Orders', 'Order 4711 was refused by the shop')
  await fail(south.client, 'Orders', 'Order 98 was refused by the shop')
  await fail(south.client, 'Invoices', 'The ledger is closed')
})
afterAll(() => service[Symbol.asyncDispose]())

type Incident = Record<string, unknown> & { message: string; workflows: unknown[]; accounts: unknown[] }
async function incidents(client: Client = manager, body: object = { acrossAccounts: true }): Promise<Incident[]> {
  const answer = await client.post('/api/Incidents', body)
  expect(answer.status, answer.text).toBe(200)
  return answer.body.items
}
const saying = (list: Incident[], words: string) => list.filter(({ message }) => message.includes(words))

describe('POST /api/Incidents', () => {
  it('makes one of the same error in several accounts, whatever numbers it names', async () => {
    const [same, ...others] = saying(await incidents(), 'refused by the shop')
    expect(others).toEqual([])
    expect(same).toMatchObject({
      kind: 'workflow.failing',
      title: 'Orders of 2 customers',
      regApplicationId: null,
      action: 'retry',
      sinceDateTimeUTC: expect.stringMatching(/Z$/),
    })
    expect(same?.accounts).toHaveLength(2)
    expect(same?.workflows).toHaveLength(2)
    expect(same?.workflows[0]).toMatchObject({ workflowName: 'Orders', accountId: north.id })
  })

  it('keeps different errors apart, and names a single workflow', async () => {
    expect(saying(await incidents(), 'The ledger is closed')).toMatchObject([
      { title: 'Invoices', accounts: [{ accountId: south.id, accountName: 'Ada Test', accountEmail: south.email }] },
    ])
  })

  it('goes no further than the caller may', async () => {
    const own = await incidents(north.client)
    expect(saying(own, 'refused by the shop')[0]).toMatchObject({
      title: 'Orders',
      accounts: [{ accountId: north.id }],
    })
    expect(saying(own, 'The ledger is closed')).toEqual([])
    expect(await incidents(manager, {})).toEqual([])
  })

  it('tells of a faulted connection with the workflows that it pauses, and of those only once', async () => {
    await service.asOwner(
      `insert into registered_applications (id, account_id, organization_id, application_id, short_name, name, tag_text, is_oauth,
         is_authenticated, sealed_credentials, fault_message, faulted_at)
       select $1, a.id, a.organization_id, gen_random_uuid(), 'TEST', 'Shop of the north', '', false, true, ''::bytea, 'The password is wrong.', now() from accounts a where a.id = $2`,
      [connection, north.id],
    )
    const { id } = await createWorkflow(north.client, ['return 1'], {
      name: 'Stock',
      applications: { TEST: connection },
    })
    await service.asOwner(`update workflows set state = 'deployed' where id = $1`, [id])
    const [fault, ...others] = (await incidents()).filter(({ kind }) => kind === 'connection.faulted')
    expect(others).toEqual([])
    expect(fault).toMatchObject({
      title: 'Shop of the north',
      message: 'The password is wrong.',
      regApplicationId: connection,
      action: 'reconnect',
      workflows: [{ workflowId: id, workflowName: 'Stock', accountId: north.id }],
    })
  })

  it('offers to resume what is paused', async () => {
    const { id } = await deployWorkflow(south.client, ['return 1'], { name: 'Paused one' })
    await manager.post('/api/BulkAction', { action: 'pause', workflowIds: [id] })
    expect(saying(await incidents(), 'Somebody paused')).toMatchObject([{ action: 'resume', title: 'Paused one' }])
  })

  it('comes in pages, and each keeps its id', async () => {
    const all = await incidents()
    const answer = await manager.post('/api/Incidents', { acrossAccounts: true, page: 1, size: 1 })
    expect(answer.body.items).toEqual([all[1]])
    expect(answer.body.total).toBe(all.length)
    expect(new Set(all.map(({ id }) => id)).size).toBe(all.length)
  })
})
