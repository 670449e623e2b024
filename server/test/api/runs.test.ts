import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAccount, createOrganization } from '../harness/accounts.ts'
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
  startRun,
} from '../harness/workflows.ts'

const nobody = '00000000-0000-4000-8000-000000000000'

let service: TestService
beforeAll(async () => {
  service = await joinService()
})
afterAll(() => service[Symbol.asyncDispose]())

describe('POST /api/RunWorkflow', () => {
  it('answers with the number of the run, in the sentence and in a header', async () => {
    const { id } = await deployWorkflow(service.manager, ['return 1'])
    for (const number of [1, 2]) {
      const started = await service.manager.post('/api/RunWorkflow', { workflowId: id.toUpperCase() })
      expect(started.status, started.text).toBe(200)
      expect(started.headers.get('x-run-number')).toBe(String(number))
      expect(started.body).toContain(`Run ${number} `)
    }
    expect((await endOf(service.manager, id, 2)).runBy).toBe('API')
  })

  it('refuses an unknown and a foreign workflow with the same bytes', async () => {
    const { id } = await deployWorkflow(service.manager, ['return 1'])
    const other = await createOrganization(service)
    const colleague = await createAccount(service, service.manager, 'User')
    const unknown = await service.manager.post('/api/RunWorkflow', { workflowId: nobody })
    expect(unknown.status).toBe(404)
    for (const client of [other.manager, colleague.client]) {
      const foreign = await client.post('/api/RunWorkflow', { workflowId: id })
      expect(foreign.status).toBe(404)
      expect(foreign.text).toBe(unknown.text)
    }
    expect(await service.asOwner('select from runs where workflow_id = $1', [id])).toHaveLength(0)
  })

  it('refuses a workflow that is not deployed or is archived, and leaves no job behind', async () => {
    const { id } = await createWorkflow(service.manager, ['return 1'])
    const early = await service.manager.post('/api/RunWorkflow', { workflowId: id })
    expect(early.status).toBe(400)
    expect(early.body.errorMessage).toMatch(/not deployed/)
    await service.manager.get(`/api/ArchiveWorkflow/${id}`)
    const late = await service.manager.post('/api/RunWorkflow', { workflowId: id })
    expect(late.status).toBe(400)
    expect(late.body.errorMessage).toMatch(/archived/)
    expect(await service.asOwner("select from jobs where queue = 'runs' and state = 'waiting'")).toHaveLength(0)
  })

  it.each([
    ['no workflow', {}],
    ['an id that is no GUID', { workflowId: 'x' }],
    ['an unknown field', { workflowId: nobody, more: 1 }],
    ['a block number that is no number', { workflowId: nobody, runFromBlock: '1' }],
    ['a block number beyond any chain', { workflowId: nobody, runTillBlock: 1e12 }],
    ['a webhook id that is no GUID', { workflowId: nobody, webhookId: 'x' }],
  ])('refuses %s with 400', async (_name, body) => {
    const answer = await service.manager.post('/api/RunWorkflow', body)
    expect(answer.status, answer.text).toBe(400)
  })

  it('refuses block numbers that the chain does not have, and a webhook request that is not there', async () => {
    const { id } = await deployWorkflow(service.manager, ['return 1', 'return 2'])
    for (const more of [
      { runFromBlock: 0 },
      { runFromBlock: 3 },
      { runTillBlock: -1 },
      { runTillBlock: 3 },
      { runFromBlock: 2, runTillBlock: 1 },
      { webhookId: nobody },
    ]) {
      const answer = await service.manager.post('/api/RunWorkflow', { workflowId: id, ...more })
      expect(answer.status, JSON.stringify(more)).toBe(400)
      expect(answer.body.errorMessage).toMatch(/\.$/)
    }
    expect((await findRun(service.manager, id, 1)) ?? null).toBeNull()
  })

  it('gives numbers that are unique and without gaps, however many start at once', async () => {
    const { id } = await deployWorkflow(service.manager, ['return 1'])
    const numbers = await Promise.all(Array.from({ length: 60 }, () => startRun(service.manager, id)))
    expect([...numbers].sort((a, b) => a - b)).toEqual(Array.from({ length: 60 }, (_, index) => index + 1))
    await eventually(async () => {
      const { body } = await service.manager.post(`/api/GetRunHistory/${id}`, { page: 0, size: 1, status: 'Ready' })
      return body.total === 60
    })
  })

  it('names who started it in the history, and needs no row in the audit log', async () => {
    const { id } = await deployWorkflow(service.manager, ['return 1'])
    const run = await runToEnd(service.manager, id)
    const { myAccount } = (await service.manager.get('/api/Authenticate')).body
    expect(run.startedByAccountId).toBe(myAccount.id)
    const rows = await service.asOwner("select action from audit_log where target = $1 and action like 'run.%'", [id])
    expect(rows).toEqual([])
  })
})

