// `npm run demo`: fills a fresh service through its own API, so that every page of the console has something to show.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createClient } from '@patchbay/sdk'
import { customers } from './customers.ts'
import { fillCustomer } from './fill-customer.ts'
import { fillOwnAccount } from './fill-own-account.ts'
import { refuseIfInUse } from './fresh-only.ts'

const baseUrl = process.env['PATCHBAY_URL'] ?? 'http://127.0.0.1:8080'

try {
  const startedAt = performance.now()
  const keys = readKeys()
  const manager = createClient({ baseUrl, keys })
  await refuseIfInUse(manager)
  const say = (text: string) => console.log(text)
  let runs = 0
  for (const customer of customers) {
    runs += await fillCustomer({ baseUrl, keys, manager, customer })
    say(`${customer.email}: workflows, connections, runs`)
  }
  runs += await fillOwnAccount(manager)
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(0)
  say(`Done in ${seconds} s: ${customers.length} accounts and about ${runs.toLocaleString('en')} runs. Open ${baseUrl}`)
} catch (error) {
  const isAway = error instanceof TypeError
  console.error(
    isAway
      ? `No service answers at ${baseUrl}. Start one with npm start, or name another: PATCHBAY_URL.`
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
    throw new Error(`No keys: ${path} cannot be read. Set PATCHBAY_CONSUMER and PATCHBAY_SECRET_KEY.`)
  }
}
