// Blocks that are a run of another workflow.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newId } from '../../src/lib/id.ts'
import { createAccount } from '../harness/accounts.ts'
import type { Client } from '../harness/client.ts'
import { eventually } from '../harness/eventually.ts'
import { joinService } from '../harness/joined-service.ts'
import type { TestService } from '../harness/service.ts'
import {
  blockResult,
  createWorkflow,
  deployWorkflow,
  endOf,
  findRun,
  runToEnd,
  type SampleWorkflow,
  startRun,
} from '../harness/workflows.ts'

let service: TestService
let client: Client
beforeAll(async () => {
  service = await joinService()
  client = (await createAccount(service, service.manager, 'DevPartner')).client
})
afterAll(() => service[Symbol.asyncDispose]())

const calling = (workflowId: string, more: object = {}) => ({ flow: { subWorkflow: { workflowId, ...more } } })
const waiting = (id: string, number = 1) =>
  eventually(async () => {
    const run = await findRun(client, id, number)
    return run?.status === 'Waiting' ? run : undefined
  })
const chainOf = async ({ id }: SampleWorkflow, number: number) =>
  (await client.get(`/api/Workflow/${id}?runNumber=${number}`)).body.chain
const countRuns = async (id: string) => (await client.post(`/api/GetRunHistory/${id}`, { page: 0, size: 1 })).body.total
const untilEvent = (name: string) => ({ script: 'return 1', flow: { wait: { events: [name] } } })
const release = (name: string) => client.post('/api/SendEvent', { name })

describe('a run of another workflow', () => {
  it('gives its result to the block; child and parent name each other', async () => {
    const child = await deployWorkflow(client, ['return { seen: run.input }'])
    const parent = await deployWorkflow(client, [
      { script: 'return { order: 7 }', ...calling(child.id) },
      'return Datasource[0]',
    ])
    expect((await runToEnd(client, parent.id)).status).toBe('Ready')
    expect((await blockResult(client, parent, 2)).body.result).toEqual({ seen: { order: 7 } })
    const parentRun = { workflowId: parent.id, runNumber: 1, uniqueBlockId: parent.blocks[0], itemKey: null }
    expect(await findRun(client, child.id, 1)).toMatchObject({ runBy: 'Workflow', parentRun, status: 'Ready' })
    expect((await chainOf(parent, 1))[0].childRun).toEqual({ workflowId: child.id, runNumber: 1 })
    expect(await findRun(client, parent.id, 1)).toMatchObject({ parentRun: null })
    expect(await countRuns(child.id)).toBe(1)
  })

  it.each([
    ['its data source without a script', {}, { n: 1 }],
    ['what an expression gives', { input: '({ twice: Datasource[0].n * 2 })' }, { twice: 2 }],
    ['null when the expression gives nothing', { input: 'undefined' }, null],
  ])('is given %s', async (_, more, expected) => {
    const child = await deployWorkflow(client, ['return { seen: run.input }'])
    const parent = await deployWorkflow(client, ['return { n: 1 }', calling(child.id, more)])
    expect((await runToEnd(client, parent.id)).status).toBe('Ready')
    expect((await blockResult(client, parent, 2)).body.result).toEqual({ seen: expected })
  })

  it('is waited for without holding anything', async () => {
    const child = await deployWorkflow(client, [untilEvent('go')])
    const parent = await deployWorkflow(client, [calling(child.id)])
    await startRun(client, parent.id)
    expect((await waiting(parent.id)).waitingFor).toEqual({
      ...{ kind: 'subWorkflow', uniqueBlockId: parent.blocks[0], itemKey: null, untilDateTimeUTC: null },
    })
    await waiting(child.id)
    expect((await chainOf(parent, 1))[0]).toMatchObject({ status: 'Pending', childRun: { runNumber: 1 } })
    await release('go')
    expect((await endOf(client, parent.id, 1)).status).toBe('Ready')
  })

  it('fails the block with its message', async () => {
    const child = await deployWorkflow(client, ['throw new Error("No stock")'])
    const parent = await deployWorkflow(client, [{ blockName: 'Ship', ...calling(child.id) }])
    const run = await runToEnd(client, parent.id)
    expect(run).toMatchObject({ status: 'Error' })
    expect(run.errorMessage).toContain('Block 1 "Ship" failed: Block 1 "Block 1" failed at line 1: No stock')
    expect((await chainOf(parent, 1))[0]).toMatchObject({ status: 'Error', childRun: { runNumber: 1 } })
  })

  it('fails the block when it was stopped', async () => {
    const child = await deployWorkflow(client, [untilEvent('never')])
    const parent = await deployWorkflow(client, [calling(child.id)])
    await startRun(client, parent.id)
    await waiting(child.id)
    await client.get(`/api/StopWorkflowRun/${child.id}?runNumber=1`)
    expect((await endOf(client, parent.id, 1)).errorMessage).toContain('Run 1 of the sub-workflow was stopped.')
  })

  it('fails the block when its workflow is not deployed', async () => {
    const child = await createWorkflow(client, ['return 1'])
    const parent = await deployWorkflow(client, [calling(child.id)])
    expect((await runToEnd(client, parent.id)).errorMessage).toContain(`The workflow ${child.id} is not deployed`)
    expect(await countRuns(child.id)).toBe(0)
  })

  it.each([
    ['throws', 'nothing.there', 'The input of block "Call" failed: ReferenceError: nothing is not defined'],
    ['is too large', '"x".repeat(1048576)', 'The input of the sub-workflow is larger than 1 MiB.'],
  ])('is not started when its input %s', async (_, input, message) => {
    const child = await deployWorkflow(client, ['return 1'])
    const parent = await deployWorkflow(client, [{ blockName: 'Call', ...calling(child.id, { input }) }])
    expect((await runToEnd(client, parent.id)).errorMessage).toContain(message)
    expect(await countRuns(child.id)).toBe(0)
  })

  it('may start another up to the fifth level', async () => {
    let below = await deployWorkflow(client, ['return "deep"'])
    for (let level = 5; level > 1; level--) below = await deployWorkflow(client, [calling(below.id)])
    expect((await runToEnd(client, below.id)).status).toBe('Ready')
    expect((await blockResult(client, below, 1)).body.result).toBe('deep')
    const sixth = await deployWorkflow(client, [calling(below.id)])
    expect((await runToEnd(client, sixth.id)).errorMessage).toContain('runs are at most 5 levels deep')
  })
})

