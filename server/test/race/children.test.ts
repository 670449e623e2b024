// The proof of children: parents whose items are runs of another workflow, while workers are killed at any moment, also around the end of a child.
// No parent stays behind, no item has two children, and no child ran for nobody.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { eventually } from '../harness/eventually.ts'
import { type Program, startProgram } from '../harness/program.ts'
import { proofRandom, proofSize } from '../harness/proof-size.ts'
import { startService, type TestService } from '../harness/service.ts'
import { blockResult, deployWorkflow, endOf, startRun } from '../harness/workflows.ts'

const parents = proofSize('CHILDREN_PARENTS', { small: 2, large: 10 })
const children = proofSize('CHILDREN_EACH', { small: 8, large: 100 })
const kills = proofSize('CHILDREN_KILLS', { small: 2, large: 40 })
const random = proofRandom()

let api: TestService
beforeAll(async () => {
  api = await startService({ role: 'api', env: { PATCHBAY_LOG_LEVEL: 'fatal' } })
})
afterAll(() => api[Symbol.asyncDispose]())

async function startWorker(): Promise<Program> {
  const worker = startProgram('main', ['worker'], {
    PATCHBAY_DATABASE_URL: api.databaseUrl,
    PATCHBAY_DATA_DIR: api.dataDir,
    PATCHBAY_LOG_LEVEL: 'fatal',
  })
  await worker.saw(/worker is ready/)
  return worker
}

const countEnded = async (workflowId: string) =>
  (await api.asOwner('select from runs where workflow_id = $1 and ended_at is not null', [workflowId])).length

it('each item has one child and each parent its end, whatever is killed', { timeout: 3_600_000 }, async () => {
  const child = await deployWorkflow(api.manager, ['return run.input * 2', 'return Datasource[0] + 1'])
  const numbers = Array.from({ length: children }, (_, no) => no)
  const parent = await deployWorkflow(api.manager, [
    `return ${JSON.stringify(numbers)}`,
    { flow: { subWorkflow: { workflowId: child.id }, forEach: { concurrency: 4 } } },
    { flow: { subWorkflow: { workflowId: child.id, input: 'Datasource[0].length' } } },
  ])
  let worker = await startWorker()
  const started = await Promise.all(Array.from({ length: parents }, () => startRun(api.manager, parent.id)))
  const all = parents * (children + 1)
  for (let kill = 0; kill < kills; kill++) {
    const until = Math.min(all - 1, (await countEnded(child.id)) + random.below(Math.ceil((2 * all) / kills)))
    await eventually(async () => (await countEnded(child.id)) >= until)
    worker.kill('SIGKILL')
    await worker.ended
    // As if so much time had passed since its last sign of life.
    await api.asOwner(
      `update jobs set heartbeat_at = now() - interval '1 hour' where queue = 'runs' and state = 'active'`,
    )
    worker = await startWorker()
  }
  for (const number of started) {
    expect(await endOf(api.manager, parent.id, number)).toMatchObject({ status: 'Ready', errorMessage: null })
    expect((await blockResult(api.manager, parent, 2, number)).body.result).toEqual(numbers.map((no) => no * 2 + 1))
    expect((await blockResult(api.manager, parent, 3, number)).body.result).toBe(children * 2 + 1)
  }
  const [counted] = await api.asOwner(
    `select count(*)::int as runs, count(distinct (parent_run_id, parent_run ->> 'uniqueBlockId', parent_item_index))::int as places,
       count(*) filter (where ended_at is null)::int as open, count(*) filter (where attempt > 0)::int as again
     from runs where workflow_id = $1`,
    [child.id],
  )
  console.log(`${parents} parents, ${kills} kills, children ${JSON.stringify(counted)}`)
  expect(counted).toMatchObject({ runs: all, places: all, open: 0 })
  expect(await api.asOwner('select from run_waits')).toEqual([])
  worker.kill('SIGTERM')
  await worker.ended
})
