// Blocks that run once for each item, on the running service.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventually } from '../harness/eventually.ts'
import { startService, type TestService } from '../harness/service.ts'
import {
  blockResult,
  deployWorkflow,
  endOf,
  findRun,
  runToEnd,
  type SampleWorkflow,
  startRun,
} from '../harness/workflows.ts'

let service: TestService
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service[Symbol.asyncDispose]())

const numbers = (count: number) => `return Array.from({ length: ${count} }, (_, n) => ({ id: 1000 + n }))`
const deploy = (list: string, script: string, forEach: object, flow: object = {}) =>
  deployWorkflow(service.manager, [
    { script: list },
    { blockName: 'Ship', script, flow: { forEach, ...flow } },
    { script: 'return Datasource[0]' },
  ])
const resultOf = async (workflow: SampleWorkflow, no: number, runNumber?: number) =>
  (await blockResult(service.manager, workflow, no, runNumber)).body
const itemsOf = async (workflow: SampleWorkflow, more: object = {}) =>
  (
    await service.manager.post(`/api/GetBlockItems/${workflow.id}`, {
      uniqueBlockId: workflow.blocks[1],
      page: 0,
      size: 100,
      ...more,
    })
  ).body
const itemOf = (workflow: SampleWorkflow, key: string) =>
  service.manager.get(`/api/GetBlockItem/${workflow.id}?uniqueBlockId=${workflow.blocks[1]}&itemKey=${key}`)