describe('what a run does', () => {
  it('gives each block the results of its data sources in their order, and variables with bindings resolved', async () => {
    const workflow = await deployWorkflow(
      service.manager,
      [
        'return { n: 1 }',
        { script: 'return { n: 2 }', after: [] },
        {
          script: 'return { sources: Datasource, variables, same: getVariables().own }',
          after: [2, 1, 2],
          variables: {
            own: { variableSource: 'Value', value: { deep: [1, null] } },
            bound: { variableSource: 'Workflow', variableName: 'who' },
          },
        },
      ],
      { variables: { who: 'world' } },
    )
    expect(await runToEnd(service.manager, workflow.id)).toMatchObject({ status: 'Ready' })
    expect((await blockResult(service.manager, workflow, 3)).body).toEqual({
      success: true,
      runNumber: 1,
      uniqueBlockId: workflow.blocks[2],
      result: {
        sources: [{ n: 2 }, { n: 1 }, { n: 2 }],
        variables: { own: { deep: [1, null] }, bound: 'world' },
        same: { deep: [1, null] },
      },
    })
  })

  it('runs blocks side by side that do not depend on each other', async () => {
    // Each waits until the other has begun: one after the other, neither would ever end.
    const meet = (mine: string, other: string) => ({
      script: `myVault.set("${mine}", 1); while (!myVault.contains("${other}")) await sleep(20); return "${mine}"`,
      after: [],
    })
    const workflow = await deployWorkflow(service.manager, [
      meet('left', 'right'),
      meet('right', 'left'),
      { script: 'return Datasource', after: [1, 2] },
    ])
    const run = await runToEnd(service.manager, workflow.id)
    expect(run).toMatchObject({ status: 'Ready' })
    expect((await blockResult(service.manager, workflow, 3)).body.result).toEqual(['left', 'right'])
    expect(run.pauseInMilliSec).toBeLessThanOrEqual(run.durationInMilliSec)
  })

  it('shares session.vars between blocks, also between those side by side', async () => {
    const workflow = await deployWorkflow(service.manager, [
      'session.vars.first = 1; session.vars.gone = 1; return 1',
      { script: 'session.vars.left = session.vars.first + 1; return 1', after: [1] },
      { script: 'await sleep(200); session.vars.right = 3; delete session.vars.gone; return 1', after: [1] },
      { script: 'return session.vars', after: [2, 3] },
    ])
    await runToEnd(service.manager, workflow.id)
    expect((await blockResult(service.manager, workflow, 4)).body.result).toEqual({ first: 1, left: 2, right: 3 })
    const session = await service.manager.get(blockPath('GetBlockSession', workflow, 1))
    expect(session.body).toEqual({
      runNumber: 1,
      uniqueBlockId: workflow.blocks[0],
      result: { first: 1, gone: 1 },
    })
  })

  it('tells scripts who they are', async () => {
    const workflow = await deployWorkflow(service.manager, ['return { run, webhook, dateLastRun }'])
    const first = await runToEnd(service.manager, workflow.id)
    expect((await blockResult(service.manager, workflow, 1)).body.result).toEqual({
      run: {
        workflowId: workflow.id,
        runNumber: 1,
        runBy: 'API',
        idempotencyKey: expect.any(String),
        try: 1,
        input: null,
      },
      webhook: null,
      dateLastRun: null,
    })
    await runToEnd(service.manager, workflow.id)
    expect((await blockResult(service.manager, workflow, 1)).body.result.dateLastRun).toBe(first.startDateTimeUTC)
  })

  it.each([
    ['undefined', 'return undefined', null],
    ['nothing', '', null],
    ['a number', 'return 0.1', 0.1],
    ['a text with NUL and half a character', 'return "a\\u0000b\\ud800"', 'a\u0000b\ud800'],
    ['an empty array', 'return []', []],
    ['deep JSON', 'let v = 1; for (let i = 0; i < 100; i++) v = [v]; return v.length', 1],
    ['keys with odd names', 'return JSON.parse(\'{"__proto__": 1, "": 2, "b": 3, "a": 4}\')', undefined],
  ])('keeps %s as a result', async (_name, script, expected) => {
    const workflow = await deployWorkflow(service.manager, [script])
    const run = await runToEnd(service.manager, workflow.id)
    expect(run, JSON.stringify(run)).toMatchObject({ status: 'Ready' })
    const { body, text } = await blockResult(service.manager, workflow, 1)
    if (expected === undefined) expect(text).toContain('"result":{"__proto__":1,"":2,"b":3,"a":4}')
    else expect(body.result).toEqual(expected)
  })

  it('keeps the user log in order, and says where it was cut', async () => {
    const workflow = await deployWorkflow(service.manager, [
      'console.log("a", 1, { b: 2 }); logger.log(""); console.error(undefined, NaN); return 1',
      'for (let i = 0; i < 3000; i++) console.log("x".repeat(1000)); return 1',
    ])
    expect(await runToEnd(service.manager, workflow.id)).toMatchObject({ status: 'Ready' })
    const log = await service.manager.get(blockPath('GetBlockUserLog', workflow, 1))
    expect(log.body).toEqual({
      runNumber: 1,
      uniqueBlockId: workflow.blocks[0],
      result: ['a 1 {"b":2}', 'null', 'null null'],
    })
    const long = (await service.manager.get(blockPath('GetBlockUserLog', workflow, 2))).body.result as string[]
    expect(long.join('\n').length).toBeLessThan(1_050_000)
    expect(long.at(-1)).toMatch(/cut/)
  })

  it('ends in Error when a block throws, names the block, and starts nothing after it', async () => {
    const workflow = await deployWorkflow(service.manager, [
      'return 1',
      { script: 'console.log("so far"); throw new Error("no such order")', blockName: 'Load orders' },
      'return 3',
    ])
    const run = await runToEnd(service.manager, workflow.id)
    expect(run).toMatchObject({
      status: 'Error',
      isExpiredByTime: false,
      lastExecutedBlockId: workflow.blocks[1],
      lastExecutedBlockTitle: 'Load orders',
    })
    expect(run.errorMessage).toMatch(/Load orders.*no such order/)
    const failed = await blockResult(service.manager, workflow, 2)
    expect(failed.body).toMatchObject({ success: false, result: 'no such order' })
    expect((await service.manager.get(blockPath('GetBlockUserLog', workflow, 2))).body.result).toEqual(['so far'])
    expect((await blockResult(service.manager, workflow, 3)).status).toBe(404)
    const shown = (await service.manager.get(`/api/Workflow/${workflow.id}`)).body
    expect(shown).toMatchObject({ lastRunNumber: 1, lastRunStatus: 'Error', dateLastRunUTC: null })
  })

  it('fails a block whose result is too large or no JSON, with a sentence', async () => {
    for (const [script, words] of [
      ['return "x".repeat(6 * 1024 * 1024)', /larger/],
      ['return () => 1', /not JSON/],
      ['const a = {}; a.a = a; return a', /not JSON/],
      ['await new Promise(() => {})', /promise/],
    ] as const) {
      const workflow = await deployWorkflow(service.manager, [script])
      const run = await runToEnd(service.manager, workflow.id)
      expect(run.status, script).toBe('Error')
      expect((await blockResult(service.manager, workflow, 1)).body).toMatchObject({
        success: false,
        result: expect.stringMatching(words),
      })
    }
  })

  it('ends a run that takes too long, also in a busy loop, and says so', async () => {
    const workflow = await deployWorkflow(service.manager, ['return 1', { script: 'for (;;);', blockName: 'Spin' }], {
      timeoutSeconds: 3,
    })
    const run = await runToEnd(service.manager, workflow.id)
    expect(run).toMatchObject({ status: 'Error', isExpiredByTime: true, lastExecutedBlockTitle: 'Spin' })
    expect(run.errorMessage).toMatch(/Spin/)
  })

  it('does not count pauses as run time', async () => {
    const { id } = await deployWorkflow(service.manager, ['await sleep(3500); return 1'], { timeoutSeconds: 3 })
    const run = await runToEnd(service.manager, id)
    expect(run).toMatchObject({ status: 'Ready', isExpiredByTime: false })
    expect(run.pauseInMilliSec).toBeGreaterThanOrEqual(3400)
    expect(run.durationInMilliSec).toBeGreaterThanOrEqual(run.pauseInMilliSec)
  })

  it('tries a block again, a little later each time, that asks for it with a RetryError', async () => {
    const workflow = await deployWorkflow(service.manager, [
      'const tries = (myVault.get("tries") ?? 0) + 1; myVault.set("tries", tries); console.log("try", tries); if (tries < 3) throw Object.assign(new Error("busy"), { name: "RetryError" }); return tries',
    ])
    const run = await runToEnd(service.manager, workflow.id)
    expect(run).toMatchObject({ status: 'Ready' })
    expect(run.pauseInMilliSec).toBeGreaterThanOrEqual(3000)
    expect((await blockResult(service.manager, workflow, 1)).body.result).toBe(3)
    const log = await service.manager.get(blockPath('GetBlockUserLog', workflow, 1))
    expect(log.body.result).toEqual(['try 1', 'try 2', 'try 3'])
  })

  it('gives all tries of a block one time limit', async () => {
    const workflow = await deployWorkflow(
      service.manager,
      [
        'const tries = (myVault.get("tries") ?? 0) + 1; myVault.set("tries", tries); const end = Date.now() + 1200; while (Date.now() < end); if (tries < 3) throw Object.assign(new Error("busy"), { name: "RetryError" }); return tries',
      ],
      { timeoutSeconds: 2 },
    )
    expect(await runToEnd(service.manager, workflow.id)).toMatchObject({ status: 'Error', isExpiredByTime: true })
    expect((await service.manager.get(`/api/MyVaultGet/${workflow.id}/tries`)).body).toBeLessThan(3)
  })

  it('shows a run as Processing while it works', async () => {
    const { id } = await deployWorkflow(service.manager, ['while (!myVault.contains("go")) await sleep(50); return 1'])
    const number = await startRun(service.manager, id)
    const shown = await eventually(async () => {
      const run = await findRun(service.manager, id, number)
      return run.status === 'Processing' && run
    })
    expect(shown).toMatchObject({ endDateTimeUTC: null, errorMessage: null })
    await service.manager.post(`/api/MyVaultSet/${id}/go`, { jsonData: true })
    await endOf(service.manager, id, number)
  })
})
