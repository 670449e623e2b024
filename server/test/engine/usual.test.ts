import fc from 'fast-check'
import { expect, it } from 'vitest'
import { learnUsual } from '../../src/engine/usual.ts'

it('knows nothing from fewer than four samples', () => {
  expect(learnUsual([10, 10, 10])).toBeUndefined()
  expect(learnUsual([10, 10, 10, 10])).toEqual({ median: 10, lowest: 5, highest: 15 })
})

it('is not moved by a few samples that are absurd', () => {
  const quiet = [100, 104, 96, 98, 102, 99, 101]
  expect(learnUsual([...quiet, 0, 1_000_000])).toMatchObject({ median: 100, lowest: 50, highest: 150 })
})

it('grows with the spread, and never calls the median unusual', () => {
  expect(learnUsual([10, 60, 110, 160, 210])?.highest).toBeGreaterThan(300)
  fc.assert(
    fc.property(fc.array(fc.nat(10_000), { minLength: 4, maxLength: 50 }), (samples) => {
      const { median, lowest, highest } = learnUsual(samples) as NonNullable<ReturnType<typeof learnUsual>>
      expect(lowest).toBeLessThanOrEqual(median)
      expect(highest).toBeGreaterThanOrEqual(median)
    }),
  )
})

it('lets small numbers differ by two', () => {
  expect(learnUsual([1, 1, 1, 1])).toEqual({ median: 1, lowest: 0, highest: 3 })
})
