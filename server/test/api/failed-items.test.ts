// The ledger of failed items, on the running service.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventually } from '../harness/eventually.ts'
import { joinService } from '../harness/joined-service.ts'
import type { TestService } from '../harness/service.ts'
import { deployWorkflow, endOf, findRun, runToEnd, type SampleWorkflow, startRun } from '../harness/workflows.ts'

let service: TestService
beforeAll(async () => {
  service = await joinService()
})
afterAll(() => service[Symbol.asyncDispose]())

/** Odd numbers fail until the vault says otherwise. */
const script = `if (item.id % 2 && !myVault.contains("open")) throw new Error("bad " + itemKey); return itemKey`
const list = 'return [{ id: 1000 }, { id: 1001 }, { id: 1002 }, { id: 1003 }]'
const deploy = (forEach: object = { maxFailures: 'all' }, name = 'Orders') =>
  deployWorkflow(
    service.manager,
    [list, { blockName: 'Ship', script, flow: { forEach: { key: 'item.id', ...forEach } } }, 'return Datasource[0]'],
    { name },
  )
const openVault = ({ id }: SampleWorkflow) => service.manager.post(`/api/MyVaultSet/${id}/open`, { jsonData: true })
const failed = async (more: object, client = service.manager) =>
  (await client.post('/api/FailedItems', { page: 0, size: 50, ...more })).body
const keysOf = async ({ id: workflowId }: SampleWorkflow) =>
  (await failed({ workflowId })).items.map(({ key }: { key: string }) => key).sort()
const dismiss = ({ id, blocks }: SampleWorkflow, more: object = {}) =>
  service.manager.post('/api/DismissItems', {
    workflowId: id,
    runNumber: 1,
    uniqueBlockId: blocks[1],
    comment: 'Entered by hand.',
    ...more,
  })

