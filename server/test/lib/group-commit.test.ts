import { expect, it } from 'vitest'
import { GroupCommit } from '../../src/lib/group-commit.ts'

/** Batches that end when the test says so. */
function collect(batchesAtOnce = 1, itemsMax = 100) {
  const batches: { items: number[]; end: PromiseWithResolvers<void> }[] = []
  const commits = new GroupCommit<number, string>(
    async (items) => {
      const end = Promise.withResolvers<void>()
      batches.push({ items, end })
      await end.promise
      return items.map((item) => `stored ${item}`)
    },
    { batchesAtOnce, itemsMax },
  )
  return { commits, batches, items: () => batches.map((batch) => batch.items) }
}

const aTurn = () => new Promise((done) => setImmediate(done))

it('takes together what arrives in one turn, and what waited for the batch before', async () => {
  const { commits, batches, items } = collect()
  const first = [commits.add(1), commits.add(2)]
  await aTurn()
  const second = [commits.add(3), commits.add(4), commits.add(5)]
  await aTurn()
  expect(items()).toEqual([[1, 2]])
  batches[0]?.end.resolve()
  expect(await Promise.all(first)).toEqual(['stored 1', 'stored 2'])
  expect(items()).toEqual([
    [1, 2],
    [3, 4, 5],
  ])
  batches[1]?.end.resolve()
  expect(await Promise.all(second)).toEqual(['stored 3', 'stored 4', 'stored 5'])
})

it('has the next batch under way before anybody hears of the last', async () => {
  const { commits, batches, items } = collect()
  const first = commits.add(1)
  await aTurn()
  void commits.add(2)
  const seen = first.then(() => items().length)
  batches[0]?.end.resolve()
  expect(await seen).toBe(2)
  batches[1]?.end.resolve()
  await commits.drain()
})

it('never has more batches under way than it may, nor larger ones', async () => {
  const { commits, batches, items } = collect(2, 3)
  const all = Array.from({ length: 9 }, (_, item) => commits.add(item))
  for (let turn = 0; turn < 5; turn++) await aTurn()
  expect(items()).toEqual([
    [0, 1, 2],
    [3, 4, 5],
  ])
  batches[1]?.end.resolve()
  await aTurn()
  expect(items()).toHaveLength(3)
  for (const { end } of batches) end.resolve()
  expect(await Promise.all(all)).toHaveLength(9)
})

it('tries each item alone when a batch fails, so that one does not spoil the rest', async () => {
  const commits = new GroupCommit<number, string>(
    async (items) => {
      if (items.includes(2)) throw new Error('two is wrong')
      return items.map((item) => `stored ${item}`)
    },
    { batchesAtOnce: 1, itemsMax: 100 },
  )
  const results = await Promise.allSettled([commits.add(1), commits.add(2), commits.add(3)])
  expect(results.map((result) => (result.status === 'fulfilled' ? result.value : result.reason.message))).toEqual([
    'stored 1',
    'two is wrong',
    'stored 3',
  ])
  await commits.drain()
})

it('is drained only when nothing waits and nothing is under way', async () => {
  const { commits, batches } = collect()
  await commits.drain()
  void commits.add(1)
  let isDrained = false
  const drained = commits.drain().then(() => {
    isDrained = true
  })
  await aTurn()
  void commits.add(2)
  batches[0]?.end.resolve()
  await aTurn()
  expect(isDrained).toBe(false)
  batches[1]?.end.resolve()
  await drained
})
