import { type Client, createClient } from '@patchbay/sdk'
import {
  chainOf,
  employeeBlocks,
  emptyStockBlocks,
  faultyBlocks,
  orderBlocks,
  reportBlocks,
  stockBlocks,
} from './chains.ts'
import type { Customer } from './customers.ts'
import { modelNumbers, orderOf, send, type Webhook } from './webhook-orders.ts'

type Given = {
  baseUrl: string
  keys: { consumer: string; secretKey: string }
  manager: Client
  testId: string
  customer: Customer
}

export type Filled = {
  customer: Customer
  client: Client
  accountId: string
  connectionId: string
  orders: { id: string; webhook: Webhook }
  /** By name: each has one run so far. */
  workflowIds: { employees: string; stock: string; report: string }
}

/** An account with connections and workflows, each of which has run once. */
export async function fillCustomer({ baseUrl, keys, manager, testId, customer }: Given): Promise<Filled> {
  const { email, firstName, lastName, tag, troubles } = customer
  const accountId = await manager.call('AccountCreate', {
    body: { email, firstName, lastName, roleName: 'User', activated: true },
  })
  await manager.call('AttributeTagAdd', {
    params: { entityType: 'account', entityId: accountId },
    body: { value: tag },
  })
  const client = createClient({ baseUrl, keys, managedAccountId: accountId })
  const connectionId = await connect(client, testId, 'Test service')
  const orders = await deploy(client, 'Web shop orders', orderBlocks, connectionId)
  const employees = await deploy(client, 'Employees to directory', employeeBlocks, connectionId)
  const stock = await deploy(
    client,
    'Stock to web shop',
    troubles.includes('stock') ? emptyStockBlocks : stockBlocks,
    connectionId,
  )
  const report = await deploy(
    client,
    'Morning report',
    troubles.includes('report') ? faultyBlocks : reportBlocks,
    connectionId,
  )
  await client.call('ExpectationsUpdate', {
    params: { workflowId: stock.id },
    body: { expectations: [{ kind: 'itemsBetween', uniqueBlockId: stock.blockIds[0] as string, min: 1 }] },
  })
  await schedule(client, employees.id, '0 6 * * 1-5')
  await schedule(client, report.id, '30 7 * * *')
  const settings = { params: { id: orders.id }, body: { skipProcessingAfterErrors: 1 } }
  const webhook = (await client.call('WebhookSettingsEnable', settings)) as Webhook
  await send(webhook, orderOf(modelNumbers.taken, lastName, false))
  if (customer.refusedEvery > 0) await send(webhook, orderOf(modelNumbers.refused, lastName, true))
  for (const { id } of [employees, stock, report]) await client.call('RunWorkflow', { body: { workflowId: id } })
  await client.call('MyVaultSetGlobal', {
    params: { accountId, key: 'accounting settings' },
    body: { jsonData: { ledger: '3000', vatCode: '3', currency: 'NOK' } },
  })
  const workflowIds = { employees: employees.id, stock: stock.id, report: report.id }
  return { customer, client, accountId, connectionId, orders: { id: orders.id, webhook }, workflowIds }
}

export async function connect(client: Client, applicationId: string, tagText: string): Promise<string> {
  return await client.call('RegApplicationCreate', { body: { applicationId, tagText, credentialsJson: '{}' } })
}

type Deployed = { id: string; blockIds: readonly string[] }

export async function deploy(
  client: Client,
  name: string,
  blocks: Parameters<typeof chainOf>[0],
  connectionId: string,
): Promise<Deployed> {
  const { chain, ids } = chainOf(blocks)
  const applications = { TEST: connectionId }
  const id = await client.call('WorkflowCreate', { body: { name, description: '', applications, chain } })
  await client.call('DeployWorkflow', { params: { id } })
  return { id, blockIds: ids }
}

async function schedule(client: Client, workflowId: string, scheduleFrequency: string): Promise<void> {
  await client.call('WorkflowScheduler', {
    body: { workflowId, isScheduled: true, scheduleFrequency, timeZone: 'Europe/Oslo' },
  })
}
