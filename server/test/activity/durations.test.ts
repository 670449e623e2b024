import fc from 'fast-check'
import { expect, it } from 'vitest'
import {
  addDuration,
  addPacked,
  countPacked,
  type Durations,
  noDurations,
  packDurations,
  percentileOf,
} from '../../src/activity/durations.ts'

const values = fc.array(fc.integer({ min: 0, max: 900_000 }), { minLength: 1, maxLength: 200 })

function histogramOf(list: readonly number[]): Durations {
  const durations: Durations = new Map()
  for (const value of list) addDuration(durations, value)
  return durations
}

/** As statistics read them: packed histograms of parts, one after the other. */
function percentileOfParts(parts: readonly (readonly number[])[], share: number): number | null {
  const counts = noDurations()
  const packed = parts.flatMap((part) => packDurations(histogramOf(part)) ?? [])
  countPacked(counts, Buffer.concat(packed))
  return percentileOf(counts, share)
}

it('a percentile is within 6.25 % of the one of the values themselves', () => {
  fc.assert(
    fc.property(values, values, fc.constantFrom(0.5, 0.95, 1), (some, others, share) => {
      const list = [...some, ...others]
      const exact = list.toSorted((one, other) => one - other)[Math.ceil(list.length * share) - 1] as number
      const found = percentileOfParts([some, others], share) as number
      expect(Math.abs(found - exact)).toBeLessThanOrEqual(exact < 8 ? 0 : exact * 0.0625)
    }),
  )
})

it('packed histograms add up to the histogram of all values', () => {
  fc.assert(
    fc.property(values, values, (one, other) => {
      const sum: Durations = new Map()
      for (const part of [one, other]) addPacked(sum, packDurations(histogramOf(part)))
      expect(packDurations(sum)).toEqual(packDurations(histogramOf([...one, ...other])))
    }),
  )
})

it('nothing has no percentile, and no bytes', () => {
  expect([percentileOf(noDurations(), 0.5), packDurations(new Map())]).toEqual([null, null])
})

it('what took longer than twelve days is counted as twelve days', () => {
  expect(percentileOfParts([[Number.MAX_SAFE_INTEGER]], 0.5)).toBeGreaterThan(11 * 86_400_000)
})