describe('a failed item', () => {
  it('is in the ledger, also of a run that succeeded, with everything that is known of it', async () => {
    const workflow = await deploy()
    expect(await runToEnd(service.manager, workflow.id)).toMatchObject({
      status: 'Ready',
      itemsTotal: 4,
      itemsFailed: 2,
    })
    const { items, total } = await failed({ workflowId: workflow.id })
    expect(total).toBe(2)
    const { accountId, email } = service.firstAccount
    const known = { accountId, accountEmail: email, workflowId: workflow.id, workflowName: 'Orders', runNumber: 1 }
    expect(items.find(({ key }: { key: string }) => key === '1003')).toEqual({
      ...known,
      uniqueBlockId: workflow.blocks[1],
      blockName: 'Ship',
      index: 3,
      key: '1003',
      errorMessage: 'bad 1003',
      tries: 1,
      failedDateTimeUTC: expect.any(String),
      retriedByRunNumber: null,
    })
  })

  it('is found by key, message and name, page by page, and across accounts', async () => {
    const workflow = await deploy(undefined, 'Nightly sync of people')
    await runToEnd(service.manager, workflow.id)
    const workflowId = workflow.id
    for (const searchTerm of ['1001', 'BAD 1001'])
      expect(await failed({ workflowId, searchTerm })).toMatchObject({ total: 1, items: [{ key: '1001' }] })
    expect(await failed({ searchTerm: 'of people' })).toMatchObject({ total: 2 })
    expect(await failed({ workflowId, searchTerm: 'nothing of it' })).toEqual({ items: [], total: 0 })
    const [first, second] = [await failed({ workflowId, size: 1 }), await failed({ workflowId, page: 1, size: 1 })]
    expect([first.total, second.total]).toEqual([2, 2])
    expect(first.items[0].key).not.toBe(second.items[0].key)
    expect((await failed({ workflowId, acrossAccounts: true })).total).toBe(2)
  })

  it('of a run that ended in Error is there too, and stays as it was when a retry fails', async () => {
    const workflow = await deploy({})
    expect(await runToEnd(service.manager, workflow.id)).toMatchObject({ status: 'Error', itemsFailed: 2 })
    await service.manager.get(`/api/RetryRun/${workflow.id}?runNumber=1`)
    expect(await endOf(service.manager, workflow.id, 2)).toMatchObject({ status: 'Error', itemsFailed: 2 })
    const { items, total } = await failed({ workflowId: workflow.id })
    expect(total).toBe(2)
    expect(items.map(({ runNumber }: { runNumber: number }) => runNumber)).toEqual([1, 1])
  })

  it('leaves the ledger when a retry succeeds, and its runs count it no longer', async () => {
    const workflow = await deploy({})
    await runToEnd(service.manager, workflow.id)
    await service.manager.get(`/api/RetryRun/${workflow.id}?runNumber=1`)
    await endOf(service.manager, workflow.id, 2)
    await openVault(workflow)
    await service.manager.get(`/api/RetryRun/${workflow.id}?runNumber=2`)
    expect(await endOf(service.manager, workflow.id, 3)).toMatchObject({ status: 'Ready', itemsFailed: 0 })
    expect(await keysOf(workflow)).toEqual([])
    for (const number of [1, 2]) expect((await findRun(service.manager, workflow.id, number)).itemsFailed).toBe(0)
  })

  it('of a partial run is nobody’s duty', async () => {
    const workflow = await deploy()
    await runToEnd(service.manager, workflow.id, { runTillBlock: 2 })
    expect(await keysOf(workflow)).toEqual([])
  })

  it('of a run that was stopped counts as well', async () => {
    const slow = `if (index === 0) throw new Error("bad"); await sleep(600000)`
    const workflow = await deployWorkflow(service.manager, [
      'return [1, 2, 3]',
      { script: slow, flow: { forEach: { maxFailures: 'all' }, timeoutSeconds: 900 } },
    ])
    const number = await startRun(service.manager, workflow.id)
    await eventually(async () => (await keysOf(workflow)).length === 1)
    expect(await dismiss(workflow)).toMatchObject({
      status: 400,
      body: { errorMessage: 'Run 1 is still in progress. Dismiss its items once it has ended.' },
    })
    await service.manager.get(`/api/StopWorkflowRun/${workflow.id}?runNumber=${number}`)
    expect(await endOf(service.manager, workflow.id, number)).toMatchObject({
      status: 'Stopped',
      itemsTotal: 3,
      itemsFailed: 1,
    })
  })

  it('is not readable in the database', async () => {
    const workflow = await deployWorkflow(service.manager, [
      'return [{ id: 1, name: "secret of the item" }]',
      { script: 'throw new Error("bad")', flow: { forEach: { maxFailures: 'all' } } },
    ])
    await runToEnd(service.manager, workflow.id)
    const [row] = await service.asOwner('select * from failed_items where workflow_id = $1', [workflow.id])
    const sealed = row?.['sealed_item'] as Buffer
    expect(sealed).toBeInstanceOf(Buffer)
    expect(sealed.toString('latin1')).not.toContain('secret of the item')
  })

  it('outlives its run, and is gone after 90 days', async () => {
    const workflow = await deploy()
    await runToEnd(service.manager, workflow.id)
    await service.asOwner('delete from runs where workflow_id = $1', [workflow.id])
    const age = (key: string, days: number) =>
      service.asOwner(
        `update failed_items set failed_at = now() - $3 * interval '1 day' where workflow_id = $1 and key = $2`,
        [workflow.id, key, days],
      )
    await age('1001', 89)
    await age('1003', 91)
    // The sweep runs when a process starts.
    const another = await service.startAnother({}, 'worker')
    await eventually(async () => (await keysOf(workflow)).length === 1)
    await another[Symbol.asyncDispose]()
    expect(await keysOf(workflow)).toEqual(['1001'])
    expect((await dismiss(workflow)).body).toBe(1)
  })

  it('goes with its workflow', async () => {
    const workflow = await deploy()
    await runToEnd(service.manager, workflow.id)
    await service.manager.get(`/api/ArchiveWorkflow/${workflow.id}`)
    expect((await service.manager.get(`/api/DeleteWorkflow/${workflow.id}`)).status).toBe(200)
    expect(await service.asOwner('select from failed_items where workflow_id = $1', [workflow.id])).toEqual([])
  })
})

