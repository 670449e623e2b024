// Runs: how many a second from request to recorded result, how long one takes at low load, and how long blocks wait for each other.
import { randomUUID } from 'node:crypto'
import { type Client, createClient } from '@patchbay/sdk'
import { requestsPerSecond } from './measure.ts'
import type { Row } from './report.ts'
import { memoryMb, newDataDir, startBenchService } from './service.ts'

const fibo = 'function fibo(n) { return n < 2 ? n : fibo(n - 1) + fibo(n - 2) }\nreturn { value: fibo(10) }'
/** The best that n8n does with one-block workflows on two such cores, with history saved. */
const n8nPerSecond = 50

export async function benchRuns(): Promise<Row[]> {
  using dataDir = newDataDir()
  await using service = await startBenchService(dataDir.path)
  const client = createClient({
    baseUrl: service.baseUrl,
    keys: { consumer: service.keys.Consumer, secretKey: service.keys.SecretKey },
  })
  const [one, five, forty] = await Promise.all([deploy(client, 1), deploy(client, 5), deploy(client, 40)])
  await runAtLowLoad(client, one, 100)

  const lowMs = await runAtLowLoad(client, one, 200)
  const fiveMs = await runAtLowLoad(client, five, 100)
  const fortyMs = await runAtLowLoad(client, forty, 20)
  const betweenMs = (median(fiveMs) - median(lowMs)) / 4
  const onePerSecond = await runAtFullLoad(service, client, one, 10)
  const fivePerSecond = await runAtFullLoad(service, client, five, 10)
  return [
    row('one-block run at low load, start to recorded result, p50', median(lowMs), 15),
    row('from one block to the next at low load', betweenMs, 5),
    row('chain of 40 blocks of fibo(10), p50', median(fortyMs), 200),
    rate('one-block runs at full load', onePerSecond.perSecond, 15 * n8nPerSecond),
    rate('five-block runs at full load', fivePerSecond.perSecond, 15 * n8nPerSecond),
    {
      what: 'memory of all processes after that',
      measured: `${memoryMb(service.pid).toFixed(0)} MB`,
      wanted: 'flat: see the figure of the idle service',
      isMet: true,
    },
  ]
}

async function deploy(client: Client, blocks: number): Promise<string> {
  const ids = Array.from({ length: blocks }, () => randomUUID())
  const workflowId = await client.call('WorkflowCreate', {
    body: {
      name: `${blocks} blocks`,
      chain: ids.map((uniqueBlockId, index) => ({
        uniqueBlockId,
        script: fibo,
        ...(index === 0 ? {} : { dataSources: [ids[index - 1] as string] }),
      })),
    },
  })
  await client.call('DeployWorkflow', { params: { id: workflowId } })
  return workflowId
}

/** One run after the other; what the service says about each, from acceptance to the recorded end. */
async function runAtLowLoad(client: Client, workflowId: string, runs: number): Promise<number[]> {
  for (let run = 0; run < runs; run++) {
    await client.call('RunWorkflow', { body: { workflowId } })
    await untilQuiet(client, workflowId)
  }
  const { items } = await client.call('GetRunHistory', { params: { workflowId }, body: { page: 0, size: runs } })
  return items.map((item) => item.durationInMilliSec)
}

async function runAtFullLoad(
  service: { baseUrl: string; keys: Record<string, string> },
  client: Client,
  workflowId: string,
  seconds: number,
): Promise<{ perSecond: number }> {
  const before = await lastRun(client, workflowId)
  const startedAt = performance.now()
  await requestsPerSecond({
    url: `${service.baseUrl}/api/RunWorkflow`,
    method: 'POST',
    headers: { ...service.keys, 'content-type': 'application/json' },
    body: JSON.stringify({ workflowId }),
    connections: 64,
    seconds,
  })
  await untilQuiet(client, workflowId, 100)
  const last = await lastRun(client, workflowId)
  const counted = (last?.lockVersionNumber ?? 0) - (before?.lockVersionNumber ?? 0)
  return { perSecond: counted / ((performance.now() - startedAt) / 1000) }
}

async function lastRun(client: Client, workflowId: string) {
  const { items } = await client.call('GetRunHistory', { params: { workflowId }, body: { page: 0, size: 1 } })
  return items[0]
}

/** Until no run of the workflow is under way. */
async function untilQuiet(client: Client, workflowId: string, pollMs = 5): Promise<void> {
  for (;;) {
    const open = await Promise.all(
      (['Pending', 'Processing'] as const).map((status) =>
        client.call('GetRunHistory', { params: { workflowId }, body: { page: 0, size: 1, status } }),
      ),
    )
    if (open.every(({ total }) => total === 0)) break
    await new Promise((done) => setTimeout(done, pollMs))
  }
  const { total } = await client.call('GetRunHistory', {
    params: { workflowId },
    body: { page: 0, size: 1, status: 'Error' },
  })
  if (total > 0) throw new Error(`${total} runs failed.`)
}

function median(values: number[]): number {
  return [...values].sort((one, other) => one - other)[Math.floor(values.length / 2)] ?? Number.NaN
}

function row(what: string, measuredMs: number, below: number): Row {
  return { what, measured: `${measuredMs.toFixed(1)} ms`, wanted: `under ${below} ms`, isMet: measuredMs < below }
}

function rate(what: string, perSecond: number, atLeast: number): Row {
  return { what, measured: `${perSecond.toFixed(0)}/s`, wanted: `at least ${atLeast}/s`, isMet: perSecond >= atLeast }
}
