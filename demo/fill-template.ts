// A template of the partner in three versions, and customers at different points of the way: what the upgrade assistant is for.
import { randomUUID } from 'node:crypto'
import type { Client } from '@patchbay/sdk'
import type { Filled } from './fill-customer.ts'

const name = 'Invoices to accounting'
const templateId = randomUUID()
const blockId = randomUUID()

const scripts = {
  '1': `const orders = await api.get('TEST/orders')
const rate = 0.25
return orders.map((order) => ({ reference: order.number, vat: order.total * rate }))`,
  '2': `const orders = await api.get('TEST/orders')
const rate = 0.25
console.log('invoices:', orders.length)
return orders.map((order) => ({ reference: order.number, vat: order.total * rate }))`,
  '3': `const orders = await api.get('TEST/orders')
const rate = 0.255
console.log('invoices:', orders.length)
return orders.map((order) => ({ reference: order.number, vat: Math.round(order.total * rate * 100) / 100 }))`,
} as const
/** One customer has another rate, in the line that version 3 changes. */
const ownScript = scripts['1'].replace('0.25', '0.15')

/** Two customers follow version 2 already; with version 3 waiting, one customer is in conflict and the others are clean. */
export async function fillTemplate(manager: Client, filled: readonly Filled[]): Promise<void> {
  await publish(manager, '1')
  const workflowIds = await Promise.all(filled.map((one) => create(one)))
  const [customised] = filled
  await customised?.client.call('WorkflowUpdate', {
    params: { id: workflowIds[0] as string },
    body: { chain: [{ uniqueBlockId: blockId, script: ownScript }] },
  })
  await publish(manager, '2')
  await manager.call('TemplateUpgrade', {
    body: { workflowTemplateId: templateId, toVersion: '2', workflowIds: workflowIds.slice(3), waveMinutes: 0 },
  })
  await publish(manager, '3')
}

async function publish(manager: Client, version: keyof typeof scripts): Promise<void> {
  const template = {
    id: templateId,
    name,
    description: 'Reads orders and makes an invoice of each, with the tax that applies.',
    version,
    state: 'Published',
    applications: ['TEST'],
    variables: [],
    chain: [{ uniqueBlockId: blockId, blockName: 'Make invoices', script: scripts[version] }],
  }
  // JSON is YAML.
  await manager.call('CatalogImport', {
    body: { files: [{ path: 'workflows/invoices-to-accounting.yaml', content: JSON.stringify(template) }] },
  })
}

async function create({ client, connectionId }: Filled): Promise<string> {
  const id = await client.call('WorkflowCreate', {
    body: { name, workflowTemplateId: templateId, applications: { TEST: connectionId } },
  } as never)
  await client.call('DeployWorkflow', { params: { id } } as never)
  await client.call('RunWorkflow', { body: { workflowId: id as string } })
  return id as string
}
