// Several writers of the same runs at once: a worker's notes about what is under way, and those of one that holds the runs after it.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { Database } from '../../src/db/index.ts'
import { markProcessing, updateUnderWay } from '../../src/runs/dispatch/mark-store.ts'
import { startService, type TestService } from '../harness/service.ts'
import { deployWorkflow, startRun } from '../harness/workflows.ts'

let api: TestService
let one: Database
let other: Database
beforeAll(async () => {
  // Without a worker, so that nobody else writes about the runs.
  api = await startService({ role: 'api' })
  one = new Database({ connectionString: api.databaseUrl }, () => {})
  other = new Database({ connectionString: api.databaseUrl }, () => {})
})
afterAll(async () => {
  await one[Symbol.asyncDispose]()
  await other[Symbol.asyncDispose]()
  await api[Symbol.asyncDispose]()
})

it('two workers that note the same runs in opposite order never wait for each other', async () => {
  const workflow = await deployWorkflow(api.manager, ['return 1'])
  await Promise.all(Array.from({ length: 200 }, () => startRun(api.manager, workflow.id)))
  const rows = (await api.asOwner('select id from runs where workflow_id = $1', [workflow.id])) as { id: string }[]
  const claims = rows.map(({ id }) => ({ runId: id, attempt: 0 }))
  const notes = claims.map((claim) => ({ ...claim, blockIds: workflow.blocks }))
  for (let round = 0; round < 40; round++)
    await Promise.all([
      updateUnderWay(one.system, notes),
      updateUnderWay(other.system, notes.toReversed()),
      markProcessing(one.system, claims.toReversed()),
      markProcessing(other.system, claims),
    ])
  const [noted] = await api.asOwner(
    "select count(*)::int as n from runs where workflow_id = $1 and under_way is not null and status = 'Processing'",
    [workflow.id],
  )
  expect(noted?.['n']).toBe(claims.length)
})