describe('itemKey', () => {
  const ask = (operation: string, { id, blocks }: SampleWorkflow, key: string, no = 2) =>
    service.manager.get(`/api/${operation}/${id}?uniqueBlockId=${blocks[no - 1]}&itemKey=${key}`)

  it('names the item whose result, log, session and calls are told', async () => {
    const workflow = await deployWorkflow(service.manager, [
      'session.vars.seen = 1; return [1, 2]',
      {
        script: 'console.log("item " + item); if (item === 2) throw new Error("bad"); return item * 10',
        flow: { forEach: { key: '"k" + item', maxFailures: 'all' } },
      },
    ])
    await runToEnd(service.manager, workflow.id)
    const of = (itemKey: string) => ({ runNumber: 1, uniqueBlockId: workflow.blocks[1], itemKey })
    expect((await ask('GetBlockResult', workflow, 'k1')).body).toEqual({ success: true, ...of('k1'), result: 10 })
    expect((await ask('GetBlockResult', workflow, 'k2')).body).toEqual({ success: false, ...of('k2'), result: 'bad' })
    expect((await ask('GetBlockUserLog', workflow, 'k2')).body).toEqual({ ...of('k2'), result: ['item 2'] })
    expect((await ask('GetBlockSession', workflow, 'k1')).body).toEqual({ ...of('k1'), result: { seen: 1 } })
    expect((await ask('GetBlockCalls', workflow, 'k1')).body).toEqual({ ...of('k1'), result: [], omitted: 0 })
    const whole = `/api/GetBlockUserLog/${workflow.id}?uniqueBlockId=${workflow.blocks[1]}`
    expect((await service.manager.get(whole)).body).toEqual({
      runNumber: 1,
      uniqueBlockId: workflow.blocks[1],
      result: [],
    })
    for (const operation of ['GetBlockResult', 'GetBlockUserLog', 'GetBlockSession', 'GetBlockCalls']) {
      expect((await ask(operation, workflow, 'nobody')).status).toBe(404)
      expect(await ask(operation, workflow, 'k1', 1)).toMatchObject({
        status: 400,
        body: { errorMessage: 'The block has no items in this run.' },
      })
    }
  })
})

describe('dismissing', () => {
  it('closes the items that are named, or all of the block, and says how many', async () => {
    const workflow = await deploy()
    await runToEnd(service.manager, workflow.id)
    expect((await dismiss(workflow, { keys: ['1001', 'unknown'] })).body).toBe(1)
    expect(await keysOf(workflow)).toEqual(['1003'])
    expect((await findRun(service.manager, workflow.id, 1)).itemsFailed).toBe(1)
    expect((await dismiss(workflow, { keys: ['1001'] })).body).toBe(0)
    expect((await dismiss(workflow)).body).toBe(1)
    expect(await findRun(service.manager, workflow.id, 1)).toMatchObject({ itemsTotal: 4, itemsFailed: 0 })
  })

  it('is audited with its comment', async () => {
    const workflow = await deploy()
    await runToEnd(service.manager, workflow.id)
    await dismiss(workflow, { keys: ['1001'], comment: 'The customer cancelled.' })
    const log = await service.manager.post('/api/GetAuditLog', { page: 0, size: 5 })
    expect(log.text).toContain('The customer cancelled.')
  })

  it.each([
    ['no comment', { comment: undefined }],
    ['an empty comment', { comment: '' }],
    ['a comment of blanks', { comment: '  ' }],
  ])('with %s is refused', async (_name, more) => {
    const workflow = await deploy()
    const answer = await dismiss(workflow, more)
    expect(answer.status).toBe(400)
    expect(answer.body.errorMessage).toContain('comment')
  })

  it('in a workflow or a run that is not there is 404', async () => {
    const workflow = await deploy()
    expect((await dismiss({ ...workflow, id: service.firstAccount.accountId })).status).toBe(404)
    expect((await dismiss(workflow, { runNumber: 9 })).status).toBe(404)
  })
})
