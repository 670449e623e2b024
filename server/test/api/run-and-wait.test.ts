// Input and result of a run, and RunAndWait.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Client } from '../harness/client.ts'
import { eventually } from '../harness/eventually.ts'
import { replayToEnd } from '../harness/replays.ts'
import { startService, type TestService } from '../harness/service.ts'
import {
  blockResult,
  createWorkflow,
  deployWorkflow,
  endOf,
  findRun,
  runToEnd,
  startRun,
} from '../harness/workflows.ts'

let service: TestService
let client: Client
beforeAll(async () => {
  service = await startService()
  client = service.manager
})
afterAll(() => service[Symbol.asyncDispose]())

const untilLet = 'while (!myVault.contains("go")) await sleep(20);'
const wait = (id: string, body: object = {}) => client.post(`/api/RunAndWait/${id}`, body)

describe('input', () => {
  it('is seen as run.input, null without one, and kept by a retry', async () => {
    const script = 'if (!myVault.contains("fixed")) throw new Error("broken"); return run.input'
    const workflow = await deployWorkflow(client, [script])
    const input = { orders: [1007, 'å'], nested: { none: null } }
    const failed = await runToEnd(client, workflow.id, { input })
    expect(failed.status).toBe('Error')
    await client.post(`/api/MyVaultSet/${workflow.id}/fixed`, { jsonData: 1 })
    const retried = await client.get(`/api/RetryRun/${workflow.id}?runNumber=1`)
    await endOf(client, workflow.id, Number(retried.headers.get('x-run-number')))
    expect((await blockResult(client, workflow, 1, 2)).body.result).toEqual(input)
    expect((await runToEnd(client, workflow.id)).status).toBe('Ready')
    expect((await blockResult(client, workflow, 1, 3)).body.result).toBeNull()
  })

  it('takes exactly 1 MiB of JSON, and a byte more is 400', async () => {
    const workflow = await deployWorkflow(client, ['return run.input.length'])
    const most = 'x'.repeat(1_048_576 - 2)
    expect((await wait(workflow.id, { input: most })).body).toMatchObject({ status: 'Ready', result: most.length })
    for (const [path, body] of [
      ['/api/RunWorkflow', { workflowId: workflow.id, input: `${most}x` }],
      [`/api/RunAndWait/${workflow.id}`, { input: `${most}x` }],
    ] as const) {
      const refused = await client.post(path, body)
      expect(refused.status).toBe(400)
      expect(refused.body.errorMessage).toBe('The field input must be at most 1 MiB of JSON.')
    }
  })

  it('is what a replay sees, too', async () => {
    const workflow = await deployWorkflow(client, ['return run.input'])
    await runToEnd(client, workflow.id, { input: { n: 1 } })
    const replay = await replayToEnd(client, workflow.id, { runNumbers: [1] })
    expect(JSON.stringify(replay)).toContain('"same":1')
  })
})

describe('outputBlock', () => {
  it('names the block whose result is that of the run; else it is the last', async () => {
    const workflow = await deployWorkflow(client, ['return "first"', 'return "last"'])
    expect((await wait(workflow.id)).body.result).toBe('last')
    const saved = await client.post(`/api/Workflow/${workflow.id}`, { outputBlock: workflow.blocks[0]?.toUpperCase() })
    expect(saved.status, saved.text).toBe(200)
    expect((await client.get(`/api/Workflow/${workflow.id}`)).body.outputBlock).toBe(workflow.blocks[0])
    expect((await wait(workflow.id)).body.result).toBe('first')
    const { body } = await client.get(`/api/WorkflowDifference/${workflow.id}?from=1&to=2`)
    expect(JSON.stringify(body)).toContain('outputBlock')
    await client.post(`/api/Workflow/${workflow.id}`, { outputBlock: null })
    expect((await wait(workflow.id)).body.result).toBe('last')
  })

  it('of a block that is not there is 400', async () => {
    const workflow = await createWorkflow(client, ['return 1', 'return 2'])
    const nothing = '00000000-0000-4000-8000-00000000dead'
    const refused = await client.post(`/api/Workflow/${workflow.id}`, { outputBlock: nothing })
    expect(refused.status).toBe(400)
    expect(refused.body.errorMessage).toBe(`The field outputBlock is ${nothing}, but the workflow has no such block.`)
    // Nor may the block be removed while it is named.
    await client.post(`/api/Workflow/${workflow.id}`, { outputBlock: workflow.blocks[1] })
    const removed = await client.post(`/api/Workflow/${workflow.id}`, {
      chain: [{ uniqueBlockId: workflow.blocks[1], isDeleted: true }],
    })
    expect(removed.status).toBe(400)
  })

  it('without a result, because the run ended before it, is null', async () => {
    const workflow = await deployWorkflow(client, ['fx.stopAfterThisBlock(true); return 1', 'return 2'])
    expect((await wait(workflow.id)).body).toEqual({ runNumber: 1, status: 'Ready', result: null, errorMessage: null })
  })
})

