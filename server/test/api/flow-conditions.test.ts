// Conditions, joins, tolerated failures, handlers and retries, on the running service.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventually } from '../harness/eventually.ts'
import { joinService } from '../harness/joined-service.ts'
import type { TestService } from '../harness/service.ts'
import {
  blockPath,
  blockResult,
  createWorkflow,
  deployWorkflow,
  endOf,
  findRun,
  runToEnd,
  type SampleBlock,
  type SampleWorkflow,
  startRun,
} from '../harness/workflows.ts'

let service: TestService
beforeAll(async () => {
  service = await joinService()
})
afterAll(() => service[Symbol.asyncDispose]())

const deploy = (...blocks: SampleBlock[]) => deployWorkflow(service.manager, blocks)
const resultOf = async (workflow: SampleWorkflow, no: number, runNumber?: number) =>
  (await blockResult(service.manager, workflow, no, runNumber)).body
const chainOf = async (workflow: SampleWorkflow, runNumber: number) =>
  (await service.manager.get(`/api/Workflow/${workflow.id}?runNumber=${runNumber}`)).body.chain
const logOf = async (workflow: SampleWorkflow, no: number) =>
  (await service.manager.get(blockPath('GetBlockUserLog', workflow, no))).body.result

describe('a condition', () => {
  it('that is falsy skips the block and what needs it, and the run is Ready', async () => {
    const workflow = await deploy(
      { script: 'return 1', flow: { runWhen: 'variables.no || 0' } },
      { script: 'throw new Error("never")' },
      { script: 'return Datasource', after: [1, 2], flow: { needs: 'any' } },
    )
    expect(await runToEnd(service.manager, workflow.id)).toMatchObject({ status: 'Ready', blockErrors: 0 })
    expect(await resultOf(workflow, 1)).toMatchObject({ success: true, result: null, skipped: true })
    expect((await chainOf(workflow, 1)).map(({ status }: { status: string }) => status)).toEqual([
      'Skipped',
      'Skipped',
      'Skipped',
    ])
    expect(await logOf(workflow, 1)).toEqual([])
  })

  it('sees what a script sees, and chooses one of two branches that join again', async () => {
    const workflow = await deploy(
      { script: 'session.vars.country = "DE"; return { total: 20 }' },
      {
        script: 'return "small"',
        flow: { runWhen: 'Datasource[0].total < 10 && session.vars.country === "DE" && run.input.go' },
      },
      { script: 'return "large"', after: [1], flow: { runWhen: 'Datasource[0].total >= 10 && run.input.go' } },
      { script: 'return Datasource', after: [2, 3], flow: { needs: 'any' } },
    )
    await runToEnd(service.manager, workflow.id, { input: { go: true } })
    const last = await resultOf(workflow, 4)
    expect(last.result).toEqual([null, 'large'])
    expect(last).not.toHaveProperty('skipped')
  })

  it.each([
    ['throws', 'nothing.here', 'The condition of block "Ship" failed: ReferenceError: nothing is not defined'],
    ['throws no error', '(() => { throw 7 })()', 'The condition of block "Ship" failed: 7'],
    ['loops', '(() => { for (;;); })()', 'The condition of block "Ship" failed: it took longer than one second.'],
    ['wants to call', 'api.get("x")', 'The condition of block "Ship" failed: TypeError'],
  ])('that %s fails its block', async (_name, runWhen, message) => {
    const workflow = await deploy({ blockName: 'Ship', script: 'return 1', flow: { runWhen } })
    const run = await runToEnd(service.manager, workflow.id)
    expect(run.status).toBe('Error')
    expect(run.errorMessage).toContain(message)
  })

  it('that gives a promise is truthy', async () => {
    const workflow = await deploy({ script: 'return 1', flow: { runWhen: 'Promise.resolve(false)' } })
    await runToEnd(service.manager, workflow.id)
    expect((await resultOf(workflow, 1)).result).toBe(1)
  })

  it.each([
    ['runWhen', { runWhen: 'a +' }],
    ['retry.when', { retry: { times: 1, when: 'await x' } }],
    ['runWhen', { runWhen: '1) }); (function () { return (1' }],
  ])('or other expression that does not compile is refused with block and field (%s)', async (field, flow) => {
    const body = { name: 'X', chain: [{ blockName: 'Ship', script: 'return 1', ...flow }] }
    const answer = await service.manager.post('/api/Workflow', body)
    expect(answer.status).toBe(400)
    expect(answer.body.errorMessage).toMatch(new RegExp(`The ${field} of block "Ship" .* does not compile`))
  })

  it('comes back as it was given, and is taken away by null', async () => {
    const flow = { runWhen: ' true ', retry: { when: 'error', times: 3 } }
    const { id, blocks } = await createWorkflow(service.manager, [{ script: 'return 1', flow }])
    const read = async () => (await service.manager.get(`/api/Workflow/${id}`)).body.chain[0]
    expect(await read()).toMatchObject({ ...flow, needs: null, onError: null })
    await service.manager.post(`/api/Workflow/${id}`, { chain: [{ uniqueBlockId: blocks[0], runWhen: null }] })
    expect(await read()).toMatchObject({ runWhen: null, retry: flow.retry })
    const difference = await service.manager.get(`/api/WorkflowDifference/${id}?from=1&to=2`)
    expect(difference.body.blocks[0].fields).toEqual([{ name: 'runWhen', from: ' true ', to: null }])
  })
})

