// Memory over many runs: it must not grow with their number.
import { createClient } from '@patchbay/sdk'
import type { Row } from './report.ts'
import { deployBlocks, runAtFullLoad } from './runs.ts'
import { memoryMb, newDataDir, startBenchService } from './service.ts'

const rounds = 10
const runsPerRound = 10_000

export async function benchRunMemory(): Promise<Row[]> {
  using dataDir = newDataDir()
  await using service = await startBenchService(dataDir.path)
  const client = createClient({
    baseUrl: service.baseUrl,
    keys: { consumer: service.keys.Consumer, secretKey: service.keys.SecretKey },
  })
  const workflowId = await deployBlocks(client, 1)
  const sizes: number[] = []
  for (let round = 0; round < rounds; round++) {
    await runAtFullLoad(service, client, workflowId, runsPerRound)
    sizes.push(memoryMb(service.pid))
  }
  // In the first half the database fills its buffers and processes reach their size; what still grows after that grows for ever.
  const half = sizes.slice(rounds / 2)
  const growth = (half.at(-1) ?? 0) / (half[0] ?? 0)
  return [
    {
      what: `memory of all processes after each ${runsPerRound} runs`,
      measured: sizes.map((size) => size.toFixed(0)).join(', '),
      wanted: 'MB',
      isMet: undefined,
    },
    {
      what: 'growth over the second half',
      measured: growth.toFixed(2),
      wanted: 'at most 1.1',
      isMet: growth <= 1.1,
    },
  ]
}
