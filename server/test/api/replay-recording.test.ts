import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventually } from '../harness/eventually.ts'
import { type HttpTarget, startHttpTarget } from '../harness/http-target.ts'
import { startService, type TestService } from '../harness/service.ts'
import { deployWorkflow, runToEnd } from '../harness/workflows.ts'

const http = 'e31040e1-1997-54d0-bfa6-43f910dc7be6'
const secret = 'answer-that-nobody-else-may-read'

describe('what is kept of runs for replays', () => {
  let service: TestService
  let target: HttpTarget
  let registered: string

  beforeAll(async () => {
    service = await startService()
    target = await startHttpTarget(({ url }) =>
      url.endsWith('/large') ? { body: 'x'.repeat(6 * 1024 * 1024) } : { json: { secret } },
    )
    const credentialsJson = JSON.stringify({ baseUrl: target.origin, authType: 'none' })
    registered = (await service.manager.post('/api/RegApplication', { applicationId: http, credentialsJson })).body
  })
  afterAll(async () => {
    await target[Symbol.asyncDispose]()
    await service[Symbol.asyncDispose]()
  })

  const deploy = (script: string, more: object = {}) =>
    deployWorkflow(service.manager, [script], { applications: { HTTP: registered }, ...more })
  const kept = async (workflowId: string) =>
    service.asOwner(
      'select run_number, sealed_tape, problem from run_recordings where workflow_id = $1 order by run_number',
      [workflowId],
    )
  const numbersKept = async (workflowId: string) => (await kept(workflowId)).map((row) => row['run_number'])

  it('is sealed, and there as soon as the run has ended', async () => {
    const { id } = await deploy(`await api.get('http/items'); return 1`)
    await runToEnd(service.manager, id)
    const [row] = await kept(id)
    expect(row).toMatchObject({ run_number: 1, problem: null })
    const bytes = row?.['sealed_tape'] as Buffer
    expect(bytes.length).toBeGreaterThan(100)
    expect(bytes.includes(secret)).toBe(false)
  })

  it('is that of the newest runs, 20 by default, also of runs that end together', async () => {
    const detail = await service.manager.get(`/api/Workflow/${(await deploy('return 1')).id}`)
    expect(detail.body.replayRuns).toBe(20)
    const { id } = await deploy('return 1', { replayRuns: 3 })
    expect((await service.manager.get(`/api/Workflow/${id}`)).body.replayRuns).toBe(3)
    for (let round = 0; round < 2; round++)
      await Promise.all(Array.from({ length: 10 }, () => runToEnd(service.manager, id)))
    expect(await numbersKept(id)).toEqual([18, 19, 20])
  })

  it('is nothing where the workflow says so, and nothing of partial runs', async () => {
    const none = await deploy('return 1', { replayRuns: 0 })
    await runToEnd(service.manager, none.id)
    expect(await kept(none.id)).toEqual([])
    const some = await deploy('return 1')
    await runToEnd(service.manager, some.id, { runFromBlock: 1, runTillBlock: 1 })
    expect(await kept(some.id)).toEqual([])
  })

  it('says so where it would be larger than 10 MiB', async () => {
    const { id } = await deploy(`await api.get('http/large'); await api.get('http/large'); return 1`)
    expect(await runToEnd(service.manager, id)).toMatchObject({ status: 'Ready' })
    expect(await kept(id)).toMatchObject([{ sealed_tape: null, problem: expect.stringContaining('10 MiB') }])
  })

  it.each([-1, 201, 1.5, 'many'])('cannot be %s runs', async (replayRuns) => {
    const answer = await service.manager.post('/api/Workflow', { name: 'x', chain: [], replayRuns })
    expect(answer.status).toBe(400)
    expect(answer.text).toContain('replayRuns')
  })

  it('goes with its workflow, and shrinks when the setting does', async () => {
    const { id } = await deploy('return 1')
    for (let run = 0; run < 3; run++) await runToEnd(service.manager, id)
    await service.manager.post(`/api/Workflow/${id}`, { replayRuns: 2 })
    await runToEnd(service.manager, id)
    expect(await numbersKept(id)).toEqual([3, 4])
    await service.manager.post(`/api/Workflow/${id}`, { replayRuns: 1 })
    // A sweep does it where no further run comes: that of a process that starts is made at once.
    await using _other = await service.startAnother({}, 'worker')
    await eventually(async () => ((await kept(id)).length === 1 ? true : undefined))
    await service.manager.get(`/api/ArchiveWorkflow/${id}`)
    expect((await service.manager.get(`/api/DeleteWorkflow/${id}`)).status).toBe(200)
    expect(await kept(id)).toEqual([])
  })
})
