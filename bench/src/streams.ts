// A thousand open streams while runs execute: what they weigh, and how late they are.
import { createClient } from '@patchbay/sdk'
import type { Row } from './report.ts'
import { memoryMb, newDataDir, startBenchService } from './service.ts'

const streamCount = 1_000
const watchedCount = 20
const seconds = 15
const runsAtOnce = 50

export async function benchStreams(): Promise<Row[]> {
  using dataDir = newDataDir()
  await using service = await startBenchService(dataDir.path)
  const keys = { consumer: service.keys.Consumer, secretKey: service.keys.SecretKey }
  const client = createClient({ baseUrl: service.baseUrl, keys })
  const workflowId = await client.call('WorkflowCreate', { body: { name: 'watched', chain: [{ script: 'return 1' }] } })
  await client.call('DeployWorkflow', { params: { id: workflowId } })
  const quiet = await client.call('WorkflowCreate', { body: { name: 'quiet', chain: [{ script: 'return 1' }] } })
  await runFor(client, workflowId, 3)

  const before = memoryMb(service.pid)
  const abort = new AbortController()
  const lateMs: number[] = []
  const reading = Array.from({ length: streamCount }, async (_, index) => {
    // Most wait for a workflow that does nothing; the others see every event.
    const isWatching = index < watchedCount
    const events = client.stream({ workflowId: isWatching ? workflowId : quiet, signal: abort.signal })
    for await (const { data } of events) if (isWatching) lateMs.push(Date.now() - Date.parse(data.timestamp))
  })
  await new Promise((done) => setTimeout(done, 5_000))
  const withStreams = memoryMb(service.pid)
  const runs = await runFor(client, workflowId, seconds)
  abort.abort()
  await Promise.allSettled(reading)
  const sorted = lateMs.sort((one, other) => one - other)
  const p95 = sorted[Math.floor(sorted.length * 0.95)] ?? Number.POSITIVE_INFINITY
  const grownMb = withStreams - before
  return [
    {
      what: `memory of ${streamCount} streams`,
      measured: `${grownMb.toFixed(0)} MB`,
      wanted: 'under 100 MB',
      isMet: grownMb < 100,
    },
    {
      what: `delay of an event at ${Math.round(runs / seconds)} runs/s, p95`,
      measured: `${p95} ms`,
      wanted: 'under 250 ms',
      isMet: p95 < 250,
    },
  ]
}

async function runFor(
  client: ReturnType<typeof createClient>,
  workflowId: string,
  forSeconds: number,
): Promise<number> {
  const until = Date.now() + forSeconds * 1000
  let started = 0
  const starter = async () => {
    while (Date.now() < until) {
      await client.call('RunWorkflow', { body: { workflowId } })
      started++
    }
  }
  await Promise.all(Array.from({ length: runsAtOnce }, starter))
  return started
}
