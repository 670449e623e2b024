import { expect, it } from 'vitest'
import { badgesOf } from '../src/definition/flow.ts'

it('says nothing about a block that simply runs', () => {
  expect(badgesOf({ runWhen: null, needs: null, forEach: null, retry: null, onError: null })).toEqual([])
})

it.each([
  [{ runWhen: 'item.total > 10' }, 'Only if item.total > 10'],
  [{ needs: 'any' as const }, 'Runs when any source has a result'],
  [{ needs: 'failed' as const }, 'Runs when a source failed'],
  [{ forEach: {} }, 'Once for each item'],
  [{ forEach: { batchSize: 50, concurrency: 4 } }, 'Items in batches of 50, 4 at once'],
  [{ forEach: { sameItemsAs: 'a' } }, 'Once for each item of the block before'],
  [{ retry: { times: 3 } }, 'Up to 3 retries'],
  [{ onError: 'continue' as const }, 'The run continues if it fails'],
  [{ wait: { seconds: 60 } }, 'Waits 60 seconds'],
  [{ wait: { events: ['order.paid', 'order.cancelled'] } }, 'Waits for order.paid or order.cancelled'],
  [{ wait: { approval: { title: "'x'", to: ['a@example.com'] } } }, 'Waits for an approval'],
])('says in words: %j', (fields, words) => {
  expect(badgesOf(fields)).toEqual([expect.objectContaining({ words })])
})