describe('items', () => {
  it('run once each, in order, and their results are collected', async () => {
    const script = 'session.vars.last = index; return [item.id, index, itemKey, run.idempotencyKey]'
    const workflow = await deploy(numbers(3), script, { key: 'item.id' })
    expect(await runToEnd(service.manager, workflow.id)).toMatchObject({
      status: 'Ready',
      itemsTotal: 3,
      itemsFailed: 0,
    })
    const { result } = await resultOf(workflow, 3)
    expect(result.map((one: unknown[]) => one.slice(0, 3))).toEqual([
      [1000, 0, '1000'],
      [1001, 1, '1001'],
      [1002, 2, '1002'],
    ])
    expect(new Set(result.map((one: string[]) => one[3])).size).toBe(3)
    const counts = { pending: 0, processing: 0, waiting: 0, succeeded: 3, failed: 0, skipped: 0 }
    expect(await itemsOf(workflow)).toMatchObject({ total: 3, counts })
    expect(await itemsOf(workflow, { searchTerm: '1001' })).toMatchObject({
      total: 1,
      items: [{ index: 1, key: '1001', status: 'succeeded', tries: 1, errorMessage: null }],
      counts,
    })
    expect((await itemOf(workflow, '1002')).body).toMatchObject({ item: { id: 1002 }, index: 2 })
    expect((await itemOf(workflow, 'nobody')).status).toBe(404)
    const block = `/api/GetBlockItem/${workflow.id}?uniqueBlockId=`
    const refusals = [`${block}${workflow.blocks[1]}`, `${block}${workflow.blocks[0]}&itemKey=1`]
    const [without, plain] = await Promise.all(refusals.map((path) => service.manager.get(path)))
    expect(without).toMatchObject({
      status: 400,
      body: { errorMessage: 'The query parameter itemKey is required.' },
    })
    expect(plain).toMatchObject({ status: 400, body: { errorMessage: 'The block has no items in this run.' } })
  })

  it('in lanes, with counts instead of results, and an empty or missing list', async () => {
    const workflow = await deploy(numbers(60), 'return 1', { concurrency: 7, collect: 'counts' })
    await runToEnd(service.manager, workflow.id)
    expect((await resultOf(workflow, 2)).result).toEqual({ total: 60, succeeded: 60, failed: 0, skipped: 0 })
    const empty = await deploy('return null', 'return 1', {})
    expect(await runToEnd(service.manager, empty.id)).toMatchObject({ status: 'Ready', itemsTotal: 0 })
    expect((await resultOf(empty, 2)).result).toEqual([])
  })

  it('that fail beyond the threshold fail the block after all were tried, naming them', async () => {
    const script = 'if (index % 10 === 3) throw new Error("bad " + itemKey); return itemKey'
    const workflow = await deploy(numbers(30), script, { key: 'item.id', concurrency: 3 })
    const run = await runToEnd(service.manager, workflow.id)
    expect(run).toMatchObject({ status: 'Error', itemsTotal: 30, itemsFailed: 3 })
    expect(run.errorMessage).toContain('3 of 30 items failed: 1003, 1013, 1023. First: bad 1003')
    expect((await itemsOf(workflow)).counts).toMatchObject({ succeeded: 27, failed: 3 })
    expect((await itemsOf(workflow, { status: 'failed' })).items[1]).toMatchObject({
      key: '1013',
      errorMessage: 'bad 1013',
    })
  })

  it('that fail within the threshold let the run go on with the others', async () => {
    const script = 'if (index === 3) throw new Error("bad"); return index'
    const workflow = await deploy(numbers(10), script, { maxFailures: '10%' })
    expect(await runToEnd(service.manager, workflow.id)).toMatchObject({ status: 'Ready', itemsFailed: 1 })
    expect((await resultOf(workflow, 3)).result).toEqual([0, 1, 2, 4, 5, 6, 7, 8, 9])
  })

  it('are given up after so many failures in a row, also when all may fail', async () => {
    const workflow = await deploy(numbers(50), 'throw new Error("dead")', { maxFailures: 'all', stopAfter: 4 })
    const run = await runToEnd(service.manager, workflow.id)
    expect(run.errorMessage).toContain('4 of 50 items failed')
    expect((await itemsOf(workflow)).counts).toMatchObject({ failed: 4, pending: 46 })
  })

  it('in batches fail one by one or all together', async () => {
    const script = `if (items.some(({ index }) => index === 5)) throw new Error("all")
      return items.map(({ item, index }) => index === 0 ? new Error("first") : index === 1 ? { error: "second" } : item.id)`
    const workflow = await deploy(numbers(6), script, { batchSize: 2, maxFailures: 'all' })
    await runToEnd(service.manager, workflow.id)
    expect((await resultOf(workflow, 3)).result).toEqual([1002, 1003])
    const { items } = await itemsOf(workflow, { status: 'failed' })
    expect(items.map(({ errorMessage }: { errorMessage: string }) => errorMessage)).toEqual([
      'first',
      'second',
      'all',
      'all',
    ])
  })

  it.each([
    ['no array', 'return {}', {}, 'The items of block "Ship" failed: they are not an array.'],
    ['equal keys', 'return [1, 1]', { key: 'item' }, 'The item key of block "Ship" failed: the key "1" is used twice.'],
    ['missing keys', 'return [{}]', { key: 'item.id' }, 'the item at index 0 has no key.'],
    ['keys that throw', 'return [null]', { key: 'item.id' }, 'The item key of block "Ship" failed: TypeError'],
    ['items that throw', 'return []', { items: 'nothing.here' }, 'The items of block "Ship" failed: ReferenceError'],
    ['a large item', 'return ["x".repeat(1100000)]', {}, 'the item "0" is larger than 1 MiB'],
  ])('with %s fail the block', async (_name, list, forEach, message) => {
    const workflow = await deploy(list, 'return 1', forEach)
    const run = await runToEnd(service.manager, workflow.id)
    expect(run.status).toBe('Error')
    expect(run.errorMessage).toContain(message)
  })

  it('with fx.stopAfterThisBlock fail alone', async () => {
    const workflow = await deploy('return [1, 2]', 'if (index === 0) fx.stopAfterThisBlock(true); return 7', {
      maxFailures: 1,
    })
    await runToEnd(service.manager, workflow.id)
    expect((await resultOf(workflow, 3)).result).toEqual([7])
  })

  it('are tried again by themselves, without holding the others or the run', async () => {
    const script = 'if (index === 1 && run.try < 3) throw new Error("no"); return run.try'
    const workflow = await deploy('return [1, 2, 3]', script, {}, { retry: { times: 2, firstSeconds: 0.3 } })
    expect(await runToEnd(service.manager, workflow.id)).toMatchObject({ status: 'Ready' })
    expect((await resultOf(workflow, 3)).result).toEqual([1, 3, 1])
    expect((await itemsOf(workflow)).items[1]).toMatchObject({ tries: 3, status: 'succeeded' })
  })

  it('that wait for a try are waiting, and a run that does nothing else is Waiting', async () => {
    const script = 'if (index === 1) throw new Error("no"); return 1'
    const workflow = await deploy(
      'return [1, 2, 3]',
      script,
      { key: 'item' },
      { retry: { times: 1, firstSeconds: 3000 } },
    )
    const number = await startRun(service.manager, workflow.id)
    const run = await eventually(async () => {
      const found = await findRun(service.manager, workflow.id, number)
      return found.status === 'Waiting' && found
    })
    expect(run.waitingFor).toMatchObject({ kind: 'retry', uniqueBlockId: workflow.blocks[1], itemKey: '2' })
    const { items, counts } = await itemsOf(workflow)
    expect(counts).toMatchObject({ succeeded: 2, waiting: 1, pending: 0 })
    expect(items[1].nextTryDateTimeUTC).not.toBeNull()
    await service.manager.get(`/api/StopWorkflowRun/${workflow.id}?runNumber=${number}`)
  })

  it('of a failed run run again only where they failed or did not begin', async () => {
    const script = `if (!myVault.contains("open") && index > 1) throw new Error("closed"); return [index, run.runNumber]`
    const workflow = await deploy(numbers(6), script, { stopAfter: 2 })
    expect(await runToEnd(service.manager, workflow.id)).toMatchObject({ status: 'Error' })
    await service.manager.post(`/api/MyVaultSet/${workflow.id}/open`, { jsonData: true })
    const retry = await service.manager.get(`/api/RetryRun/${workflow.id}?runNumber=1`)
    expect(retry.status, retry.text).toBe(200)
    expect(await endOf(service.manager, workflow.id, 2)).toMatchObject({ status: 'Ready' })
    expect((await resultOf(workflow, 3, 2)).result).toEqual([
      [0, 1],
      [1, 1],
      [2, 2],
      [3, 2],
      [4, 2],
      [5, 2],
    ])
  })

  it('that would wait after their script are refused', async () => {
    const block = { blockName: 'Ship', script: 'return 1', forEach: { items: '[1]' }, wait: { seconds: 1 } }
    const answer = await service.manager.post('/api/Workflow', { name: 'X', chain: [block] })
    expect(answer.status).toBe(400)
    expect(answer.body.errorMessage).toContain('is not supported yet')
  })
})
