import pg from 'pg'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { eventually } from '../harness/eventually.ts'
import { startService, type TestService } from '../harness/service.ts'
import { deployWorkflow, startRun } from '../harness/workflows.ts'

let service: TestService
let listener: pg.Client
const heard: string[] = []

beforeAll(async () => {
  service = await startService({ role: 'api' })
  listener = new pg.Client({ connectionString: service.databaseUrl })
  await listener.connect()
  await listener.query('listen patchbay_jobs')
  listener.on('notification', ({ payload }) => heard.push(payload ?? ''))
})
afterAll(async () => {
  await listener.end()
  await service[Symbol.asyncDispose]()
})

it('workers hear of runs after their commit, and once for many', async () => {
  const { id } = await deployWorkflow(service.manager, ['return 1'])
  await startRun(service.manager, id)
  await eventually(() => heard.includes('runs'))
  // Whoever looks because of the notice finds the job.
  expect((await listener.query("select from patchbay.jobs where queue = 'runs'")).rowCount).toBe(1)
  heard.length = 0
  const starts = 300
  await Promise.all(Array.from({ length: starts }, () => startRun(service.manager, id)))
  await eventually(() => heard.length > 0)
  expect(heard.length).toBeLessThan(starts / 2)
})