describe('a failure', () => {
  const throws = 'throw new Error("broken")'

  it('that is tolerated lets the run go on and is counted', async () => {
    const workflow = await deploy(
      { script: throws, flow: { onError: 'continue' } },
      { script: 'return 1' },
      { script: 'return 2', after: [] },
    )
    expect(await runToEnd(service.manager, workflow.id)).toMatchObject({ status: 'Ready', blockErrors: 1 })
    expect(await resultOf(workflow, 1)).toMatchObject({ success: false, result: 'broken' })
    expect(await resultOf(workflow, 2)).toMatchObject({ skipped: true })
  })

  it('that was tolerated can be retried: what failed runs again, and what follows from it', async () => {
    const until = 'if (!myVault.contains("open")) throw new Error("closed"); return run.idempotencyKey'
    const workflow = await deploy(
      { script: 'return run.runNumber' },
      { script: until, flow: { onError: 'continue' } },
      { script: 'return Datasource[0]' },
      { script: 'return Datasource[0].error.message', after: [2], flow: { needs: 'failed' } },
    )
    await runToEnd(service.manager, workflow.id)
    expect(await resultOf(workflow, 4, 1)).toMatchObject({ success: true, result: 'closed' })
    await service.manager.post(`/api/MyVaultSet/${workflow.id}/open`, { jsonData: true })
    const retry = await service.manager.get(`/api/RetryRun/${workflow.id}?runNumber=1`)
    expect(retry.status, retry.text).toBe(200)
    expect(await endOf(service.manager, workflow.id, 2)).toMatchObject({ status: 'Ready', blockErrors: 0 })
    expect((await resultOf(workflow, 1, 2)).result).toBe(1)
    expect((await resultOf(workflow, 3, 2)).result).toContain(workflow.blocks[1])
    expect(await resultOf(workflow, 4, 2)).toMatchObject({ skipped: true })
    const again = await service.manager.get(`/api/RetryRun/${workflow.id}?runNumber=2`)
    expect(again.status).toBe(400)
  })

  it('runs its handler before the run ends in Error, and the handler changes nothing about that', async () => {
    const failing = `const error = new Error("broken"); error.response = { statusCode: 422, headers: {}, data: "no" }; throw error`
    const workflow = await deploy(
      { script: 'return 1' },
      { blockName: 'Ship', script: failing },
      { script: 'return 2' },
      { script: 'return Datasource', after: [1, 2, 3], flow: { needs: 'failed' } },
      { script: throws, after: [2], flow: { needs: 'failed', onError: 'stop' } },
      { script: 'return "nobody"', after: [1], flow: { needs: 'failed' } },
    )
    const run = await runToEnd(service.manager, workflow.id)
    expect(run).toMatchObject({ status: 'Error', blockErrors: 0 })
    expect(run.errorMessage).toContain('Block 2 "Ship" failed')
    const response = { statusCode: 422, headers: {}, data: 'no' }
    const error = { uniqueBlockId: workflow.blocks[1], blockName: 'Ship', message: 'broken', itemKey: null }
    expect((await resultOf(workflow, 4)).result).toEqual([
      null,
      { error: { ...error, statusCode: 422, response } },
      null,
    ])
    const statuses = (await chainOf(workflow, 1)).map(({ status }: { status: string }) => status)
    expect(statuses).toEqual(['Ready', 'Error', 'Skipped', 'Ready', 'Error', 'Skipped'])
  })
})

