// Runs: how many a second from request to recorded result, how long one takes at low load, and how long blocks wait for each other.
import { randomUUID } from 'node:crypto'
import { type Client, createClient } from '@patchbay/sdk'
import { bareRowsPerSecond, bareScriptsPerSecond } from './machine-limit.ts'
import { medianOf, requestsPerSecond } from './measure.ts'
import { N8n } from './n8n.ts'
import type { Row } from './report.ts'
import { newDataDir, startBenchService } from './service.ts'

const fibo = 'function fibo(n) { return n < 2 ? n : fibo(n - 1) + fibo(n - 2) }\nreturn { value: fibo(10) }'

type Round = { ours: number; n8n: number | undefined }

export async function benchRuns(): Promise<Row[]> {
  using dataDir = newDataDir()
  await using service = await startBenchService(dataDir.path)
  const client = createClient({
    baseUrl: service.baseUrl,
    keys: { consumer: service.keys.Consumer, secretKey: service.keys.SecretKey },
  })
  const [one, five, forty] = await Promise.all([
    deployBlocks(client, 1),
    deployBlocks(client, 5),
    deployBlocks(client, 40),
  ])
  await runAtLowLoad(client, one, 100)

  const lowMs = await runAtLowLoad(client, one, 200)
  const fiveMs = await runAtLowLoad(client, five, 100)
  const fortyMs = await runAtLowLoad(client, forty, 20)
  const betweenMs = (medianOf(fiveMs) - medianOf(lowMs)) / 4
  // Both are warm and take turns, so that what else the machine does falls on both.
  await runAtFullLoad(service, client, one, 3000)
  await runAtFullLoad(service, client, five, 1500)
  await using n8n = await N8n.start(fibo, [1, 5])
  const oneBlock: Round[] = []
  const fiveBlocks: Round[] = []
  for (let round = 0; round < 5; round++) {
    oneBlock.push({ ours: await runAtFullLoad(service, client, one, 4000), n8n: await n8n.perSecond(1, 5) })
    fiveBlocks.push({ ours: await runAtFullLoad(service, client, five, 2500), n8n: await n8n.perSecond(5, 5) })
  }
  const onePerSecond = medianOf(oneBlock.map(({ ours }) => ours))
  const fivePerSecond = medianOf(fiveBlocks.map(({ ours }) => ours))
  const scripts = await bareScriptsPerSecond(fibo)
  const rows = await bareRowsPerSecond(dataDir.path)
  return [
    row('one-block run at low load, start to recorded result, p50', medianOf(lowMs), 15),
    row('from one block to the next at low load', betweenMs, 5),
    row('chain of 40 blocks of fibo(10), p50', medianOf(fortyMs), 200),
    ...against('one-block', oneBlock),
    ...against('five-block', fiveBlocks),
    ...n8n.rows(),
    told('one-block runs, share of the same scripts in bare isolates', onePerSecond / scripts, scripts),
    told('blocks of five-block runs, share of the same', (5 * fivePerSecond) / scripts, scripts),
    told('one-block runs, share of the same rows in bare SQL', onePerSecond / rows, rows),
  ]
}

export function deployBlocks(client: Client, blocks: number): Promise<string> {
  return deployScripts(
    client,
    Array.from({ length: blocks }, () => fibo),
  )
}

/** Each after the one before it. */
export async function deployScripts(client: Client, scripts: readonly string[]): Promise<string> {
  const ids = scripts.map(() => randomUUID())
  const workflowId = await client.call('WorkflowCreate', {
    body: {
      name: `${scripts.length} blocks`,
      chain: ids.map((uniqueBlockId, index) => ({
        uniqueBlockId,
        script: scripts[index] as string,
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

/**
 * So many runs, asked for as fast as they are accepted; a second from the first acceptance to the last end, as the history has them. A clock
 * around it all would also count how long the load generator takes to start.
 */
export async function runAtFullLoad(
  service: { baseUrl: string; keys: Record<string, string> },
  client: Client,
  workflowId: string,
  amount: number,
): Promise<number> {
  await requestsPerSecond({
    url: `${service.baseUrl}/api/RunWorkflow`,
    method: 'POST',
    headers: { ...service.keys, 'content-type': 'application/json' },
    body: JSON.stringify({ workflowId }),
    connections: 64,
    amount,
  })
  await untilQuiet(client, workflowId, 1000)
  const one = async (orderField: 'startDateTimeUTC' | 'endDateTimeUTC', page: number) => {
    const { items } = await client.call('GetRunHistory', {
      params: { workflowId },
      body: { page, size: 1, orderField },
    })
    return Date.parse(items[0]?.[orderField] as string)
  }
  const firstMs = await one('startDateTimeUTC', amount - 1)
  const lastMs = await one('endDateTimeUTC', 0)
  return amount / ((lastMs - firstMs) / 1000)
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

function row(what: string, measuredMs: number, below: number): Row {
  return { what, measured: `${measuredMs.toFixed(1)} ms`, wanted: `under ${below} ms`, isMet: measuredMs < below }
}

/** Without an n8n to compare with there is no verdict. */
function against(what: string, rounds: readonly Round[]): Row[] {
  const rate = { what: `${what} runs a second at full load`, measured: listed(rounds.map(({ ours }) => ours)) }
  const compared = rounds.flatMap(({ ours, n8n }) => (n8n === undefined ? [] : [{ ours, n8n }]))
  if (compared.length === 0) return [{ ...rate, wanted: 'at least 15 × n8n, which has no figure', isMet: undefined }]
  const times = medianOf(compared.map(({ ours, n8n }) => ours / n8n))
  return [
    { ...rate, wanted: `n8n: ${listed(compared.map(({ n8n }) => n8n))}`, isMet: undefined },
    { what: `${what} runs, times n8n`, measured: times.toFixed(1), wanted: 'at least 15', isMet: times >= 15 },
  ]
}

function listed(rates: readonly number[]): string {
  return rates.map((rate) => rate.toFixed(0)).join(' ')
}

function told(what: string, share: number, limit: number): Row {
  return { what, measured: share.toFixed(2), wanted: `of ${limit.toFixed(0)} a second`, isMet: undefined }
}