describe('saving', () => {
  const save = (subWorkflow: object) =>
    client.post('/api/Workflow', { name: 'Caller', chain: [{ blockName: 'Call', subWorkflow }] })

  it('refuses an unknown and a foreign workflow in the same sentence', async () => {
    const foreign = await createWorkflow(service.manager, ['return 1'])
    for (const workflowId of [newId(), foreign.id]) {
      const { status, body } = await save({ workflowId })
      expect(status).toBe(400)
      expect(body.errorMessage).toMatch(/^The subWorkflow of block "Call" \(.*\) names /)
      expect(body.errorMessage).toContain(` names ${workflowId}, but the account has no such workflow.`)
    }
  })

  it.each([[{}], [{ input: '1' }]])('refuses %j, which names no workflow', async (subWorkflow) => {
    expect((await save(subWorkflow)).body.errorMessage).toContain('needs either workflowId or')
  })

  it('refuses a template, which only a template can name', async () => {
    expect((await save({ workflowTemplateId: newId() })).status).toBe(400)
  })

  it('refuses the change of a workflow to an unknown one', async () => {
    const workflow = await createWorkflow(client, ['return 1'])
    const chain = [{ uniqueBlockId: workflow.blocks[0], subWorkflow: { workflowId: newId() } }]
    expect((await client.post(`/api/Workflow/${workflow.id}`, { chain })).status).toBe(400)
  })
})

