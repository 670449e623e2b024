import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Queryable } from '../../src/db/index.ts'
import { findNumberPage } from '../../src/runs/history/number-pages.ts'

/** A history of which some of the oldest runs are gone: those that are there, ascending. */
const histories = fc
  .record({ last: fc.integer({ min: 0, max: 30_000 }), gone: fc.array(fc.integer({ min: 1, max: 400 })) })
  .map(({ last, gone }) => {
    const missing = new Set(gone)
    return { last, there: Array.from({ length: last }, (_, index) => index + 1).filter((one) => !missing.has(one)) }
  })

const countedMax = 5000

function databaseOf(there: readonly number[]): Queryable {
  const [first] = there
  const counted = there.filter((one) => one < (first ?? 0) + countedMax).length
  return {
    query: () => Promise.resolve({ rows: first === undefined ? [] : [{ first, counted }], rowCount: 1 }) as never,
  }
}

describe('a page of a history in the order of its numbers', () => {
  it('holds what passing over all runs before it would give', async () => {
    const pages = fc.record({
      offset: fc.integer({ min: 0, max: 31_000 }),
      size: fc.integer({ min: 1, max: 200 }),
      isAscending: fc.boolean(),
    })
    await fc.assert(
      fc.asyncProperty(histories, pages, async ({ last, there }, page) => {
        const numbers = { accountId: 'a', workflowId: 'w', oldestNumber: 1, lastNumber: last }
        const { total, range } = await findNumberPage(databaseOf(there), numbers, page)
        const found = range
          ? there.filter((one) => one >= range.from && one <= range.to).slice(range.skip, range.skip + range.size)
          : []
        const expected = (page.isAscending ? there : there.toReversed()).slice(page.offset, page.offset + page.size)
        expect(total).toBe(there.length)
        expect(page.isAscending ? found : found.toReversed()).toEqual(expected)
        // Nothing is passed over but what was counted.
        expect(range?.skip ?? 0).toBeLessThan(countedMax)
      }),
    )
  })
})
