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
  const [first = 0] = sizes.slice(1)
  const last = sizes.at(-1) ?? 0
  const growth = last / first
  return [
    {
      what: `memory of all processes after each ${runsPerRound} runs`,
      measured: sizes.map((size) => size.toFixed(0)).join(', '),
      wanted: 'MB',
      isMet: undefined,
    },
    {
      what: `growth from the second to the last round`,
      measured: growth.toFixed(2),
      wanted: 'at most 1.15',
      isMet: growth <= 1.15,
    },
  ]
}
