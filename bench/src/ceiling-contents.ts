// Results of 20 kB, in the database and in a storage beside it: log bytes per run, and runs a second.
import { setTimeout as wait } from 'node:timers/promises'
import { createClient } from '@patchbay/sdk'
import type pg from 'pg'
import { connectOwner } from './owner.ts'
import type { Row } from './report.ts'
import { deployScripts, runAtFullLoad } from './runs.ts'
import { newDataDir, startBenchService } from './service.ts'

const runs = 400

const results = {
  'orders as JSON': `return Array.from({ length: 180 }, (_, n) => ({ id: 100000 + n * run.runNumber, customer: 'Customer ' + n, sku: 'SKU-' + (n * 7919) % 1000,
    price: Math.round(Math.random() * 10000) / 100, note: 'Deliver to gate ' + n }))`,
  'text that does not compress': `let text = ''; while (text.length < 20000) text += Math.random().toString(36).slice(2); return text`,
}

type Cost = { walBytes: number; perSecond: number }

export async function measureContents(): Promise<Row[]> {
  const inRows = await measure({})
  const elsewhere = await measure({ PATCHBAY_CONTENTS_URL: 'file:' })
  return Object.keys(results).map((name, index) => {
    const [before, now] = [inRows[index] as Cost, elsewhere[index] as Cost]
    return {
      what: `5: log bytes per run with a 20-kB result in a storage (${name})`,
      measured: `${now.walBytes.toFixed(0)} (${now.perSecond.toFixed(0)} runs a second)`,
      wanted: `in the database: ${before.walBytes.toFixed(0)} (${before.perSecond.toFixed(0)} runs a second)`,
      isMet: now.walBytes < before.walBytes,
    }
  })
}

async function measure(settings: Record<string, string>): Promise<Cost[]> {
  using dataDir = newDataDir()
  await using service = await startBenchService(dataDir.path, settings)
  const { Consumer: consumer, SecretKey: secretKey } = service.keys
  const client = createClient({ baseUrl: service.baseUrl, keys: { consumer, secretKey } })
  const owner = await connectOwner(dataDir.path)
  const costs: Cost[] = []
  try {
    for (const script of Object.values(results)) {
      const workflowId = await deployScripts(client, [script])
      await runAtFullLoad(service, client, workflowId, runs)
      const before = await walOnceIndexed(owner)
      const perSecond = await runAtFullLoad(service, client, workflowId, runs)
      costs.push({ perSecond, walBytes: ((await walOnceIndexed(owner)) - before) / runs })
    }
    return costs
  } finally {
    await owner.end()
  }
}

/** The index of what a run returned is part of what it costs. */
async function walOnceIndexed(owner: pg.Client): Promise<number> {
  for (;;) {
    const { rows } = await owner.query(
      `select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::float8 as bytes, exists (select from search_feed) as is_busy`,
    )
    if (!rows[0].is_busy) return rows[0].bytes
    await wait(100)
  }
}
