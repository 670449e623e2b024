// A thousand open streams, each on a workflow of which runs execute: what they weigh, and how late they are.
import { Agent, get, type IncomingMessage } from 'node:http'
import { type Client, createClient } from '@patchbay/sdk'
import { requestsPerSecond } from './measure.ts'
import type { Row } from './report.ts'
import { type BenchService, memoryMb, newDataDir, startBenchService } from './service.ts'

const streamCount = 1_000
/** An account may have so many open. */
const streamsPerAccount = 50
const workflowCount = 100
/** An account may have so many requests under way that more at once would be refused. */
const openedAtOnce = 20
const seconds = 20
const runsPerSecond = 500

export async function benchStreams(): Promise<Row[]> {
  using dataDir = newDataDir()
  await using service = await startBenchService(dataDir.path)
  const keys = { consumer: service.keys.Consumer, secretKey: service.keys.SecretKey }
  const client = createClient({ baseUrl: service.baseUrl, keys })
  const workflowIds: string[] = []
  for (let no = 0; no < workflowCount; no++) workflowIds.push(await deploy(client, no))
  // As warm as it will be: what runs leave behind in memory is not the streams'.
  await run(service, workflowIds, seconds)
  const before = await memoryAtRest(service)
  const lateMs: number[] = []
  using streams = await openStreams(service, workflowIds, (late) => lateMs.push(late))
  const withStreams = await memoryAtRest(service)
  const runsBefore = await countRuns(client, workflowIds)
  const perSecond = await run(service, workflowIds, seconds)
  // The last ones are on their way.
  await new Promise((done) => setTimeout(done, 5_000))
  const runs = (await countRuns(client, workflowIds)) - runsBefore
  const expected = runs * (streams.count / workflowCount)
  const sorted = lateMs.sort((one, other) => one - other)
  const p95 = sorted[Math.floor(sorted.length * 0.95)] ?? Number.POSITIVE_INFINITY
  const grownMb = withStreams - before
  return [
    judged(`memory of ${streams.count} streams`, `${grownMb.toFixed(0)} MB`, 'under 100 MB', grownMb < 100),
    judged('runs a second beside them', perSecond.toFixed(0), 'at least 490', perSecond >= 490),
    judged('ends of runs seen', `${sorted.length} of ${expected}`, 'all', sorted.length === expected),
    judged('delay of the end of a run, p95', `${p95} ms`, 'under 250 ms', p95 < 250),
  ]
}

async function memoryAtRest({ pid }: BenchService): Promise<number> {
  await new Promise((done) => setTimeout(done, 5_000))
  return memoryMb(pid)
}

function judged(what: string, measured: string, wanted: string, isMet: boolean | undefined): Row {
  return { what, measured, wanted, isMet }
}

async function deploy(client: Client, no: number): Promise<string> {
  const workflowId = await client.call('WorkflowCreate', {
    body: { name: `watched ${no}`, chain: [{ script: 'return 1' }] },
  })
  await client.call('DeployWorkflow', { params: { id: workflowId } })
  return workflowId
}

async function openStreams(
  service: BenchService,
  workflowIds: readonly string[],
  onEnd: (lateMs: number) => void,
): Promise<Disposable & { count: number }> {
  const agent = new Agent({ keepAlive: false, maxSockets: Number.POSITIVE_INFINITY })
  let count = 0
  const watchers = await createWatchers(service, Math.ceil(streamCount / streamsPerAccount))
  const open = async (index: number) => {
    const headers = watchers[Math.floor(index / streamsPerAccount)]
    const url = `${service.baseUrl}/api/Stream?workflowId=${workflowIds[index % workflowIds.length]}`
    const response = await new Promise<IncomingMessage>((done, fail) => {
      get(url, { agent, headers }, done).on('error', fail)
    })
    if (response.statusCode !== 200) throw new Error(`A stream was answered with ${response.statusCode}.`)
    count++
    let rest = ''
    response.setEncoding('utf8').on('data', (text: string) => {
      const now = Date.now()
      const frames = (rest + text).split('\n\n')
      rest = frames.pop() ?? ''
      for (const frame of frames) {
        const [, timestamp] = /event: run\.ended\n.*?"timestamp":"([^"]+)"/s.exec(frame) ?? []
        if (timestamp !== undefined) onEnd(now - Date.parse(timestamp))
      }
    })
    response.on('error', () => {})
  }
  for (let from = 0; from < streamCount; from += openedAtOnce)
    await Promise.all(Array.from({ length: openedAtOnce }, (_, index) => open(from + index)))
  return { count, [Symbol.dispose]: () => agent.destroy() }
}

/** Managers who watch the account whose workflows run. */
async function createWatchers({ baseUrl, keys }: BenchService, count: number) {
  const client = createClient({ baseUrl, keys: { consumer: keys.Consumer, secretKey: keys.SecretKey } })
  const { id: ManagedAccountId } = (await client.call('Authenticate', {})).myAccount
  return Promise.all(
    Array.from({ length: count }, async (_, index) => {
      const id = await client.call('AccountCreate', {
        body: {
          email: `watcher${index}@example.com`,
          firstName: 'Wanda',
          lastName: 'Watcher',
          roleName: 'Manager',
          activated: true,
        },
      })
      const { consumer, secretKey } = await client.call('RevealApiKey', { params: { id } })
      return { Consumer: consumer, SecretKey: secretKey, ManagedAccountId }
    }),
  )
}

async function countRuns(client: Client, workflowIds: readonly string[]): Promise<number> {
  let count = 0
  for (const workflowId of workflowIds)
    count += (await client.call('GetRunHistory', { params: { workflowId }, body: { page: 0, size: 1 } })).total
  return count
}

/** At a steady rate, all workflows in turn. */
async function run(service: BenchService, workflowIds: readonly string[], forSeconds: number): Promise<number> {
  const { perSecond } = await requestsPerSecond({
    url: `${service.baseUrl}/api/RunWorkflow`,
    method: 'POST',
    headers: { ...service.keys, 'content-type': 'application/json' },
    bodies: workflowIds.map((workflowId) => JSON.stringify({ workflowId })),
    connections: 20,
    seconds: forSeconds,
    perSecondMax: runsPerSecond,
  })
  return perSecond
}