describe('a retry', () => {
  const counting = (failures: number) =>
    `console.log("try", run.try, run.idempotencyKey); if (run.try <= ${failures}) throw new Error("no " + run.try); return run.try`

  it('tries again, logs all tries, and keeps the key', async () => {
    const workflow = await deploy({ script: counting(2), flow: { retry: { times: 3, firstSeconds: 0.01 } } })
    expect(await runToEnd(service.manager, workflow.id)).toMatchObject({ status: 'Ready' })
    expect((await resultOf(workflow, 1)).result).toBe(3)
    const log: string[] = await logOf(workflow, 1)
    expect(log.map((line) => line.split(' ').slice(0, 4).join(' '))).toHaveLength(5)
    expect([log[1], log[3]]).toEqual(['Try 2 of 4', 'Try 3 of 4'])
    expect(new Set([0, 2, 4].map((at) => log[at]?.split(' ')[2])).size).toBe(1)
    expect((await chainOf(workflow, 1))[0]).toMatchObject({ tries: 3, childRun: null })
  })

  it('gives up after its times, or when its rule or a PermanentError says so', async () => {
    const flow = { retry: { times: 2, firstSeconds: 0 } }
    const permanent = 'const e = new Error("for good"); e.name = "PermanentError"; throw e'
    const workflow = await deploy(
      { script: counting(9), flow: { ...flow, onError: 'continue' } },
      {
        script: counting(9),
        after: [],
        flow: { retry: { ...flow.retry, when: 'error.message !== "no 2"' }, onError: 'continue' },
      },
      { script: permanent, after: [], flow: { ...flow, onError: 'continue' } },
      { script: counting(9), after: [], flow: { retry: { ...flow.retry, when: 'nothing.here' }, onError: 'continue' } },
    )
    expect(await runToEnd(service.manager, workflow.id)).toMatchObject({ status: 'Ready', blockErrors: 4 })
    const tries = (await chainOf(workflow, 1)).map(({ tries }: { tries: number }) => tries)
    expect(tries).toEqual([3, 2, 1, 1])
    expect((await resultOf(workflow, 4)).result).toContain('The retry rule of block "Block 4" failed')
  })

  it('waits without holding anything: the run is Waiting, shows for what, and a stop ends it at once', async () => {
    const workflow = await deploy(
      { script: 'throw new Error("later")', flow: { retry: { times: 1, firstSeconds: 3000 } } },
      { script: 'return 1' },
    )
    const number = await startRun(service.manager, workflow.id)
    const run = await eventually(async () => {
      const found = await findRun(service.manager, workflow.id, number)
      return found.status === 'Waiting' && found
    })
    expect(run.waitingFor).toMatchObject({ kind: 'retry', uniqueBlockId: workflow.blocks[0], itemKey: null })
    const leftMs = Date.parse(run.waitingFor.untilDateTimeUTC) - Date.now()
    expect(leftMs).toBeGreaterThan(2_000_000)
    const history = { page: 0, size: 5, status: 'Waiting' }
    const listed = await service.manager.post(`/api/GetRunHistory/${workflow.id}`, history)
    expect(listed.body.total).toBe(1)
    const shown = (await service.manager.get(`/api/Workflow/${workflow.id}`)).body
    expect(shown.lastRunStatus).toBe('Waiting')
    const stopped = await service.manager.get(`/api/StopWorkflowRun/${workflow.id}?runNumber=${number}`)
    expect(stopped.body).toBe(true)
    expect(await findRun(service.manager, workflow.id, number)).toMatchObject({ status: 'Stopped', waitingFor: null })
  })

  it('of a handler happens before the run ends', async () => {
    const workflow = await deploy(
      { script: 'throw new Error("broken")' },
      { script: counting(1), flow: { needs: 'failed', retry: { times: 1, firstSeconds: 0.5 } } },
    )
    expect(await runToEnd(service.manager, workflow.id)).toMatchObject({ status: 'Error', blockErrors: 0 })
    expect((await resultOf(workflow, 2)).result).toBe(2)
  })
})

it('a time limit of a block ends its try', async () => {
  const workflow = await deploy({ script: 'for (;;);', flow: { timeoutSeconds: 1, retry: { times: 3 } } })
  const run = await runToEnd(service.manager, workflow.id)
  expect(run.status).toBe('Error')
  expect(run.errorMessage).toContain('time limit of 1000 ms')
})

it('any or failed without a data source is refused', async () => {
  for (const needs of ['any', 'failed']) {
    const body = { name: 'X', chain: [{ blockName: 'Ship', script: 'return 1', needs }] }
    const answer = await service.manager.post('/api/Workflow', body)
    expect(answer.status).toBe(400)
    expect(answer.body.errorMessage).toContain(`has needs "${needs}" but no data source`)
  }
})

describe('warnings of a workflow', () => {
  it('name the block, and are null where there are none', async () => {
    const workflow = await createWorkflow(service.manager, [
      'return fx.nobodyKnows(1)',
      { blockName: 'Ship', script: 'fx.stopAfterThisBlock(true)', flow: { forEach: {} } },
    ])
    const { body } = await service.manager.get(`/api/Workflow/${workflow.id}`)
    expect(body.warnings).toEqual([
      'Block "Block 1" calls fx.nobodyKnows, which does not exist.',
      'Block "Ship" runs once for each item, but its script never uses item.',
    ])
    // What was read can be posted back.
    expect((await service.manager.post(`/api/Workflow/${workflow.id}`, body)).status).toBe(200)
    const clean = await createWorkflow(service.manager, ['return 1'])
    expect((await service.manager.get(`/api/Workflow/${clean.id}`)).body.warnings).toBe(null)
  })
})
