// Partial runs of workflows with items, waits and skipped blocks.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventually } from '../harness/eventually.ts'
import { joinService } from '../harness/joined-service.ts'
import type { TestService } from '../harness/service.ts'
import { blockResult, deployWorkflow, endOf, findRun, runToEnd, type SampleWorkflow } from '../harness/workflows.ts'

let service: TestService
beforeAll(async () => {
  service = await joinService()
})
afterAll(() => service[Symbol.asyncDispose]())

const start = (workflow: SampleWorkflow, body: object) =>
  service.manager.post('/api/RunWorkflow', { workflowId: workflow.id, ...body })

async function run(workflow: SampleWorkflow, body: object) {
  const answer = await start(workflow, body)
  expect(answer.status, answer.text).toBe(200)
  return endOf(service.manager, workflow.id, Number(answer.headers.get('x-run-number')))
}

const resultOf = async (workflow: SampleWorkflow, no: number) =>
  (await blockResult(service.manager, workflow, no)).body.result

const orders = 'return [7, 8, 9].map((id) => ({ id }))'

describe('a partial run of a block with items', () => {
  it('runs all of them, or those that are named', async () => {
    const forEach = { key: 'item.id', concurrency: 2 }
    const workflow = await deployWorkflow(service.manager, [orders, { script: 'return item.id', flow: { forEach } }])
    expect(await run(workflow, { runTillBlock: 2 })).toMatchObject({ processorType: 'Debug', itemsTotal: 3 })
    expect(await resultOf(workflow, 2)).toEqual([7, 8, 9])
    expect(await run(workflow, { runFromBlock: 2, items: ['9', '7'] })).toMatchObject({
      status: 'Ready',
      itemsTotal: 2,
    })
    expect(await resultOf(workflow, 2)).toEqual([7, 9])
  })

  it('keeps its choice when it is retried', async () => {
    const script = 'if (!myVault.containsGlobal("mend")) throw new Error("no"); return item.id'
    const forEach = { key: 'item.id' }
    const workflow = await deployWorkflow(service.manager, [orders, { script, flow: { forEach } }])
    expect(await run(workflow, { runTillBlock: 2, items: ['8'] })).toMatchObject({ status: 'Error', itemsTotal: 1 })
    const retried = await service.manager.get(`/api/RetryRun/${workflow.id}?runNumber=1`)
    expect(retried.status, retried.text).toBe(200)
    expect(await endOf(service.manager, workflow.id, 2)).toMatchObject({ status: 'Error', itemsTotal: 1 })
  })

  it('fails the block when none of the named items is there', async () => {
    const workflow = await deployWorkflow(service.manager, [
      orders,
      { blockName: 'Ship', script: 'return 1', flow: { forEach: {} } },
    ])
    const ended = await run(workflow, { runTillBlock: 2, items: ['77'] })
    expect(ended.status).toBe('Error')
    expect(ended.errorMessage).toContain(
      'The items of block "Ship" failed: it has none of the items that the run was asked for.',
    )
  })

  it.each([
    [{ items: ['1'] }, 'items and waitForReal are for partial runs. Give runFromBlock or runTillBlock.'],
    [{ waitForReal: true }, 'items and waitForReal are for partial runs. Give runFromBlock or runTillBlock.'],
    [{ runTillBlock: 1, items: ['1'] }, 'None of the blocks to run has items, so the field items cannot be used.'],
  ])('refuses %j', async (body, sentence) => {
    const workflow = await deployWorkflow(service.manager, [
      'return [1]',
      { script: 'return 1', flow: { forEach: {} } },
    ])
    const answer = await start(workflow, body)
    expect([answer.status, answer.body.errorMessage]).toEqual([400, sentence])
  })
})

describe('a partial run of a block that waits', () => {
  it.each([
    ['a time', { seconds: 3600 }, 'time'],
    ['an event', { events: ['paid'], onTimeout: 'fail' }, 'timedOut'],
  ])('passes a wait for %s at once', async (_, wait, outcome) => {
    const workflow = await deployWorkflow(service.manager, [{ script: 'return 5', flow: { wait } }])
    expect((await run(workflow, { runTillBlock: 1 })).status).toBe('Ready')
    expect(await resultOf(workflow, 1)).toMatchObject({ outcome, prepared: 5 })
  })

  it('waits for real when it is asked to', async () => {
    const workflow = await deployWorkflow(service.manager, [
      { script: 'return 5', flow: { wait: { events: ['paid'] } } },
    ])
    expect((await start(workflow, { runTillBlock: 1, waitForReal: true })).status).toBe(200)
    await eventually(async () => (await findRun(service.manager, workflow.id, 1))?.status === 'Waiting')
    await service.manager.post('/api/SendEvent', { name: 'paid', data: 3 })
    expect((await endOf(service.manager, workflow.id, 1)).status).toBe('Ready')
    expect(await resultOf(workflow, 1)).toMatchObject({ outcome: 'event', data: 3 })
  })
})

describe('a partial run after a skipped block', () => {
  it('takes it as recorded', async () => {
    const workflow = await deployWorkflow(service.manager, [
      'return 1',
      { script: 'return 2', flow: { runWhen: 'false' }, after: [1] },
      { script: 'return Datasource', flow: { needs: 'any' }, after: [1, 2] },
    ])
    expect((await runToEnd(service.manager, workflow.id)).status).toBe('Ready')
    expect((await run(workflow, { runFromBlock: 3 })).status).toBe('Ready')
    expect(await resultOf(workflow, 3)).toEqual([1, null])
  })
})
