// The proof of items: workers and script processes are killed in the middle of a long list. The counts add up, no recorded item runs again, and
// each kill costs at most as many further effects as items were in progress, each with the key it had before.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventually } from '../harness/eventually.ts'
import { type HttpTarget, startHttpTarget } from '../harness/http-target.ts'
import { type Program, startProgram } from '../harness/program.ts'
import { proofRandom, proofSize } from '../harness/proof-size.ts'
import { killProcess, listScriptProcesses } from '../harness/script-processes.ts'
import { startService, type TestService } from '../harness/service.ts'
import { blockResult, deployWorkflow, endOf, findRun, type SampleWorkflow, startRun } from '../harness/workflows.ts'

const http = 'e31040e1-1997-54d0-bfa6-43f910dc7be6'
const items = proofSize('ITEMS', { small: 300, large: 10_000 })
const kills = proofSize('ITEM_KILLS', { small: 4, large: 60 })
const concurrency = 5
const random = proofRandom()

let api: TestService
let target: HttpTarget
let registered: string
/** The idempotency keys that came for each item. */
const arrived = new Map<string, string[]>()

beforeAll(async () => {
  api = await startService({ role: 'api', env: { PATCHBAY_LOG_LEVEL: 'fatal' } })
  target = await startHttpTarget(({ url, headers }) => {
    const name = url.slice(1)
    arrived.set(name, [...(arrived.get(name) ?? []), String(headers['idempotency-key'])])
    target.received.length = 0
    return { json: 1 }
  })
  const credentialsJson = JSON.stringify({ baseUrl: target.origin, authType: 'none' })
  registered = (await api.manager.post('/api/RegApplication', { applicationId: http, credentialsJson })).body
})
afterAll(async () => {
  await target[Symbol.asyncDispose]()
  await api[Symbol.asyncDispose]()
})

async function startWorker(): Promise<Program> {
  const worker = startProgram('main', ['worker'], {
    PATCHBAY_DATABASE_URL: api.databaseUrl,
    PATCHBAY_DATA_DIR: api.dataDir,
    PATCHBAY_EGRESS_ALLOW: '127.0.0.0/8',
    PATCHBAY_LOG_LEVEL: 'fatal',
  })
  await worker.saw(/worker is ready/)
  return worker
}

/** As if so much time had passed since the last sign of life. */
const forgetHeartbeats = () =>
  api.asOwner("update jobs set heartbeat_at = now() - interval '1 hour' where queue = 'runs' and state = 'active'")

const countsOf = async (workflow: SampleWorkflow) =>
  (
    await api.manager.post(`/api/GetBlockItems/${workflow.id}`, {
      uniqueBlockId: workflow.blocks[0],
      page: 0,
      size: 1,
    })
  ).body.counts

const effects = () => [...arrived.values()].reduce((sum, keys) => sum + keys.length, 0)

describe('items', () => {
  it('run once each, however often workers and script processes are killed', async () => {
    arrived.clear()
    const workflow = await deployWorkflow(
      api.manager,
      [
        {
          script: "await api.post('http/item-' + itemKey, 1); return itemKey",
          flow: {
            forEach: { items: `Array.from({ length: ${items} }, (_, n) => n)`, key: 'item', concurrency },
          },
        },
      ],
      { applications: { HTTP: registered } },
    )
    let worker = await startWorker()
    const number = await startRun(api.manager, workflow.id)
    let workerKills = 0
    for (let kill = 1; kill <= kills; kill++) {
      // Spread over the whole list.
      const goal = Math.floor((items * kill) / (kills + 1))
      await eventually(() => effects() >= goal)
      if (random.chance(0.5)) {
        for (const process of listScriptProcesses([worker.pid])) killProcess(process)
        continue
      }
      workerKills++
      worker.kill('SIGKILL')
      await worker.ended
      await forgetHeartbeats()
      worker = await startWorker()
    }
    const run = await endOf(api.manager, workflow.id, number)
    worker.kill('SIGTERM')
    await worker.ended
    expect(run).toMatchObject({ status: 'Ready', itemsTotal: items, itemsFailed: 0 })
    const counts = { pending: 0, processing: 0, waiting: 0, succeeded: items, failed: 0, skipped: 0 }
    expect(await countsOf(workflow)).toEqual(counts)
    const { body } = await blockResult(api.manager, workflow, 1)
    expect(body.result).toEqual(Array.from({ length: items }, (_, n) => String(n)))
    // Every item arrived, and what arrived again has the key it had before.
    expect(arrived.size).toBe(items)
    const extra = effects() - items
    console.log(`${items} items, ${kills} kills (${workerKills} of workers), ${extra} effects more`)
    expect(extra).toBeLessThanOrEqual(kills * concurrency)
    expect([...arrived.values()].every((keys) => new Set(keys).size === 1)).toBe(true)
    expect(new Set([...arrived.values()].map(([key]) => key)).size).toBe(items)
  })

  it('fail alone when three workers died on them; the others and the run go on', async () => {
    const workflow = await deployWorkflow(api.manager, [
      {
        script: `if (item !== 'killer') return item
          const began = (myVault.get('began') ?? 0) + 1
          myVault.set('began', began)
          await sleep(120000)`,
        flow: { forEach: { items: '["a", "killer", "b"]', key: 'item', concurrency: 2, maxFailures: 1 } },
      },
    ])
    const number = await startRun(api.manager, workflow.id)
    const began = async () => (await api.manager.get(`/api/MyVaultGet/${workflow.id}/began`)).body
    for (let death = 1; death <= 3; death++) {
      const victim = await startWorker()
      await eventually(async () => (await began()) === death)
      victim.kill('SIGKILL')
      await victim.ended
      await forgetHeartbeats()
    }
    await using _last = await startWorker()
    expect(await endOf(api.manager, workflow.id, number)).toMatchObject({ status: 'Ready', itemsFailed: 1 })
    expect((await blockResult(api.manager, workflow, 1)).body.result).toEqual(['a', 'b'])
    const path = `/api/GetBlockItem/${workflow.id}?uniqueBlockId=${workflow.blocks[0]}&itemKey=killer`
    expect((await api.manager.get(path)).body).toMatchObject({
      status: 'failed',
      errorMessage: 'The worker died three times while running this item.',
    })
    expect(await began()).toBe(3)
    expect((await findRun(api.manager, workflow.id, number)).errorMessage).toBeNull()
  })
})
