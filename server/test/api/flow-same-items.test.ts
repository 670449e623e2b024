// Blocks that remember the keys of items that succeeded, and blocks that go on with the items of another.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
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
  type SampleBlock,
  type SampleWorkflow,
  startRun,
} from '../harness/workflows.ts'

let service: TestService
let client: Client
beforeAll(async () => {
  service = await joinService()
  client = service.manager
})
afterAll(() => service[Symbol.asyncDispose]())

const resultOf = async (workflow: SampleWorkflow, no: number, runNumber?: number) =>
  (await blockResult(client, workflow, no, runNumber)).body.result
const itemsOf = async (workflow: SampleWorkflow, no: number, more: object = {}) =>
  (
    await client.post(`/api/GetBlockItems/${workflow.id}`, {
      uniqueBlockId: workflow.blocks[no - 1],
      page: 0,
      size: 100,
      ...more,
    })
  ).body
const setVault = (workflow: SampleWorkflow, key: string) =>
  client.post(`/api/MyVaultSet/${workflow.id}/${key}`, { jsonData: 1 })
const retry = async (workflow: SampleWorkflow, runNumber = 1) => {
  const answer = await client.get(`/api/RetryRun/${workflow.id}?runNumber=${runNumber}`)
  expect(answer.status, answer.text).toBe(200)
  return endOf(client, workflow.id, Number(answer.headers.get('x-run-number')))
}

describe('once', () => {
  const script = 'if (item === "bad") throw new Error("bad"); return [item, run.runNumber]'
  const deploy = (forEach: object = {}) =>
    deployWorkflow(client, [
      'return run.input',
      { script, flow: { forEach: { key: 'item', once: 3, maxFailures: 'all', ...forEach } } },
    ])

  it('skips keys that succeeded before, with their earlier results, and runs those that failed', async () => {
    const workflow = await deploy({ concurrency: 3 })
    await runToEnd(client, workflow.id, { input: ['a', 'bad', 'b'] })
    await runToEnd(client, workflow.id, { input: ['c', 'b', 'bad', 'a'] })
    expect(await resultOf(workflow, 2, 2)).toEqual([
      ['c', 2],
      ['b', 1],
      ['a', 1],
    ])
    const { items, counts } = await itemsOf(workflow, 2, { runNumber: 2 })
    expect(counts).toEqual({ pending: 0, processing: 0, waiting: 0, succeeded: 1, failed: 1, skipped: 2 })
    expect(items[1]).toMatchObject({ key: 'b', status: 'skipped', tries: 0 })
  })

  it('skips many at a time, also between batches', async () => {
    const workflow = await deployWorkflow(client, [
      'return Array.from({ length: 1200 }, (_, n) => n)',
      {
        script: 'return items.map(({ index }) => [index, run.runNumber])',
        flow: {
          forEach: {
            items: 'Datasource[0].filter((n) => run.runNumber > 1 || n % 3 > 0)',
            key: 'item',
            once: 1,
            batchSize: 50,
          },
        },
      },
    ])
    await runToEnd(client, workflow.id)
    expect(await runToEnd(client, workflow.id)).toMatchObject({ status: 'Ready' })
    expect((await itemsOf(workflow, 2, { runNumber: 2 })).counts).toMatchObject({ succeeded: 400, skipped: 800 })
  })

  it('forgets after its days, and retention removes what is over', async () => {
    const workflow = await deploy()
    await runToEnd(client, workflow.id, { input: ['a', 'b'] })
    const age = `update remembered_items set succeeded_at = succeeded_at - interval '4 days', expires_at = expires_at - interval '4 days'
      where workflow_id = $1 and key = 'a'`
    await service.asOwner(age, [workflow.id])
    await runToEnd(client, workflow.id, { input: ['a', 'b'] })
    expect(await resultOf(workflow, 2)).toEqual([
      ['a', 2],
      ['b', 1],
    ])
    await service.asOwner(age, [workflow.id])
    // The sweep runs when a process starts.
    const another = await service.startAnother({}, 'worker')
    const remembered = 'select key from remembered_items where workflow_id = $1'
    await eventually(async () => (await service.asOwner(remembered, [workflow.id])).length === 1)
    await another[Symbol.asyncDispose]()
  })

  it('neither looks nor remembers in a Debug run', async () => {
    const workflow = await deployWorkflow(client, [
      { script, flow: { forEach: { items: '["a"]', key: 'item', once: 3 } } },
      'return 1',
    ])
    await runToEnd(client, workflow.id, { runTillBlock: 1 })
    await runToEnd(client, workflow.id)
    expect(await resultOf(workflow, 1, 2)).toEqual([['a', 2]])
    await runToEnd(client, workflow.id, { runTillBlock: 1 })
    expect(await resultOf(workflow, 1, 3)).toEqual([['a', 3]])
  })
})

