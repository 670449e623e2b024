// A workflow of which a million runs are kept: its history page by page, and how long a start takes beside them.
import { createClient } from '@patchbay/sdk'
import type pg from 'pg'
import { medianOf } from './measure.ts'
import { connectOwner } from './owner.ts'
import type { Row } from './report.ts'
import { ensureDaysBack } from './run-days.ts'
import { deployBlocks } from './runs.ts'
import { newDataDir, startBenchService } from './service.ts'

const runs = 1_000_000
const daysKept = 30
const size = 50
const settings = { PATCHBAY_RUN_RETENTION_COUNT: String(2 * runs), PATCHBAY_RUN_RETENTION_DAYS: String(daysKept + 1) }

export async function benchMillion(): Promise<Row[]> {
  using dataDir = newDataDir()
  const workflowId = await fillOne(dataDir.path)
  await using service = await startBenchService(dataDir.path, settings)
  const { Consumer: consumer, SecretKey: secretKey } = service.keys
  const client = createClient({ baseUrl: service.baseUrl, keys: { consumer, secretKey } })
  const last = runs / size - 1
  const pages: Record<string, object> = {
    'first page': { page: 0 },
    'page 150': { page: 150 },
    'page in the middle': { page: Math.floor(last / 2) },
    'last page': { page: last },
    'first page, oldest first': { page: 0, orderByAsc: true },
    'last page, oldest first': { page: last, orderByAsc: true },
  }
  const rows: Row[] = [
    {
      what: `start with ${runs} runs`,
      measured: `${(service.readyMs / 1000).toFixed(2)} s`,
      wanted: 'under 3 s',
      isMet: service.readyMs < 3000,
    },
  ]
  for (const [what, body] of Object.entries(pages)) {
    const times: number[] = []
    for (let round = 0; round < 11; round++) {
      const startedAt = performance.now()
      const { items, total } = await client.call('GetRunHistory', {
        params: { workflowId },
        body: { size, ...body } as never,
      })
      times.push(performance.now() - startedAt)
      if (items.length !== size || total !== runs) throw new Error(`${what}: ${items.length} of ${total}.`)
    }
    const ms = medianOf(times)
    rows.push({
      what: `history of ${runs} runs, ${what}, p50`,
      measured: `${ms.toFixed(1)} ms (longest ${Math.max(...times).toFixed(0)})`,
      wanted: 'under 50 ms',
      isMet: ms < 50,
    })
  }
  return rows
}

async function fillOne(dataDir: string): Promise<string> {
  await using service = await startBenchService(dataDir, settings)
  const { Consumer: consumer, SecretKey: secretKey } = service.keys
  const client = createClient({ baseUrl: service.baseUrl, keys: { consumer, secretKey } })
  const workflowId = await deployBlocks(client, 1)
  const owner = await connectOwner(dataDir)
  try {
    await ensureDaysBack(owner, daysKept)
    await fill(owner)
  } finally {
    await owner.end()
  }
  return workflowId
}

/** Evenly over the days that are kept. */
async function fill(owner: pg.Client): Promise<void> {
  await owner.query(
    `insert into runs (id, account_id, workflow_id, run_number, revision, status, run_by, created_at, ended_at, counts_from, moves_date_last_run, last_block_title)
     select (lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0') || '7' || substr(md5(n::text), 1, 19))::uuid,
       w.account_id, w.id, n, 1, case when n % 7 = 0 then 'Error' else 'Ready' end, 'API', at, at + interval '10 ms', at, true, 'Block 1'
     from workflows w, lateral (
       select n, now() - interval '${daysKept - 1} days' * (1 - n::float8 / $1) as at from generate_series(1, $1::integer) n) x`,
    [runs],
  )
  await owner.query('insert into run_counters select id, account_id, $1 from workflows', [runs])
  await owner.query('vacuum analyze runs')
}
