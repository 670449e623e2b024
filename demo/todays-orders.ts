import { orderBlocks, refusedBlocks } from './chains.ts'
import { isRefusedOrder } from './customers.ts'
import { connect, deploy, type Filled } from './fill-customer.ts'
import { sideBySide } from './side-by-side.ts'
import { orderOf, send, type Webhook } from './webhook-orders.ts'

const ordersOfNow = 10

/** What happens while the demo is made: orders that really run, a queue that waits behind a failure. */
export async function sendTodaysOrders(filled: Filled): Promise<number> {
  const { customer, client, connectionId, orders } = filled
  const numbers = Array.from({ length: ordersOfNow }, (_, index) => customer.firstOrderOfToday + index)
  await sideBySide(numbers, 8, (number) => {
    return send(orders.webhook, orderOf(number, customer.lastName, isRefusedOrder(customer, number)))
  })
  if (!customer.troubles.includes('returns')) return ordersOfNow
  // In strict order, and the first one fails: everything behind it waits, as on a bad morning.
  const returns = await deploy(client, 'Returns in strict order', orderBlocks, connectionId)
  const settings = { params: { id: returns.id }, body: { strictOrderProcessing: true } }
  const webhook = (await client.call('WebhookSettingsEnable', settings)) as Webhook
  for (let number = 900; number < 924; number += 1)
    await send(webhook, orderOf(number, customer.lastName, number === 900))
  return ordersOfNow + 1
}

/** Once everything has settled: orders at the pace of a usual day, so that the newest runs show it. */
export async function sendLastOrder({ customer, orders }: Filled): Promise<void> {
  const number = customer.firstOrderOfToday + ordersOfNow
  await send(orders.webhook, orderOf(number, customer.lastName, isRefusedOrder(customer, number)))
}

/** A connection whose credentials the other side refuses. */
export async function breakConnection({ client }: Filled, testId: string): Promise<void> {
  const connectionId = await connect(client, testId, 'Old warehouse')
  const { id } = await deploy(client, 'Warehouse sync', refusedBlocks, connectionId)
  await client.call('RunWorkflow', { body: { workflowId: id } })
}
