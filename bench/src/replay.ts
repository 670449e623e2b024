// Replay: what recording costs runs that make two calls each, and how long it takes to run recorded runs again.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Client, createClient } from '@patchbay/sdk'
import { medianOf } from './measure.ts'
import type { Row } from './report.ts'
import { runAtFullLoad } from './runs.ts'
import { newDataDir, startBenchService } from './service.ts'

const http = 'e31040e1-1997-54d0-bfa6-43f910dc7be6'
const script = `const [one, two] = [await api.get('http/items?page=1'), await api.post('http/orders', { amount: 1 })]
return [one.items.length, two.items.length]`
const answer = JSON.stringify({ items: Array.from({ length: 20 }, (_, id) => ({ id, name: `Item ${id}` })) })
const runsPerRound = 500
const rounds = 7
const replayedRuns = 100

export async function benchReplay(): Promise<Row[]> {
  using dataDir = newDataDir()
  await using target = await startTarget()
  await using service = await startBenchService(dataDir.path, { PATCHBAY_EGRESS_ALLOW: '127.0.0.0/8' })
  const client = createClient({
    baseUrl: service.baseUrl,
    keys: { consumer: service.keys.Consumer, secretKey: service.keys.SecretKey },
  })
  const credentialsJson = JSON.stringify({ baseUrl: target.origin, authType: 'none' })
  const registered = await client.call('RegApplicationCreate', { body: { applicationId: http, credentialsJson } })
  const [without, recorded, replayed] = await Promise.all(
    [0, 20, replayedRuns].map((replayRuns) => deploy(client, registered, replayRuns)),
  )
  const perSecond = (workflowId: string | undefined, amount: number) =>
    runAtFullLoad(service, client, workflowId as string, amount)
  for (const workflowId of [without, recorded]) await perSecond(workflowId, runsPerRound)
  const shares: number[] = []
  // In turns, so that what else the machine does falls on both.
  for (let round = 0; round < rounds; round++) {
    const off = await perSecond(without, runsPerRound)
    shares.push((await perSecond(recorded, runsPerRound)) / off)
  }
  const runTimes: number[] = []
  const replayTimes: number[] = []
  for (let round = 0; round < rounds; round++) {
    runTimes.push(replayedRuns / (await perSecond(replayed, replayedRuns)))
    replayTimes.push(await replayAll(client, replayed as string))
  }
  const share = medianOf(shares)
  const running = medianOf(runTimes)
  const replaying = medianOf(replayTimes)
  return [
    {
      what: 'run throughput with recording, share of that without (two calls a run)',
      measured: `${(share * 100).toFixed(1)} % (${shares.map((one) => (one * 100).toFixed(0)).join(' ')})`,
      wanted: 'at least 90 %',
      isMet: share >= 0.9,
    },
    {
      what: `replaying ${replayedRuns} recorded runs`,
      measured: `${(replaying * 1000).toFixed(0)} ms (${listed(replayTimes)})`,
      wanted: `no longer than running them: ${(running * 1000).toFixed(0)} ms (${listed(runTimes)})`,
      isMet: replaying <= running,
    },
  ]
}

function listed(seconds: readonly number[]): string {
  return seconds.map((one) => (one * 1000).toFixed(0)).join(' ')
}

async function deploy(client: Client, registered: string, replayRuns: number): Promise<string> {
  const id = await client.call('WorkflowCreate', {
    body: { name: `replayRuns ${replayRuns}`, replayRuns, applications: { HTTP: registered }, chain: [{ script }] },
  })
  await client.call('DeployWorkflow', { params: { id } })
  return id
}

/** Seconds from the request to the last result. */
async function replayAll(client: Client, workflowId: string): Promise<number> {
  const startedAt = performance.now()
  const body = { lastRuns: replayedRuns }
  const { replayId } = await client.call('ReplayStart', { params: { id: workflowId }, body })
  // Each question is answered with all results so far, so none is asked while they cannot be complete.
  await new Promise((done) => setTimeout(done, 150))
  for (;;) {
    const { state, counts } = await client.call('Replay', { params: { id: replayId } })
    if (state === 'Completed' && counts.same === replayedRuns) return (performance.now() - startedAt) / 1000
    if (state !== 'Running') throw new Error(`The replay is ${state}: ${JSON.stringify(counts)}.`)
    await new Promise((done) => setTimeout(done, 20))
  }
}

async function startTarget() {
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      response.writeHead(200, { 'content-type': 'application/json' })
      response.end(answer)
    })
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
    },
  }
}
