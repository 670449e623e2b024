// What indexing and sums take of the throughput of runs: the same service with and without them, in turns.
import { fileURLToPath } from 'node:url'
import { type Client, createClient } from '@patchbay/sdk'
import { medianOf } from './measure.ts'
import { connectOwner } from './owner.ts'
import type { Row } from './report.ts'
import { deployBlocks, runAtFullLoad } from './runs.ts'
import { type BenchService, newDataDir, startBenchService } from './service.ts'

const rounds = 15
const runsPerTurn = 3_000

type Side = { service: BenchService; client: Client; workflowId: string }

export async function benchSums(): Promise<Row[]> {
  using dirWith = newDataDir()
  using dirWithout = newDataDir()
  await using serviceWith = await startBenchService(dirWith.path)
  const preload = fileURLToPath(new URL('./without-sums.ts', import.meta.url))
  await using serviceWithout = await startBenchService(dirWithout.path, {}, preload)
  const [counted, bare] = [await prepare(serviceWith), await prepare(serviceWithout)]
  const shares: number[] = []
  for (let round = 0; round < rounds; round++) {
    // Who begins takes turns too.
    const first = round % 2 === 0 ? counted : bare
    const rates = new Map<Side, number>()
    for (const side of [first, first === counted ? bare : counted]) {
      rates.set(side, await runAtFullLoad(side.service, side.client, side.workflowId, runsPerTurn))
      await untilIndexed(side.service.dataDir)
    }
    shares.push(1 - (rates.get(counted) as number) / (rates.get(bare) as number))
    console.log(`  with ${rates.get(counted)?.toFixed(0)} runs/s, without ${rates.get(bare)?.toFixed(0)} runs/s`)
  }
  const cost = medianOf(shares)
  const all = shares.map((share) => `${(100 * share).toFixed(1)} %`).join(' ')
  return [
    {
      what: 'runs/s lost to indexing and sums, median',
      measured: percent(cost),
      wanted: 'at most 8 %',
      isMet: cost <= 0.08,
    },
    { what: 'the same in each round', measured: all, wanted: 'for information', isMet: undefined },
  ]
}

function percent(share: number): string {
  return `${(100 * share).toFixed(1)} %`
}

async function prepare(service: BenchService): Promise<Side> {
  const keys = { consumer: service.keys.Consumer, secretKey: service.keys.SecretKey }
  const client = createClient({ baseUrl: service.baseUrl, keys })
  const workflowId = await deployBlocks(client, 1)
  await runAtFullLoad(service, client, workflowId, 2_000)
  await untilIndexed(service.dataDir)
  return { service, client, workflowId }
}

/** What one side put off must not fall on the other. */
async function untilIndexed(dataDir: string): Promise<void> {
  const owner = await connectOwner(dataDir)
  for (;;) {
    const { rows } = await owner.query(
      'select (select count(*) from search_feed)::int + (select count(*) from activity_deltas)::int as open',
    )
    if (rows[0].open === 0) break
    await new Promise((done) => setTimeout(done, 200))
  }
  await owner.end()
}
