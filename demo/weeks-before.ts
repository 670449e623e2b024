import { resolve } from 'node:path'
import { Database, embeddedConnection } from '../server/src/db/index.ts'
import { isRefusedOrder } from './customers.ts'
import type { Filled } from './fill-customer.ts'
import { dailyMoments, orderMoments } from './moments.ts'
import { type Past, writePast } from './past.ts'
import { modelNumbers } from './webhook-orders.ts'

const days = 24

/** Answers how many runs it made; undefined when the database is not within reach from here. */
export async function makeWeeksBefore(filled: readonly Filled[]): Promise<number | undefined> {
  const url = process.env['PATCHBAY_DATABASE_URL']
  const connection =
    url === undefined
      ? embeddedConnection(resolve(process.env['PATCHBAY_DATA_DIR'] ?? 'data'))
      : { connectionString: url }
  await using database = new Database(connection, () => {})
  try {
    return await writePast(database, filled.flatMap(pastsOf))
  } catch (error) {
    if (['ENOENT', 'ECONNREFUSED'].includes((error as NodeJS.ErrnoException).code ?? '')) return undefined
    throw error
  }
}

function pastsOf({ customer, orders, workflowIds }: Filled, index: number): Past[] {
  const { ordersPerDay, troubles } = customer
  const moments = orderMoments(ordersPerDay, days, 11 + index)
  const firstOrder = customer.firstOrderOfToday - moments.length
  const daily = (workflowId: string, hour: number, since = days): Past => ({
    workflowId,
    runBy: 'Scheduler',
    moments: dailyMoments(hour, since, 7 * index + hour),
    statusAt: () => 'Ready',
  })
  return [
    {
      workflowId: orders.id,
      runBy: 'Webhook',
      moments,
      statusAt: (at) => (isRefusedOrder(customer, firstOrder + at) ? 'Error' : 'Ready'),
      orderNumbers: { models: { Ready: modelNumbers.taken, Error: modelNumbers.refused }, first: firstOrder },
    },
    daily(workflowIds.employees, 5),
    daily(workflowIds.stock, 3),
    daily(workflowIds.report, 6.5, troubles.includes('report') ? 4 : days),
  ]
}
