import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { blockRetryDelayMs, isSkippedAfterErrors, webhookRetryDelayMs } from '../../src/engine/run/backoff.ts'

describe('waiting after errors', () => {
  test('webhook requests wait 30 s, doubling, at most an hour', () => {
    expect([1, 2, 3, 4, 7].map((errors) => webhookRetryDelayMs(errors, 0.5))).toEqual([
      30_000, 60_000, 120_000, 240_000, 1_920_000,
    ])
    expect(webhookRetryDelayMs(8, 0.999_999)).toBeLessThanOrEqual(3_600_000)
    expect(webhookRetryDelayMs(2_000, 0)).toBeGreaterThan(2_900_000)
  })

  test('jitter spreads by a tenth and never beyond the limit', () => {
    const jitter = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true })
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 100_000 }), jitter, (errors, spread) => {
        const delay = webhookRetryDelayMs(errors, spread)
        const middle = webhookRetryDelayMs(errors, 0.5)
        expect(Math.abs(delay - middle)).toBeLessThanOrEqual(middle * 0.1 + 1)
        expect(delay).toBeLessThanOrEqual(3_600_000)
        expect(delay).toBeGreaterThanOrEqual(27_000)
      }),
    )
  })

  test('a request is skipped when its errors reach the limit, and never when the limit is 0', () => {
    expect([4, 5, 6].map((errors) => isSkippedAfterErrors(errors, 5))).toEqual([false, true, true])
    expect(isSkippedAfterErrors(1_000_000, 0)).toBe(false)
  })

  test('a block is tried again after two worker deaths and given up at the third', () => {
    expect(blockRetryDelayMs(1, 0.5)).toBe(500)
    expect(blockRetryDelayMs(2, 0.5)).toBe(1_000)
    expect(blockRetryDelayMs(3, 0.5)).toBeNull()
  })
})
