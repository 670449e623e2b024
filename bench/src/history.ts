// A history of a million runs: every list that GetRunHistory can give.
import { runOrderFields } from '@patchbay/contract'
import { type Client, createClient } from '@patchbay/sdk'
import type pg from 'pg'
import { medianOf } from './measure.ts'
import { connectOwner } from './owner.ts'
import type { Row } from './report.ts'
import { ensureDaysBack } from './run-days.ts'
import { newDataDir, startBenchService } from './service.ts'

const runsInAll = 1_000_000
const workflowCount = 100
const daysKept = 30

export async function benchHistory(): Promise<Row[]> {
  using dataDir = newDataDir()
  await using service = await startBenchService(dataDir.path)
  const client = createClient({
    baseUrl: service.baseUrl,
    keys: { consumer: service.keys.Consumer, secretKey: service.keys.SecretKey },
  })
  const workflowIds: string[] = []
  for (let no = 0; no < workflowCount; no++)
    workflowIds.push(await client.call('WorkflowCreate', { body: { name: `w${no}`, chain: [{ script: 'return 1' }] } }))
  const owner = await connectOwner(dataDir.path)
  await fill(owner)
  await owner.end()

  const lists: Record<string, object> = {}
  for (const orderField of runOrderFields)
    for (const orderByAsc of [false, true])
      lists[`by ${orderField}, ${orderByAsc ? 'ascending' : 'descending'}`] = {
        page: 0,
        size: 50,
        orderField,
        orderByAsc,
      }
  lists['failed runs'] = { page: 0, size: 50, status: 'Error' }
  lists['one number'] = { page: 0, size: 50, lockVersionNumber: 500 }
  lists['the last day'] = { page: 0, size: 50, searchFrom: new Date(Date.now() - 86_400_000).toISOString() }
  lists['page 150'] = { page: 150, size: 50 }

  const rows: Row[] = []
  for (const [what, body] of Object.entries(lists)) {
    const ms = await time(client, workflowIds, body)
    rows.push({
      what: `history ${what}, p50`,
      measured: `${ms.toFixed(1)} ms`,
      wanted: 'under 100 ms',
      isMet: ms < 100,
    })
  }
  return rows
}

async function time(client: Client, workflowIds: readonly string[], body: object): Promise<number> {
  const times: number[] = []
  for (const workflowId of workflowIds.slice(0, 9)) {
    const startedAt = performance.now()
    const { items } = await client.call('GetRunHistory', { params: { workflowId }, body: body as never })
    times.push(performance.now() - startedAt)
    if (items.length === 0) throw new Error(`The list ${JSON.stringify(body)} is empty.`)
  }
  return medianOf(times)
}

/** Evenly over the days that are kept, one in seven failed. */
async function fill(owner: pg.Client): Promise<void> {
  await ensureDaysBack(owner, daysKept)
  const perWorkflow = runsInAll / workflowCount
  await owner.query(
    `insert into runs (id, account_id, workflow_id, run_number, revision, status, run_by, created_at, ended_at, counts_from,
                       moves_date_last_run, pause_ms, error_message, last_block_title)
     select (lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0') || '7' || substr(md5(n::text || w.id::text), 1, 19))::uuid,
       w.account_id, w.id, n, 1, case when n % 7 = 0 then 'Error' else 'Ready' end, 'API', at, at + (n % 1000) * interval '1 ms', at,
       true, n % 50, case when n % 7 = 0 then 'message ' || (n % 1000) end, 'Block 1'
     from workflows w, lateral (
       select n, now() - interval '${daysKept - 1} days' * (1 - n::float8 / $1) as at from generate_series(1, $1::integer) n) x`,
    [perWorkflow],
  )
  await owner.query('insert into run_counters select id, account_id, $1 from workflows', [perWorkflow])
  await owner.query('vacuum analyze runs')
}