describe('sameItemsAs', () => {
  /** A list, a block with items, one with the same items, one outside. */
  const deploy = async (
    { list, first, second, last = 'return [Datasource[0], itemKeys]' }: Record<string, string>,
    forEach: object = {},
    more: Partial<SampleBlock> & { concurrency?: number } = {},
  ) => {
    const created = await deployWorkflow(client, [
      { script: list ?? '' },
      { blockName: 'First', script: first ?? '', flow: { forEach: { key: 'item', ...forEach } } },
      { blockName: 'Second', script: second ?? '', after: [2, 1] },
      { script: last, after: [3] },
    ])
    const { concurrency = 1, flow = {} } = more
    const changed = await client.post(`/api/Workflow/${created.id}`, {
      chain: [{ uniqueBlockId: created.blocks[2], forEach: { sameItemsAs: created.blocks[1], concurrency }, ...flow }],
    })
    expect(changed.status, changed.text).toBe(200)
    return created
  }

  it('goes on with each item and its result; a block outside gets what is collected, and the keys', async () => {
    const workflow = await deploy({
      list: 'return ["a", "b", "c"]',
      first: 'return item + 1',
      second: 'return [item, index, itemKey, itemKeys[0], Datasource[0], Datasource[1].length]',
    })
    expect(await runToEnd(client, workflow.id)).toMatchObject({ status: 'Ready', itemsTotal: 3, itemsFailed: 0 })
    expect(await resultOf(workflow, 4)).toEqual([
      [
        ['a', 0, 'a', 'a', 'a1', 3],
        ['b', 1, 'b', 'b', 'b1', 3],
        ['c', 2, 'c', 'c', 'c1', 3],
      ],
      [['a', 'b', 'c']],
    ])
    expect(await itemsOf(workflow, 3)).toMatchObject({ total: 3, counts: { succeeded: 3, pending: 0 } })
  })

  it('starts an item as soon as that of the source has succeeded, however far the others are', async () => {
    const workflow = await deploy({
      list: 'return ["a", "b"]',
      first: 'if (item === "b") while (!myVault.contains("go")) await sleep(20); return 1',
      second: 'myVault.set("reached-" + item, 1); return 2',
    })
    const number = await startRun(client, workflow.id)
    await eventually(async () => (await client.get(`/api/MyVaultContains/${workflow.id}/reached-a`)).body === true)
    expect((await findRun(client, workflow.id, number)).endDateTimeUTC).toBeNull()
    expect((await itemsOf(workflow, 2)).counts).toMatchObject({ processing: 1, succeeded: 1 })
    expect((await itemsOf(workflow, 3)).counts).toMatchObject({ pending: 1 })
    await setVault(workflow, 'go')
    expect(await endOf(client, workflow.id, number)).toMatchObject({ status: 'Ready' })
  })

  it('ends a failed item there; failures count over the whole scope', async () => {
    const scripts = {
      list: 'return ["a", "b", "c", "d"]',
      first: 'if (item === "b") throw new Error("first"); return item',
      second: 'if (item === "c") throw new Error("second"); return item',
    }
    const tolerant = await deploy(scripts, { maxFailures: 2 })
    expect(await runToEnd(client, tolerant.id)).toMatchObject({ status: 'Ready', itemsTotal: 4, itemsFailed: 2 })
    expect((await resultOf(tolerant, 4))[0]).toEqual(['a', 'd'])
    const { items, counts } = await itemsOf(tolerant, 3)
    expect(counts).toMatchObject({ succeeded: 2, failed: 1, skipped: 1, pending: 0 })
    expect(items[1]).toMatchObject({ key: 'b', status: 'skipped' })
    const strict = await deploy(scripts, { maxFailures: 1 })
    const run = await runToEnd(client, strict.id)
    expect(run).toMatchObject({ status: 'Error' })
    expect(run.errorMessage).toContain('Block 3 "Second" failed: 2 of 4 items failed: b, c. First: first')
  })

  it('is retried where it failed: nothing that succeeded runs again in any block of the scope', async () => {
    const workflow = await deploy(
      {
        list: 'return ["a", "b", "c"]',
        first: 'if (item === "b" && !myVault.contains("open")) throw new Error("no"); return [item, run.runNumber]',
        second:
          'if (item === "c" && !myVault.contains("open")) throw new Error("no"); return [Datasource[0], run.runNumber]',
      },
      { maxFailures: 1 },
    )
    expect(await runToEnd(client, workflow.id)).toMatchObject({ status: 'Error' })
    await setVault(workflow, 'open')
    expect(await retry(workflow)).toMatchObject({ status: 'Ready' })
    const [collected] = await resultOf(workflow, 4, 2)
    expect(collected).toEqual([
      [['a', 1], 1],
      [['b', 2], 2],
      [['c', 1], 2],
    ])
  })

  it('of a partial run goes on with the items of the run before', async () => {
    const workflow = await deploy(
      {
        list: 'return ["a", "b", "c"]',
        first: 'if (item === "b") throw new Error("no"); return [item, run.runNumber]',
        second: 'return [Datasource[0], run.runNumber]',
      },
      { maxFailures: 1 },
    )
    expect(await runToEnd(client, workflow.id)).toMatchObject({ status: 'Ready' })
    expect(await runToEnd(client, workflow.id, { runFromBlock: 3 })).toMatchObject({ status: 'Ready' })
    expect(await resultOf(workflow, 3, 2)).toEqual([
      [['a', 1], 2],
      [['c', 1], 2],
    ])
  })

  it('lets items of the source wait for their next try, and takes them then', async () => {
    const workflow = await deploy(
      {
        list: 'return ["a", "b", "c"]',
        first: 'if (item === "b" && !myVault.contains("open")) throw new Error("no"); return item',
        second: 'return Datasource[0]',
      },
      {},
      { concurrency: 2 },
    )
    await client.post(`/api/Workflow/${workflow.id}`, {
      chain: [{ uniqueBlockId: workflow.blocks[1], retry: { times: 3, firstSeconds: 3000 } }],
    })
    const number = await startRun(client, workflow.id)
    await eventually(async () => (await findRun(client, workflow.id, number)).status === 'Waiting')
    expect((await itemsOf(workflow, 3)).counts).toMatchObject({ succeeded: 2, pending: 1 })
    await setVault(workflow, 'open')
    const ofRun = '(select id from runs where workflow_id = $1)'
    await service.asOwner(`update run_waits set due_at = now() where run_id = ${ofRun}`, [workflow.id])
    await service.asOwner(`update jobs set due_at = now() where id = ${ofRun}`, [workflow.id])
    expect(await endOf(client, workflow.id, number)).toMatchObject({ status: 'Ready' })
    expect((await resultOf(workflow, 4))[0]).toEqual(['a', 'b', 'c'])
  })

  it('fails with its source when that is given up', async () => {
    const workflow = await deploy(
      {
        list: 'return [1, 2, 3, 4, 5, 6]',
        first: 'if (item > 2) throw new Error("dead"); return 1',
        second: 'return 2',
      },
      { stopAfter: 2, maxFailures: 'all' },
    )
    const run = await runToEnd(client, workflow.id)
    expect(run.errorMessage).toContain('Block 2 "First" failed: 2 of 6 items failed')
    expect((await itemsOf(workflow, 3)).counts).toMatchObject({ succeeded: 2 })
  })

  it('is skipped with its source', async () => {
    const workflow = await deploy({ list: 'return [1]', first: 'return 1', second: 'return 2' })
    await client.post(`/api/Workflow/${workflow.id}`, {
      chain: [{ uniqueBlockId: workflow.blocks[1], runWhen: 'false' }],
    })
    expect(await runToEnd(client, workflow.id)).toMatchObject({ status: 'Ready' })
    expect((await blockResult(client, workflow, 3)).body).toMatchObject({ skipped: true })
  })

  it.each([
    [{ needs: 'any' }, 'has sameItemsAs, so its needs must be "all".'],
    [{ dataSources: ['list'] }, 'in sameItemsAs, which is not one of its data sources.'],
    [{ forEach: { sameItemsAs: 'list' } }, 'in sameItemsAs, which is a block without forEach.'],
    [{ forEach: { sameItemsAs: 'first', collect: 'counts' } }, 'has sameItemsAs, so it cannot have collect as well.'],
  ])('with %j is refused at save', async (change, message) => {
    const workflow = await deploy({ list: 'return [1]', first: 'return 1', second: 'return 2' })
    const [list, first, second] = workflow.blocks
    const text = JSON.stringify(change)
      .replaceAll('"list"', JSON.stringify(list))
      .replaceAll('"first"', JSON.stringify(first))
    const answer = await client.post(`/api/Workflow/${workflow.id}`, {
      chain: [{ uniqueBlockId: second === undefined ? '' : workflow.blocks[2], ...JSON.parse(text) }],
    })
    expect(answer.status).toBe(400)
    expect(answer.body.errorMessage).toContain(message)
  })
})
