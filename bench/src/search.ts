// "Where is order 4711?" among a million runs with results of 2 KB: what the index weighs, and how long a search takes. A tenth of the runs
// is indexed for real; their segments are then repeated for other workflows, which costs a search as much as if they were others.
import { type Client, createClient } from '@patchbay/sdk'
import type pg from 'pg'
import { connectOwner } from './owner.ts'
import type { Row } from './report.ts'
import { ensureDaysBack } from './run-days.ts'
import { newDataDir, startBenchService } from './service.ts'

const runsIndexed = 100_000
const repeated = 10
const workflowCount = 10
const daysKept = 30
const searches = 40

export async function benchSearch(): Promise<Row[]> {
  using dataDir = newDataDir()
  await using service = await startBenchService(dataDir.path)
  const client = createClient({
    baseUrl: service.baseUrl,
    keys: { consumer: service.keys.Consumer, secretKey: service.keys.SecretKey },
  })
  for (let no = 0; no < workflowCount * repeated; no++)
    await client.call('WorkflowCreate', { body: { name: `w${no}`, chain: [{ script: 'return 1' }] } })
  const owner = await connectOwner(dataDir.path)
  await fill(owner)
  const startedAt = performance.now()
  await feed(owner)
  const perSecond = runsIndexed / ((performance.now() - startedAt) / 1000)
  const share = await indexShare(owner)
  await repeat(owner)
  await owner.end()

  const rare = await p95(client, () => `rare${Math.floor(Math.random() * runsIndexed)}`)
  const common = await p95(client, () => 'customer delivered')
  const absent = await p95(client, () => `absent${Math.random().toString(36).slice(2)}`)
  return [
    { what: 'runs indexed a second', measured: perSecond.toFixed(0), wanted: 'for information', isMet: undefined },
    { what: 'index : results of 2 KB', measured: share.toFixed(2), wanted: 'under 1', isMet: share < 1 },
    { what: 'search a rare word in a million runs, p95', ...judged(rare, 200) },
    { what: 'search a word that is nowhere, p95', ...judged(absent, 200) },
    { what: 'search two common words, p95', ...judged(common, 500) },
  ]
}

function judged(ms: number, wantedMs: number) {
  return { measured: `${ms.toFixed(0)} ms`, wanted: `under ${wantedMs} ms`, isMet: ms < wantedMs }
}

async function p95(client: Client, nextTerm: () => string): Promise<number> {
  const times: number[] = []
  for (let no = 0; no < searches; no++) {
    const startedAt = performance.now()
    await client.call('SearchRuns', { body: { searchTerm: nextTerm(), page: 0, size: 50 } })
    times.push(performance.now() - startedAt)
  }
  return times.sort((one, other) => one - other)[Math.floor(searches * 0.95)] as number
}

/** Orders of about 2 KB: names of fields and words that all have, numbers and ids that nobody else has. */
const result = `json_build_object('orderNumber', 'rare' || n, 'customer', json_build_object('id', md5(n::text)::uuid, 'email', 'c' || n || '@example.com',
    'name', 'Customer ' || (n % 5000), 'city', (array['Oslo', 'Bergen', 'Trondheim', 'Stavanger'])[1 + n % 4]),
  'status', (array['delivered', 'open', 'returned'])[1 + n % 3], 'created', at,
  'lines', (select json_agg(json_build_object('sku', 'SKU-' || ((n * l) % 20000), 'description', 'Blue cotton shirt, size ' || l, 'quantity', l,
    'price', round((n % 1000) * 1.17 + l, 2), 'warehouse', 'A' || (n * l % 90), 'tracking', upper(substr(md5(n::text || l), 1, 12))))
    from generate_series(1, 11) l))::text`

async function fill(owner: pg.Client): Promise<void> {
  await ensureDaysBack(owner, daysKept)
  await owner.query(
    `create temporary table made as
     select (lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0') || '7' || substr(md5(n::text || w.id::text), 1, 19))::uuid as id,
       w.account_id, w.id as workflow_id, ((n - 1) / $2 + 1) as run_number, n, at
     from (select n, now() - interval '${daysKept - 1} days' * (1 - n::float8 / $1) as at from generate_series(1, $1::integer) n) x
     join (select id, account_id, row_number() over (order by id) - 1 as no from workflows order by id limit $2::integer) w on w.no = n % $2`,
    [runsIndexed, workflowCount],
  )
  await owner.query(`
    insert into runs (id, account_id, workflow_id, run_number, revision, status, run_by, created_at, ended_at, counts_from, moves_date_last_run)
    select id, account_id, workflow_id, run_number, 1, 'Ready', 'API', at, at, at, true from made`)
  await owner.query(`
    insert into run_blocks (run_id, block_id, account_id, seq, status, result, started_at, ended_at)
    select id, gen_random_uuid(), account_id, 1, 'Ready', ${result}, at, at from made`)
}

/** The same entries as the ends of runs write them, then waits until all are indexed. */
async function feed(owner: pg.Client): Promise<void> {
  await owner.query(
    `insert into search_feed (kind, ids) select 'run', array_agg(id) from made group by n / 100 order by n / 100`,
  )
  for (;;) {
    const { rows } = await owner.query('select 1 from search_feed limit 1')
    if (rows.length === 0) return
    await new Promise((done) => setTimeout(done, 500))
  }
}

async function indexShare(owner: pg.Client): Promise<number> {
  const { rows } = await owner.query(`
    select (select sum(octet_length(filter) + octet_length(documents) + octet_length(bucket_offsets) + octet_length(postings)) from search_segments)::float8
      / (select sum(octet_length(result)) from run_blocks) as share`)
  return rows[0].share as number
}

async function repeat(owner: pg.Client): Promise<void> {
  await owner.query(
    `insert into search_segments (account_id, workflow_id, day, tier, document_count, oldest, newest, highest_run_number, filter_blocks, filter,
                                  documents, bucket_offsets, postings)
     select s.account_id, w.id, s.day, s.tier, s.document_count, s.oldest, s.newest, s.highest_run_number, s.filter_blocks, s.filter, s.documents,
       s.bucket_offsets, s.postings
     from search_segments s
     join (select id, row_number() over (order by id) - 1 as no from workflows order by id) source on source.id = s.workflow_id
     join (select id, row_number() over (order by id) - 1 as no from workflows order by id) w on w.no % $1 = source.no and w.no >= $1`,
    [workflowCount],
  )
  await owner.query('vacuum analyze search_segments')
}
