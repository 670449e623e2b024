import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { joinService } from '../harness/joined-service.ts'
import type { TestService } from '../harness/service.ts'

let service: TestService
beforeAll(async () => {
  service = await joinService()
})
afterAll(() => service[Symbol.asyncDispose]())
const test = (body: object) => service.manager.post('/api/TestBlock', body)

const scriptOfItem = 'console.log("saw", itemKey); return { item, index, itemKey }'

describe('TestBlock with one item', () => {
  it('gives the script its item, index, key and the input of the run', async () => {
    const script = 'return { item, index, itemKey, input: run.input, try: run.try }'
    const { body } = await test({ script, item: { id: 7 }, index: 3, itemKey: 'seven', input: [1], try: 2 })
    expect(body).toMatchObject({
      success: true,
      result: { item: { id: 7 }, index: 3, itemKey: 'seven', input: [1], try: 2 },
      items: null,
      itemsTotal: null,
    })
  })

  it('computes the key as the block would, or takes the index', async () => {
    const keyed = await test({ script: scriptOfItem, item: { id: 7 }, index: 3, forEach: { key: 'item.id + index' } })
    expect(keyed.body.result).toEqual({ item: { id: 7 }, index: 3, itemKey: '10' })
    const plain = await test({ script: scriptOfItem, item: null, index: 3 })
    expect(plain.body.result).toEqual({ item: null, index: 3, itemKey: '3' })
  })

  it('says what is wrong with the key', async () => {
    const { body } = await test({ script: scriptOfItem, item: {}, forEach: { key: 'item.id' } })
    expect(body).toMatchObject({
      success: false,
      result: expect.stringMatching(/^The item key of block "Test" failed/),
    })
  })

  it('shows no item to a script that was given none', async () => {
    const { body } = await test({ script: 'return [typeof item, typeof run.input, run.input]' })
    expect(body.result).toEqual(['undefined', 'object', null])
  })

  it('takes one item or all of them', async () => {
    const answer = await test({ script: 'return 1', item: 1, allItems: true })
    expect(answer.status).toBe(400)
    expect(answer.body.errorMessage).toBe('Give item, index and itemKey, or allItems and items, not both.')
  })
})

describe('TestBlock with all items', () => {
  it('runs the script once for each item and tells of each', async () => {
    const { body } = await test({
      script: 'if (item.id === 2) throw new Error("bad order"); console.log(itemKey); return item.id * 10',
      dataSources: [{ orders: [{ id: 1 }, { id: 2 }, { id: 3 }] }],
      forEach: { items: 'Datasource[0].orders', key: '"o" + item.id' },
      allItems: true,
    })
    expect(body).toMatchObject({ success: false, itemsTotal: 3, log: [] })
    expect(body.result).toMatch(/^1 of 3 items failed: o2\. First: .*bad order/)
    expect(body.items).toMatchObject([
      { index: 0, itemKey: 'o1', success: true, result: 10, log: ['o1'], line: null },
      { index: 1, itemKey: 'o2', success: false, result: expect.stringMatching(/bad order/), line: 1 },
      { index: 2, itemKey: 'o3', success: true, result: 30, log: ['o3'] },
    ])
  })

  it('takes the first data source by default, and no more than 20 of it', async () => {
    const numbers = Array.from({ length: 25 }, (_, index) => index)
    const { body } = await test({ script: 'return item', dataSources: [numbers], allItems: true })
    expect(body).toMatchObject({ success: true, itemsTotal: 25, result: numbers.slice(0, 20) })
    expect(body.items).toHaveLength(20)
  })

  it('takes items that are given in place of the list', async () => {
    const { body } = await test({ script: 'return item + 1', items: [1, 2] })
    expect(body).toMatchObject({ success: true, result: [2, 3], itemsTotal: 2 })
    expect((await test({ script: 'return 1', items: Array(21).fill(1) })).status).toBe(400)
  })

  it('gives batches to a script that takes them', async () => {
    const { body } = await test({
      script: 'return items.map(({ item, itemKey }) => item === 2 ? new Error("odd one") : item + itemKey)',
      items: [1, 2, 3],
      forEach: { batchSize: 2 },
    })
    expect(body.items).toMatchObject([
      { itemKey: '0', success: true, result: '10' },
      { itemKey: '1', success: false, result: 'odd one' },
      { itemKey: '2', success: true, result: '32' },
    ])
    const short = await test({ script: 'return []', items: [1, 2], forEach: { batchSize: 2 } })
    expect(short.body.items[0].result).toBe('The script must return an array of 2 results, one for each item.')
  })

  it('says what is wrong with the list', async () => {
    const { body } = await test({ script: 'return 1', dataSources: ['text'], allItems: true })
    expect(body).toMatchObject({ success: false, result: 'The items of block "Test" failed: they are not an array.' })
  })

  it('fails an item that ends the run', async () => {
    const { body } = await test({ script: 'fx.stopAfterThisBlock(true)', items: [1] })
    expect(body.items[0].result).toBe('fx.stopAfterThisBlock cannot be called in an item.')
  })

  it('gives all items together the time of the test', async () => {
    const { body } = await test({ script: 'for (;;) {}', items: [1, 2], timeoutSeconds: 1 })
    expect(body.items.map((item: { success: boolean }) => item.success)).toEqual([false, false])
    expect(body.durationInMilliSec).toBeLessThan(30_000)
  })
})

describe('TestBlock with a condition', () => {
  it('skips the script when it is falsy', async () => {
    const script = 'throw new Error("must not run")'
    const skipped = await test({ script, runWhen: 'Datasource[0] > 5', dataSources: [1] })
    expect(skipped.body).toMatchObject({ success: true, skipped: true, result: null })
    const ran = await test({ script: 'return 1', runWhen: 'Datasource[0] > 5', dataSources: [9] })
    expect(ran.body).toMatchObject({ success: true, skipped: false, result: 1 })
    const failed = await test({ script, runWhen: 'nobody.knows' })
    expect(failed.body.result).toMatch(/^The condition of block "Test" failed: .*nobody/)
  })

  it('sees the error that it is given', async () => {
    const { body } = await test({ script: 'return error.statusCode', runWhen: 'error', error: { statusCode: 409 } })
    expect(body.result).toBe(409)
  })
})

describe('TestBlock of a script that answers', () => {
  it('tells the first response', async () => {
    const script = 'fx.respond({ statusCode: 201, body: { id: 1 } }); fx.respond({ statusCode: 500 }); return 1'
    const { body } = await test({ script })
    expect(body.response).toMatchObject({ statusCode: 201, body: '{"id":1}' })
    expect((await test({ script: 'return 1' })).body.response).toBe(null)
  })

  it('sends events to nobody', async () => {
    const { body } = await test({ script: 'return await events.send("paid", "1", { a: 1 })' })
    expect(body).toMatchObject({ success: true, calls: [{ kind: 'event' }] })
  })
})
