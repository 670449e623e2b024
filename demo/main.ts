// `npm run demo`: fills a fresh service through its own API, and the weeks before today where the API cannot, so that every page of the
// console has something to show.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Client, createClient } from '@patchbay/sdk'
import { customers } from './customers.ts'
import { type Filled, fillCustomer } from './fill-customer.ts'
import { fillOwnAccount } from './fill-own-account.ts'
import { fillTemplate } from './fill-template.ts'
import { refuseIfInUse } from './fresh-only.ts'
import { breakConnection, sendLastOrder, sendTodaysOrders } from './todays-orders.ts'
import { makeWeeksBefore } from './weeks-before.ts'

/** Of the service that the same settings start. */
const baseUrl = process.env['PATCHBAY_URL'] ?? `http://127.0.0.1:${process.env['PATCHBAY_PORT'] ?? 8080}`

try {
  const startedAt = performance.now()
  const keys = readKeys()
  const manager = createClient({ baseUrl, keys })
  await refuseIfInUse(manager)
  const testId = await findTestApplication(manager)
  const filled = await Promise.all(
    customers.map((customer) => fillCustomer({ baseUrl, keys, manager, testId, customer })),
  )
  console.log(`${filled.length} accounts with connections and workflows.`)
  await allEnded(filled)
  const past = await makeWeeksBefore(filled)
  console.log(
    past === undefined
      ? 'The weeks before are left out: the database cannot be reached from here. Run the demo on the machine of the service.'
      : `The weeks before today: ${past.toLocaleString('en')} runs.`,
  )
  const now = await Promise.all(filled.map((one) => sendTodaysOrders(one)))
  for (const one of filled) if (one.customer.troubles.includes('connection')) await breakConnection(one, testId)
  await fillTemplate(manager, filled)
  const own = await fillOwnAccount(manager, testId)
  await allEnded(filled)
  for (const one of filled) await sendLastOrder(one)
  const runs = now.reduce((sum, count) => sum + count, own + (past ?? 0))
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(0)
  console.log(
    `Done in ${seconds} s: ${filled.length} accounts and about ${runs.toLocaleString('en')} runs. Open ${baseUrl}`,
  )
} catch (error) {
  const isAway = error instanceof TypeError
  console.error(
    isAway
      ? `No service answers at ${baseUrl}. Start one with npm start, or set PATCHBAY_URL or PATCHBAY_PORT.`
      : (error as Error).message,
  )
  process.exitCode = 1
}

/** Of the environment, or of the first account that the service wrote down at its first start. */
function readKeys(): { consumer: string; secretKey: string } {
  const { PATCHBAY_CONSUMER: consumer, PATCHBAY_SECRET_KEY: secretKey } = process.env
  if (consumer && secretKey) return { consumer, secretKey }
  const path = join(process.env['PATCHBAY_DATA_DIR'] ?? 'data', 'first-account.json')
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as { consumer: string; secretKey: string }
  } catch {
    throw new Error(
      `No keys: ${path} cannot be read. Set PATCHBAY_DATA_DIR to the service's data directory, or PATCHBAY_CONSUMER and PATCHBAY_SECRET_KEY.`,
    )
  }
}

async function findTestApplication(manager: Client): Promise<string> {
  const applications = await manager.call('Applications', {})
  return applications.find(({ shortName }) => shortName === 'TEST')?.id as string
}

/** What was started has run: the models of the past, and the busy minute of today. */
async function allEnded(filled: readonly Filled[]): Promise<void> {
  for (const { client } of filled) {
    for (;;) {
      const { workflows } = await client.call('WorkflowsSearch', { body: { size: 50 } })
      if (workflows.every(({ lastRunStatus }) => lastRunStatus === 'Ready' || lastRunStatus === 'Error')) break
      await new Promise((resolve) => setTimeout(resolve, 200))
    }
  }
}