describe('RunAndWait', () => {
  it('answers 200 with the result and the number when the run has ended, also in Error', async () => {
    const workflow = await deployWorkflow(client, ['if (run.input) throw new Error(run.input); return { ok: 1 }'])
    const good = await wait(workflow.id)
    expect(good.status).toBe(200)
    expect(good.headers.get('x-run-number')).toBe('1')
    expect(good.body).toEqual({ runNumber: 1, status: 'Ready', result: { ok: 1 }, errorMessage: null })
    const bad = await wait(workflow.id, { input: 'No stock' })
    expect(bad.status).toBe(200)
    expect(bad.body).toMatchObject({ runNumber: 2, status: 'Error', result: null })
    expect(bad.body.errorMessage).toContain('No stock')
  })

  it('answers 202 with nulls when the run takes longer, and the run goes on', async () => {
    const workflow = await deployWorkflow(client, [`${untilLet} return "late"`])
    const answer = await wait(workflow.id, { waitSeconds: 1 })
    expect(answer.status).toBe(202)
    expect(answer.headers.get('x-run-number')).toBe('1')
    expect(answer.body).toEqual({ runNumber: 1, status: 'Processing', result: null, errorMessage: null })
    await client.post(`/api/MyVaultSet/${workflow.id}/go`, { jsonData: 1 })
    expect((await endOf(client, workflow.id, 1)).status).toBe('Ready')
  })

  it('tells of a run that was stopped', async () => {
    const workflow = await deployWorkflow(client, [untilLet])
    const answer = wait(workflow.id, { waitSeconds: 60 })
    await eventually(async () => (await client.get(`/api/StopWorkflowRun/${workflow.id}?runNumber=1`)).body === true)
    expect(await answer).toMatchObject({ status: 200, body: { status: 'Stopped', result: null, errorMessage: null } })
  })

  it('hears of the end of its run without looking for it', async () => {
    const workflow = await deployWorkflow(client, ['return run.runNumber'])
    const startedAt = performance.now()
    await wait(workflow.id, { waitSeconds: 60 })
    // A look by itself comes after five seconds.
    expect(performance.now() - startedAt).toBeLessThan(4500)
  })

  it('stops nothing when the caller goes away', async () => {
    const workflow = await deployWorkflow(client, [`${untilLet} return "done"`])
    const leaving = new AbortController()
    const left = fetch(`${service.baseUrl}/api/RunAndWait/${workflow.id}`, {
      method: 'POST',
      headers: {
        Consumer: client.keys?.consumer ?? '',
        SecretKey: client.keys?.secretKey ?? '',
        'Content-Type': 'application/json',
      },
      body: '{"waitSeconds":60}',
      signal: leaving.signal,
    }).catch(() => 'left')
    await eventually(() => findRun(client, workflow.id, 1))
    leaving.abort()
    expect(await left).toBe('left')
    await client.post(`/api/MyVaultSet/${workflow.id}/go`, { jsonData: 1 })
    expect((await endOf(client, workflow.id, 1)).status).toBe('Ready')
  })

  it('is 400 for a workflow that is not deployed, 404 for an unknown one', async () => {
    const workflow = await createWorkflow(client, ['return 1'])
    expect((await wait(workflow.id)).status).toBe(400)
    expect((await wait('00000000-0000-4000-8000-00000000dead')).status).toBe(404)
    for (const waitSeconds of [0, 61, 1.5, '5']) expect((await wait(workflow.id, { waitSeconds })).status).toBe(400)
  })

  it('answers those who wait when the service stops', async () => {
    // Nobody here runs anything, so the run does not end.
    const another = await startService({ role: 'api' })
    const workflow = await deployWorkflow(another.manager, [untilLet])
    const answer = another.manager.post(`/api/RunAndWait/${workflow.id}`, { waitSeconds: 60 })
    await eventually(() => findRun(another.manager, workflow.id, 1))
    await another[Symbol.asyncDispose]()
    expect((await answer).status).toBe(202)
  })
})

it('a run without input has started as before', async () => {
  const workflow = await deployWorkflow(client, ['return run'])
  const number = await startRun(client, workflow.id)
  await endOf(client, workflow.id, number)
  expect((await blockResult(client, workflow, 1)).body.result.input).toBeNull()
})