describe('a circle', () => {
  const call = (from: SampleWorkflow, workflowId: string) =>
    client.post(`/api/Workflow/${from.id}`, {
      chain: [{ uniqueBlockId: from.blocks[0], subWorkflow: { workflowId } }],
    })

  it('may be saved while nothing is deployed, and is 400 at deploy', async () => {
    const one = await createWorkflow(client, ['return 1'], { name: 'One' })
    const two = await createWorkflow(client, [calling(one.id)], { name: 'Two' })
    expect((await call(one, two.id)).status).toBe(200)
    const refused = await client.get(`/api/DeployWorkflow/${one.id}`)
    expect(refused).toMatchObject({ status: 400 })
    expect(refused.body.errorMessage).toContain('would run itself as a sub-workflow: "One" → "Two" → "One".')
    expect((await call(two, two.id)).status).toBe(200)
    expect((await client.get(`/api/DeployWorkflow/${two.id}`)).status).toBe(400)
  })

  it('is 400 when a deployed workflow is changed', async () => {
    const one = await deployWorkflow(client, ['return 1'])
    const two = await deployWorkflow(client, [calling(one.id)])
    expect((await call(one, two.id)).body.errorMessage).toContain('would run itself')
    expect((await runToEnd(client, two.id)).status).toBe('Ready')
  })

  it('made by two changes at the same moment is refused to one of them', async () => {
    const one = await deployWorkflow(client, ['return 1'])
    const two = await deployWorkflow(client, ['return 1'])
    const answers = await Promise.all([call(one, two.id), call(two, one.id)])
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 400])
  })
})

describe('a workflow that others run', () => {
  it('is neither archived nor deleted, and both say who uses it', async () => {
    const child = await deployWorkflow(client, ['return 1'])
    const parent = await createWorkflow(client, [calling(child.id)])
    const errorMessage = `Other workflows run it as a sub-workflow: ${parent.id}.`
    for (const verb of ['ArchiveWorkflow', 'DeleteWorkflow'])
      expect(await client.get(`/api/${verb}/${child.id}`)).toMatchObject({ status: 400, body: { errorMessage } })
    await client.get(`/api/ArchiveWorkflow/${parent.id}`)
    expect((await client.get(`/api/ArchiveWorkflow/${child.id}`)).body).toBe(true)
    expect((await client.get(`/api/DeleteWorkflow/${child.id}`)).body).toBe(true)
  })
})

describe('stopping and deleting', () => {
  const stop = (id: string, number = 1) => client.get(`/api/StopWorkflowRun/${id}?runNumber=${number}`)

  it('a parent stops its child and what that has started', async () => {
    const grandchild = await deployWorkflow(client, [untilEvent('never')])
    const child = await deployWorkflow(client, [calling(grandchild.id)])
    const parent = await deployWorkflow(client, [calling(child.id)])
    await startRun(client, parent.id)
    for (const { id } of [grandchild, child, parent]) await waiting(id)
    expect((await stop(parent.id)).body).toBe(true)
    for (const { id } of [parent, child, grandchild]) expect((await findRun(client, id, 1)).status).toBe('Stopped')
    expect(
      await service.asOwner('select from run_waits w join runs r on r.id = w.run_id where r.workflow_id = $1', [
        child.id,
      ]),
    ).toEqual([])
  })

  it('a parent stops a child that is running', async () => {
    const child = await deployWorkflow(client, ['await sleep(600000); return 1'])
    const parent = await deployWorkflow(client, [calling(child.id)])
    await startRun(client, parent.id)
    await waiting(parent.id)
    await eventually(async () => ((await findRun(client, child.id, 1))?.status === 'Processing' ? true : undefined))
    await stop(parent.id)
    expect((await findRun(client, parent.id, 1)).status).toBe('Stopped')
    expect((await endOf(client, child.id, 1)).status).toBe('Stopped')
  })

  it('a parent that fails elsewhere stops the child it still waits for', async () => {
    const child = await deployWorkflow(client, [untilEvent('never')])
    const parent = await deployWorkflow(
      client,
      [calling(child.id), untilEvent('fail now'), { after: [2], script: 'throw new Error("No")' }].map(
        (block, index) => (index === 1 ? { ...block, after: [] } : block),
      ),
    )
    await startRun(client, parent.id)
    await waiting(parent.id)
    await waiting(child.id)
    await release('fail now')
    expect((await endOf(client, parent.id, 1)).status).toBe('Error')
    expect((await endOf(client, child.id, 1)).status).toBe('Stopped')
  })

  it('the workflow of a waiting parent deletes it at once and stops its child', async () => {
    const child = await deployWorkflow(client, [untilEvent('never')])
    const parent = await deployWorkflow(client, [calling(child.id)])
    await startRun(client, parent.id)
    await waiting(child.id)
    await waiting(parent.id)
    expect((await client.get(`/api/DeleteWorkflow/${parent.id}`)).body).toBe(true)
    expect((await findRun(client, child.id, 1)).status).toBe('Stopped')
  })

  it('the workflow of a child fails a parent that an archived workflow still runs', async () => {
    const child = await deployWorkflow(client, [untilEvent('never')])
    const parent = await deployWorkflow(client, [calling(child.id)])
    await startRun(client, parent.id)
    await waiting(child.id)
    await waiting(parent.id)
    await client.get(`/api/ArchiveWorkflow/${parent.id}`)
    expect((await client.get(`/api/DeleteWorkflow/${child.id}`)).body).toBe(true)
    expect((await endOf(client, parent.id, 1)).errorMessage).toContain('Run 1 of the sub-workflow was deleted.')
  })
})

