import { createHmac } from 'node:crypto'
import { type Client, createClient } from '@patchbay/sdk'
import { employeeBlocks, faultyBlocks, orderBlocks, rowOf, stockBlocks } from './chains.ts'
import type { Customer } from './customers.ts'
import { sideBySide } from './side-by-side.ts'

type Given = {
  baseUrl: string
  keys: { consumer: string; secretKey: string }
  manager: Client
  customer: Customer
}

/** An account with connections, workflows, runs, a queue and failures; answers how many runs it started. */
export async function fillCustomer({ baseUrl, keys, manager, customer }: Given): Promise<number> {
  const { email, firstName, lastName, tag } = customer
  const accountId = await manager.call('AccountCreate', {
    body: { email, firstName, lastName, roleName: 'User', activated: true },
  })
  await manager
    .call('AttributeTagAdd', { body: { entityType: 'Account', entityId: accountId, tag } } as never)
    .catch(() => {})
  const client = createClient({ baseUrl, keys, managedAccountId: accountId })
  const connectionId = await connect(client)
  const orders = await deploy(client, 'Web shop orders', orderBlocks, connectionId)
  const staff = await deploy(client, 'Employees to directory', employeeBlocks, connectionId)
  const stock = await deploy(client, 'Stock to web shop', stockBlocks, connectionId)
  const report = await deploy(client, 'Morning report', faultyBlocks, connectionId)
  await client.call('ExpectationsUpdate', {
    params: { workflowId: stock.id },
    body: { expectations: [{ kind: 'itemsBetween', uniqueBlockId: stock.blockIds[0] as string, min: 1 }] },
  })
  await schedule(client, staff.id, '0 6 * * 1-5')
  await schedule(client, report.id, '30 7 * * *')
  await sendOrders(client, orders.id, customer)
  await sendBlockedOrders(client, connectionId)
  const byHand = [staff.id, staff.id, stock.id, stock.id, report.id, report.id]
  await sideBySide(byHand, 3, (workflowId) => client.call('RunWorkflow', { body: { workflowId } }))
  await client.call('MyVaultSetGlobal', {
    params: { accountId, key: 'accounting settings' },
    body: { jsonData: { ledger: '3000', vatCode: '3', currency: 'NOK' } },
  })
  return customer.orders + byHand.length
}

async function connect(client: Client): Promise<string> {
  const applications = await client.call('ApplicationsSearch', { body: { searchTerm: 'TEST' } } as never)
  const test = (applications as { applications: { id: string; shortName: string }[] }).applications.find(
    ({ shortName }) => shortName === 'TEST',
  )
  const answer = await client.call('RegApplicationCreate', {
    body: { applicationId: test?.id as string, tagText: 'Test service', credentialsJson: '{}' },
  })
  return answer as string
}

type Deployed = { id: string; blockIds: readonly string[] }

async function deploy(
  client: Client,
  name: string,
  blocks: Parameters<typeof rowOf>[0],
  connectionId: string,
): Promise<Deployed> {
  const { chain, ids } = rowOf(blocks)
  const id = (await client.call('WorkflowCreate', {
    body: { name, description: '', applications: { TEST: connectionId }, chain },
  })) as string
  await client.call('DeployWorkflow', { params: { id } } as never)
  return { id, blockIds: ids }
}

async function schedule(client: Client, workflowId: string, scheduleFrequency: string): Promise<void> {
  await client.call('WorkflowScheduler', {
    body: { workflowId, isScheduled: true, scheduleFrequency, timeZone: 'Europe/Oslo' },
  })
}

async function sendOrders(client: Client, workflowId: string, customer: Customer): Promise<void> {
  const { url, secret } = await client.call('WebhookSettingsEnable', {
    params: { id: workflowId },
    body: { skipProcessingAfterErrors: 1 },
  })
  const numbers = Array.from({ length: customer.orders }, (_, index) => 4000 + index)
  await sideBySide(numbers, 12, (number) => {
    const isRefused = customer.refusedEvery > 0 && number % customer.refusedEvery === 0
    return send(url, secret as string, orderOf(number, customer, isRefused ? -1 : 1))
  })
}

/** A queue in strict order whose first request fails: everything behind it waits, as it would on a bad morning. */
async function sendBlockedOrders(client: Client, connectionId: string): Promise<void> {
  const { id } = await deploy(client, 'Returns in strict order', orderBlocks, connectionId)
  const { url, secret } = await client.call('WebhookSettingsEnable', {
    params: { id },
    body: { strictOrderProcessing: true },
  })
  for (let number = 900; number < 924; number += 1) {
    await send(url, secret as string, {
      number,
      customer: 'returns@example.com',
      lines: [{ sku: 'R-1', quantity: 1, price: number === 900 ? -10 : 10 }],
    })
  }
}

function orderOf(number: number, customer: Customer, sign: number) {
  const quantity = 1 + (number % 4)
  return {
    number,
    shop: customer.lastName,
    customer: `buyer${number % 97}@example.com`,
    lines: [
      { sku: `A-${100 + (number % 23)}`, quantity, price: sign * (49 + (number % 300)) },
      { sku: `B-${200 + (number % 11)}`, quantity: 1, price: sign * 19 },
    ],
  }
}

async function send(url: string, secret: string, payload: unknown): Promise<void> {
  const body = JSON.stringify(payload)
  const signature = `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'X-Patchbay-Signature': signature },
    body,
  })
  if (!response.ok) throw new Error(`A webhook was answered ${response.status}: ${await response.text()}`)
}
