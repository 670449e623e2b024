// Failed items retried alone, on the running service.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventually } from '../harness/eventually.ts'
import { joinService } from '../harness/joined-service.ts'
import type { TestService } from '../harness/service.ts'
import {
  blockResult,
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

const list = 'return { runNumber: run.runNumber, orders: [1000, 1001, 1002, 1003].map((id) => ({ id })) }'
/** Odd numbers fail until the vault says otherwise, or the item does. */
const script = `if (item.id % 2 && !item.ok && !myVault.contains("open")) throw new Error("bad " + itemKey)
  return { key: itemKey, item, runNumber: run.runNumber, listedBy: Datasource[0]?.runNumber ?? null, idempotencyKey: run.idempotencyKey }`
const forEach = { items: 'Datasource[0].orders', key: 'item.id', maxFailures: 'all' }
const deploy = (more: (string | SampleBlock)[] = ['return Datasource[0]']) =>
  deployWorkflow(service.manager, [list, { blockName: 'Ship', script, flow: { forEach } }, ...more])
const openVault = ({ id }: SampleWorkflow) => service.manager.post(`/api/MyVaultSet/${id}/open`, { jsonData: true })
const retry = ({ id, blocks }: SampleWorkflow, more: object = {}) =>
  service.manager.post(`/api/RetryItems/${id}`, { runNumber: 1, uniqueBlockId: blocks[1], ...more })
const failed = async ({ id }: SampleWorkflow) =>
  (await service.manager.post('/api/FailedItems', { workflowId: id, page: 0, size: 50 })).body.items
const itemsOf = async ({ id, blocks }: SampleWorkflow, runNumber: number) =>
  (await service.manager.post(`/api/GetBlockItems/${id}`, { uniqueBlockId: blocks[1], runNumber, page: 0, size: 50 }))
    .body.items
const resultOf = async (workflow: SampleWorkflow, no: number, runNumber: number) =>
  (await blockResult(service.manager, workflow, no, runNumber)).body.result

describe('RetryItems', () => {
  it('runs all open failed items, and what follows, with the results of the blocks before', async () => {
    const workflow = await deploy()
    await runToEnd(service.manager, workflow.id)
    await openVault(workflow)
    const answer = await retry(workflow)
    expect(answer.status, answer.text).toBe(200)
    expect(answer.body).toBe('Run 2 of the workflow "Sample" has started. It retries 2 items of run 1.')
    expect(answer.headers.get('x-run-number')).toBe('2')
    expect(await endOf(service.manager, workflow.id, 2)).toMatchObject({
      status: 'Ready',
      runBy: 'Retry',
      retryOfRunNumber: 1,
      itemsTotal: 2,
      itemsFailed: 0,
    })
    const result = await resultOf(workflow, 3, 2)
    expect(result).toMatchObject([
      { key: '1001', item: { id: 1001 }, runNumber: 2, listedBy: 1 },
      { key: '1003', item: { id: 1003 }, runNumber: 2, listedBy: 1 },
    ])
    const [first] = await service.asOwner('select id from runs where workflow_id = $1 and run_number = 1', [
      workflow.id,
    ])
    expect(result[0].idempotencyKey).toBe(`${first?.['id']}:${workflow.blocks[1]}:1001`)
    expect(await failed(workflow)).toEqual([])
    expect(await findRun(service.manager, workflow.id, 1)).toMatchObject({ itemsTotal: 4, itemsFailed: 0 })
    const items = await itemsOf(workflow, 1)
    expect(items.map((item: { retriedByRunNumber: number | null }) => item.retriedByRunNumber)).toEqual([
      null,
      2,
      null,
      2,
    ])
  })

  it('runs only those that are named, as edited', async () => {
    const workflow = await deploy()
    await runToEnd(service.manager, workflow.id)
    await retry(workflow, { items: [{ key: '1003', item: { id: 1003, ok: true } }] })
    await endOf(service.manager, workflow.id, 2)
    expect(await resultOf(workflow, 3, 2)).toMatchObject([{ key: '1003', item: { id: 1003, ok: true } }])
    expect(await failed(workflow)).toMatchObject([{ key: '1001', retriedByRunNumber: null }])
    expect((await findRun(service.manager, workflow.id, 1)).itemsFailed).toBe(1)
    const log = await service.manager.post('/api/GetAuditLog', { page: 0, size: 5 })
    expect(log.text).toContain('"isEdited":true')
  })

  it('that fails again leaves one entry, that of the first run, and can be asked for again from either run', async () => {
    const workflow = await deploy()
    await runToEnd(service.manager, workflow.id)
    await retry(workflow, { keys: ['1001'] })
    expect(await endOf(service.manager, workflow.id, 2)).toMatchObject({ status: 'Ready', itemsFailed: 1 })
    expect(await failed(workflow)).toMatchObject([
      { key: '1003', runNumber: 1, retriedByRunNumber: null },
      { key: '1001', runNumber: 1, retriedByRunNumber: 2 },
    ])
    await openVault(workflow)
    expect((await retry(workflow, { runNumber: 2 })).status).toBe(200)
    await endOf(service.manager, workflow.id, 3)
    expect(await failed(workflow)).toMatchObject([{ key: '1003' }])
    expect((await findRun(service.manager, workflow.id, 2)).itemsFailed).toBe(0)
  })

  it('runs no block that does not follow from the items, also one that had failed', async () => {
    const workflow = await deploy([
      { script: 'throw new Error("beside")', after: [1], flow: { onError: 'continue' } },
      { script: 'return [run.runNumber, Datasource.length]', after: [2] },
    ])
    await runToEnd(service.manager, workflow.id)
    await openVault(workflow)
    await retry(workflow)
    expect(await endOf(service.manager, workflow.id, 2)).toMatchObject({ status: 'Ready', blockErrors: 0 })
    expect(await resultOf(workflow, 4, 2)).toEqual([2, 1])
  })

  it('is no retry of the whole run, and may itself be retried', async () => {
    const workflow = await deploy([
      `if (run.runNumber === 2) throw new Error("after the items"); return Datasource[0].length`,
    ])
    await runToEnd(service.manager, workflow.id)
    await openVault(workflow)
    await retry(workflow, { keys: ['1001'] })
    expect(await endOf(service.manager, workflow.id, 2)).toMatchObject({ status: 'Error' })
    await retry(workflow, { keys: ['1003'] })
    expect(await endOf(service.manager, workflow.id, 3)).toMatchObject({ status: 'Ready' })
    expect((await service.manager.get(`/api/RetryRun/${workflow.id}?runNumber=2`)).body).toContain('Run 4 ')
    expect(await endOf(service.manager, workflow.id, 4)).toMatchObject({ status: 'Ready', retryOfRunNumber: 2 })
    expect(await resultOf(workflow, 3, 4)).toBe(1)
  })

  it('runs the items of blocks that follow, though others had the same positions', async () => {
    const workflow = await deploy([{ script: 'return [item.key, run.runNumber]', flow: { forEach: {} } }])
    await runToEnd(service.manager, workflow.id)
    await openVault(workflow)
    await retry(workflow)
    await endOf(service.manager, workflow.id, 2)
    expect(await resultOf(workflow, 3, 2)).toEqual([
      ['1001', 2],
      ['1003', 2],
    ])
  })

  it('works when the run is kept no longer', async () => {
    const workflow = await deploy()
    await runToEnd(service.manager, workflow.id)
    await service.asOwner('delete from run_items i using runs r where r.id = i.run_id and r.workflow_id = $1', [
      workflow.id,
    ])
    await service.asOwner('delete from runs where workflow_id = $1', [workflow.id])
    await openVault(workflow)
    expect((await retry(workflow)).status).toBe(200)
    expect(await endOf(service.manager, workflow.id, 2)).toMatchObject({ status: 'Ready', retryOfRunNumber: 1 })
    expect(await resultOf(workflow, 3, 2)).toMatchObject([
      { item: { id: 1001 }, listedBy: null },
      { item: { id: 1003 } },
    ])
    expect(await failed(workflow)).toEqual([])
  })

  it('is refused while a retry of the item is under way, and leaves such items out', async () => {
    const slow = 'if (run.runNumber === 1) throw new Error("bad"); await sleep(600000)'
    const workflow = await deployWorkflow(service.manager, [
      'return [1, 2]',
      { script: slow, flow: { forEach: { maxFailures: 'all' }, timeoutSeconds: 900 } },
    ])
    await runToEnd(service.manager, workflow.id)
    await retry(workflow, { keys: ['0'] })
    expect(await retry(workflow, { keys: ['0'] })).toMatchObject({
      status: 400,
      body: { errorMessage: 'The item "0" is already being retried by run 2.' },
    })
    expect((await retry(workflow)).body).toContain('It retries 1 item of run 1.')
    expect(await retry(workflow)).toMatchObject({
      status: 400,
      body: { errorMessage: expect.stringMatching(/^The failed items are already being retried by run/) },
    })
    for (const number of [2, 3]) await service.manager.get(`/api/StopWorkflowRun/${workflow.id}?runNumber=${number}`)
    for (const number of [2, 3]) await endOf(service.manager, workflow.id, number)
  })

  it.each([
    [
      'keys together with items',
      { keys: ['1001'], items: [{ key: '1001', item: 1 }] },
      'Give either keys or items, not both.',
    ],
    ['an unknown key', { keys: ['nobody'] }, 'The item "nobody" is not an open failed item of this block.'],
    ['a key that succeeded', { keys: ['1000'] }, 'The item "1000" is not an open failed item of this block.'],
    [
      'a key given twice',
      {
        items: [
          { key: '1001', item: 1 },
          { key: '1001', item: 2 },
        ],
      },
      'The key "1001" is given twice.',
    ],
    [
      'a large item',
      { items: [{ key: '1001', item: 'x'.repeat(1_048_577) }] },
      'The item "1001" is larger than 1 MiB.',
    ],
  ])('with %s is refused', async (_name, more, message) => {
    const workflow = await deploy()
    await runToEnd(service.manager, workflow.id)
    expect(await retry(workflow, more)).toMatchObject({ status: 400, body: { errorMessage: message } })
  })

  it('of a run that failed, was stopped or is under way is refused', async () => {
    const { maxFailures: _all, ...strict } = forEach
    const workflow = await deployWorkflow(service.manager, [list, { script, flow: { forEach: strict } }])
    await runToEnd(service.manager, workflow.id)
    const tell = async (runNumber: number) => (await retry(workflow, { runNumber })).body.errorMessage
    expect(await tell(1)).toBe('Run 1 failed. Use RetryRun, which retries its items as well.')
    const slow = await deployWorkflow(service.manager, ['return [1]', 'await sleep(600000)'])
    const runNumber = await startRun(service.manager, slow.id)
    const ask = async () => (await retry(slow, { runNumber })).body.errorMessage
    expect(await ask()).toBe('Run 1 is still in progress.')
    await eventually(async () => (await findRun(service.manager, slow.id, runNumber)).status === 'Processing')
    await service.manager.get(`/api/StopWorkflowRun/${slow.id}?runNumber=${runNumber}`)
    await endOf(service.manager, slow.id, runNumber)
    expect(await ask()).toBe('Run 1 was stopped. Use RetryRun, which retries its items as well.')
  })

  it('of a block that runs once for all by now is refused', async () => {
    const workflow = await deploy()
    await runToEnd(service.manager, workflow.id)
    const chain = [{ uniqueBlockId: workflow.blocks[1], forEach: null }]
    expect((await service.manager.post(`/api/Workflow/${workflow.id}`, { chain })).status).toBe(200)
    expect(await retry(workflow)).toMatchObject({
      status: 400,
      body: { errorMessage: 'The block "Ship" no longer has items.' },
    })
  })

  it('of an unknown workflow, run or block is 404', async () => {
    const workflow = await deploy()
    await runToEnd(service.manager, workflow.id)
    const unknown = service.firstAccount.accountId
    expect((await retry({ ...workflow, id: unknown })).status).toBe(404)
    expect((await retry(workflow, { runNumber: 9 })).status).toBe(404)
    expect((await retry(workflow, { uniqueBlockId: unknown })).status).toBe(404)
  })
})