describe('RetryRun of a parent', () => {
  const retry = (id: string, number = 1) => client.get(`/api/RetryRun/${id}?runNumber=${number}`)
  const failingOnce = async () => {
    const child = await deployWorkflow(client, [
      'return run.runNumber',
      'if (run.runNumber === 1) throw new Error("Not yet"); return [Datasource[0], run.input]',
    ])
    const parent = await deployWorkflow(client, [
      'return { order: run.runNumber }',
      calling(child.id),
      'return Datasource[0]',
    ])
    expect((await runToEnd(client, parent.id)).status).toBe('Error')
    return { child, parent }
  }

  it('retries a failed child from its failed block', async () => {
    const { child, parent } = await failingOnce()
    expect((await retry(parent.id)).status).toBe(200)
    expect((await endOf(client, parent.id, 2)).status).toBe('Ready')
    expect((await blockResult(client, parent, 3, 2)).body.result).toEqual([1, { order: 1 }])
    expect(await findRun(client, child.id, 2)).toMatchObject({
      ...{ runBy: 'Retry', parentRun: { workflowId: parent.id, runNumber: 2, uniqueBlockId: parent.blocks[1] } },
    })
    expect((await chainOf(parent, 2))[1].childRun).toEqual({ workflowId: child.id, runNumber: 2 })
    expect(await countRuns(child.id)).toBe(2)
  })

  it('takes the result of a child that was retried with success meanwhile', async () => {
    const { child, parent } = await failingOnce()
    await retry(child.id)
    expect((await endOf(client, child.id, 2)).status).toBe('Ready')
    await retry(parent.id)
    expect((await endOf(client, parent.id, 2)).status).toBe('Ready')
    expect((await blockResult(client, parent, 3, 2)).body.result).toEqual([1, { order: 1 }])
    expect(await countRuns(child.id)).toBe(2)
  })

  it('waits for a retry of the child that is under way', async () => {
    const child = await deployWorkflow(client, [
      'if (run.runNumber === 1) throw new Error("Not yet"); return 1',
      { ...untilEvent('second'), script: 'return run.runNumber' },
    ])
    const parent = await deployWorkflow(client, [calling(child.id)])
    expect((await runToEnd(client, parent.id)).status).toBe('Error')
    await retry(child.id)
    await waiting(child.id, 2)
    await retry(parent.id)
    await waiting(parent.id, 2)
    await release('second')
    expect((await endOf(client, parent.id, 2)).status).toBe('Ready')
    expect((await blockResult(client, parent, 1, 2)).body.result.prepared).toBe(2)
  })

  it('starts a new child where a block before it ran anew', async () => {
    const child = await deployWorkflow(client, ['if (run.input === 1) throw new Error("No"); return run.input'])
    const parent = await deployWorkflow(client, [
      { script: 'return run.runNumber', flow: { onError: 'continue' } },
      calling(child.id),
    ])
    expect((await runToEnd(client, parent.id)).status).toBe('Error')
    const first = { uniqueBlockId: newId(), blockName: 'First', script: 'return run.runNumber', dataSources: [] }
    const chain = [first, { uniqueBlockId: parent.blocks[1], dataSources: [first.uniqueBlockId] }]
    expect((await client.post(`/api/Workflow/${parent.id}`, { chain })).status).toBe(200)
    await retry(parent.id)
    expect((await endOf(client, parent.id, 2)).status).toBe('Ready')
    expect(await findRun(client, child.id, 2)).toMatchObject({ runBy: 'Workflow', status: 'Ready' })
  })
})
