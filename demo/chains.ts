// The workflows of the demo. All of them work with the built-in application TEST and nothing else.
import { randomUUID } from 'node:crypto'

type Block = {
  name: string
  script: string
  /** Blocks whose results it reads, by name; the one before it where nothing is said. */
  reads?: readonly string[]
  isCalling?: boolean
}

export function chainOf(blocks: readonly Block[]) {
  const ids = blocks.map(() => randomUUID())
  const idOf = (name: string) => ids[blocks.findIndex((block) => block.name === name)] as string
  const chain = blocks.map(({ name, script, reads, isCalling = false }, index) => ({
    uniqueBlockId: ids[index] as string,
    blockName: name,
    script,
    dataSources: reads?.map(idOf) ?? ids.slice(Math.max(0, index - 1), index),
    ...(isCalling ? { applicationShortName: 'TEST' } : {}),
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
    name: 'Reserve stock',
    reads: ['Receive order'],
    isCalling: true,
    script: `const [order] = Datasource
const items = order.lines.map(({ sku, quantity }) => ({ sku, quantity }))
return await api.post('TEST/echo', { order: order.number, items })`,
  },
  {
    name: 'Send to accounting',
    reads: ['Make invoice', 'Reserve stock'],
    isCalling: true,
    script: `const [invoice] = Datasource
const { reference, net } = invoice
if (net < 0) {
  throw new Error('Accounting refuses ' + reference + ': negative amount.')
}
const answer = await api.post('TEST/echo', invoice)
myVault.set('invoice ' + reference, { sent: true })
return answer`,
  },
]

export const employeeBlocks: readonly Block[] = [
  { name: 'Employees', isCalling: true, script: `return await api.get('test/employees')` },
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
  { name: 'Changed stock', isCalling: true, script: `return await api.get('test/orders')` },
  { name: 'Update shop', script: `console.log('updated', Datasource[0].length); return Datasource[0].length` },
]

export const reportBlocks: readonly Block[] = [
  { name: 'Read report', isCalling: true, script: `return await api.get('test/orders')` },
  { name: 'Mail report', script: `return { orders: Datasource[0].length }` },
]

export const faultyBlocks: readonly Block[] = [
  { name: 'Read report', isCalling: true, script: `return await api.get('test/fail?status=503')` },
  { name: 'Mail report', script: `return Datasource[0]` },
]

export const refusedBlocks: readonly Block[] = [
  { name: 'Read warehouse', isCalling: true, script: `return await api.get('test/fail?status=401')` },
]
