// The workflows of the demo. All of them work with the built-in application TEST and nothing else.
import { randomUUID } from 'node:crypto'

type Block = { name: string; script: string }

/** A row of blocks, each with the one before it as its data source. */
export function rowOf(blocks: readonly Block[]) {
  const ids = blocks.map(() => randomUUID())
  const chain = blocks.map(({ name, script }, index) => ({
    uniqueBlockId: ids[index] as string,
    blockName: name,
    script,
    dataSources: index === 0 ? [] : [ids[index - 1] as string],
  }))
  return { chain, ids }
}

export const orderBlocks: readonly Block[] = [
  {
    name: 'Receive order',
    script: `const order = webhook.body
console.log('Order', order.number, 'of', order.customer)
return order`,
  },
  {
    name: 'Make invoice',
    script: `const [order] = Datasource
const net = order.lines.reduce((sum, line) => sum + line.quantity * line.price, 0)
return { reference: order.number, customer: order.customer, net, vat: Math.round(net * 25) / 100 }`,
  },
  {
    name: 'Send to accounting',
    script: `const [invoice] = Datasource
if (invoice.net < 0) throw new Error('Accounting refuses invoice ' + invoice.reference + ': the amount is negative.')
const answer = await api.post('TEST/echo', invoice)
myVault.set('invoice ' + invoice.reference, { sent: true })
return answer`,
  },
]

export const employeeBlocks: readonly Block[] = [
  { name: 'Employees', script: `return await api.get('test/employees')` },
  { name: 'Only active', script: `return Datasource[0].filter((person) => person.active !== false)` },
  {
    name: 'Write directory',
    script: `for (const person of Datasource[0]) console.log(person.firstName, person.email)
return { written: Datasource[0].length }`,
  },
]

/** Green, and still wrong: nothing changed, day after day. */
export const emptyStockBlocks: readonly Block[] = [
  { name: 'Changed stock', script: `return []` },
  { name: 'Update shop', script: `console.log('updated', Datasource[0].length); return Datasource[0].length` },
]

export const stockBlocks: readonly Block[] = [
  { name: 'Changed stock', script: `return await api.get('test/orders')` },
  { name: 'Update shop', script: `console.log('updated', Datasource[0].length); return Datasource[0].length` },
]

export const reportBlocks: readonly Block[] = [
  { name: 'Read report', script: `return await api.get('test/orders')` },
  { name: 'Mail report', script: `return { orders: Datasource[0].length }` },
]

export const faultyBlocks: readonly Block[] = [
  { name: 'Read report', script: `return await api.get('test/fail?status=503')` },
  { name: 'Mail report', script: `return Datasource[0]` },
]

export const refusedBlocks: readonly Block[] = [
  { name: 'Read warehouse', script: `return await api.get('test/fail?status=401')` },
]
