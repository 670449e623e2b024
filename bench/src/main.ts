// npm run bench [-- scenario …]: every figure is measured side by side in one run on this machine; nothing here is a test. Each scenario is
// recorded in docs/benchmarks.md as soon as it has ended.
import { benchCapacity } from './capacity.ts'
import { benchCatalog } from './catalog.ts'
import { benchCeiling } from './ceiling.ts'
import { benchConsole } from './console.ts'
import { benchFairShares } from './fair-shares.ts'
import { benchFoundation } from './foundation.ts'
import { benchHistory } from './history.ts'
import { benchKit } from './kit.ts'
import { benchLongQueue } from './long-queue.ts'
import { benchMillion } from './million.ts'
import { benchProxy } from './proxy.ts'
import { benchReplay } from './replay.ts'
import { printTable, publishRows, type Row } from './report.ts'
import { benchRunMemory } from './run-memory.ts'
import { benchRuns } from './runs.ts'
import { benchSchedules } from './schedules.ts'
import { benchSearch } from './search.ts'
import { benchShares } from './shares.ts'
import { benchStatistics } from './statistics.ts'
import { benchStreams } from './streams.ts'
import { benchSums } from './sums.ts'
import { benchUpgrade } from './upgrade.ts'
import { benchVault } from './vault.ts'
import { benchWaitingRuns } from './waiting-runs.ts'
import { benchWebhooks } from './webhooks.ts'

const scenarios: Record<string, () => Promise<Row[]>> = {
  foundation: benchFoundation,
  catalog: benchCatalog,
  vault: benchVault,
  proxy: benchProxy,
  runs: benchRuns,
  capacity: benchCapacity,
  ceiling: benchCeiling,
  'fair-shares': benchFairShares,
  'run-memory': benchRunMemory,
  'waiting-runs': benchWaitingRuns,
  replay: benchReplay,
  history: benchHistory,
  million: benchMillion,
  schedules: benchSchedules,
  search: benchSearch,
  webhooks: benchWebhooks,
  'long-queue': benchLongQueue,
  upgrade: benchUpgrade,
  kit: benchKit,
  statistics: benchStatistics,
  streams: benchStreams,
  sums: benchSums,
  shares: () => benchShares(),
  console: benchConsole,
}

const wanted = process.argv.slice(2)
for (const name of wanted) {
  if (!scenarios[name]) throw new Error(`There is no scenario ${name}; known are ${Object.keys(scenarios).join(', ')}.`)
}
let missed = 0
for (const [name, run] of Object.entries(scenarios)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue
  const rows = await run().catch((error: Error): Row[] => {
    console.error(error)
    return [{ what: 'the scenario itself', measured: `failed: ${error.message}`, wanted: 'figures', isMet: false }]
  })
  missed += rows.filter((row) => row.isMet === false).length
  printTable(name, rows)
  publishRows(Object.keys(scenarios), name, rows)
}
process.exit(missed > 0 ? 1 : 0)
