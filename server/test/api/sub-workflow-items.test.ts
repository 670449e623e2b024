// Items of a block that is a run of another workflow.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAccount } from '../harness/accounts.ts'
import type { Client } from '../harness/client.ts'
import { eventually } from '../harness/eventually.ts'
import { joinService } from '../harness/joined-service.ts'
import type { TestService } from '../harness/service.ts'
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
let client: Client
beforeAll(async () => {
  service = await joinService()
  client = (await createAccount(service, service.manager, 'DevPartner')).client
})
afterAll(() => service[Symbol.asyncDispose]())

const waiting = (id: string, number = 1) =>
  eventually(async () => {
    const run = await findRun(client, id, number)
    return run?.status === 'Waiting' ? run : undefined
  })
const countRuns = async (id: string) => (await client.post(`/api/GetRunHistory/${id}`, { page: 0, size: 1 })).body.total
const untilEvent = (name: string) => ({ script: 'return 1', flow: { wait: { events: [name] } } })
const release = (name: string) => client.post('/api/SendEvent', { name })

describe('items', () => {
  const itemsOf = async ({ id, blocks }: SampleWorkflow, no: number, runNumber = 1) =>
    (await client.post(`/api/GetBlockItems/${id}`, { runNumber, uniqueBlockId: blocks[no - 1], page: 0, size: 100 }))
      .body
  const forEach = { key: 'item.no' }
  const list = 'return [3, 1, 2].map((no) => ({ no }))'
  const each = (child: SampleWorkflow, more: object = {}, given: object = {}) => ({
    ...given,
    flow: { subWorkflow: { workflowId: child.id }, forEach: { ...forEach, ...more } },
  })

  it('each have a child of their own, given the item, one after the other', async () => {
    const child = await deployWorkflow(client, ['return { run: run.runNumber, of: run.input.no }'])
    const parent = await deployWorkflow(client, [list, each(child), 'return Datasource[0]'])
    expect((await runToEnd(client, parent.id)).status).toBe('Ready')
    expect((await blockResult(client, parent, 3)).body.result).toEqual([
      { run: 1, of: 3 },
      { run: 2, of: 1 },
      { run: 3, of: 2 },
    ])
    const { items, counts } = await itemsOf(parent, 2)
    expect(counts).toMatchObject({ succeeded: 3 })
    expect(items[1]).toMatchObject({ key: '1', status: 'succeeded', childRun: { workflowId: child.id, runNumber: 2 } })
    const parentRun = { workflowId: parent.id, runNumber: 1, uniqueBlockId: parent.blocks[1], itemKey: '1' }
    expect(await findRun(client, child.id, 2)).toMatchObject({ parentRun, runBy: 'Workflow' })
    expect(await countRuns(child.id)).toBe(3)
  })

  it('run side by side as concurrency says, and what the script returned is their input', async () => {
    const child = await deployWorkflow(client, [{ ...untilEvent('both'), script: 'return run.input' }])
    const parent = await deployWorkflow(client, [
      list,
      each(child, { concurrency: 2 }, { script: 'return { twice: item.no * 2, itemKey }' }),
      'return Datasource[0].map(({ prepared }) => prepared)',
    ])
    await startRun(client, parent.id)
    await waiting(child.id, 2)
    const run = await waiting(parent.id)
    expect(run.waitingFor).toMatchObject({ kind: 'subWorkflow', untilDateTimeUTC: null })
    expect(['1', '3']).toContain(run.waitingFor.itemKey)
    expect((await itemsOf(parent, 2)).counts).toMatchObject({ waiting: 2, pending: 1 })
    expect((await itemsOf(parent, 2)).items[0]).toMatchObject({ status: 'waiting', childRun: { runNumber: 1 } })
    expect(await countRuns(child.id)).toBe(2)
    await release('both')
    expect((await endOf(client, parent.id, 1)).status).toBe('Ready')
    expect((await blockResult(client, parent, 3)).body.result).toEqual(
      [3, 1, 2].map((no) => ({ twice: no * 2, itemKey: String(no) })),
    )
  })

  it('fail alone with the message of their child, and RetryRun retries those children', async () => {
    const child = await deployWorkflow(client, [
      'return run.runNumber',
      'if (run.input.no === 1 && run.runNumber < 4) throw new Error("Bad order"); return [Datasource[0], run.runNumber]',
    ])
    const parent = await deployWorkflow(client, [list, each(child)])
    expect((await runToEnd(client, parent.id)).errorMessage).toContain('1 of 3 items failed: 1. First: ')
    const failed = (await itemsOf(parent, 2)).items[1]
    expect(failed).toMatchObject({ status: 'failed', childRun: { runNumber: 2 } })
    expect(failed.errorMessage).toContain('Bad order')
    await client.get(`/api/RetryRun/${parent.id}?runNumber=1`)
    expect((await endOf(client, parent.id, 2)).status).toBe('Ready')
    expect((await blockResult(client, parent, 2, 2)).body.result).toEqual([
      [1, 1],
      [2, 4],
      [3, 3],
    ])
    expect(await countRuns(child.id)).toBe(4)
  })

  it('under way finish when a block gives up', async () => {
    const child = await deployWorkflow(client, [
      'if (run.input.no === 3) throw new Error("Dead"); return 1',
      untilEvent('late'),
    ])
    const parent = await deployWorkflow(client, [list, each(child, { concurrency: 2, stopAfter: 1 })])
    await startRun(client, parent.id)
    await waiting(child.id, 2)
    await eventually(async () => ((await itemsOf(parent, 2)).counts.failed === 1 ? true : undefined))
    expect((await waiting(parent.id)).waitingFor.itemKey).toBe('1')
    await release('late')
    expect((await endOf(client, parent.id, 1)).errorMessage).toContain('1 of 3 items failed: 3.')
    expect((await itemsOf(parent, 2)).counts).toMatchObject({ failed: 1, succeeded: 1, pending: 1 })
  })
})
