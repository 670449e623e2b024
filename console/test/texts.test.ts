import { describe, expect, it } from 'vitest'
import { byteText } from '../src/ui/byte-text.ts'
import { counted } from '../src/ui/counted.ts'
import { isTrue, numberIn, textIn } from '../src/ui/search-params.ts'
import { durationText, relativeTime } from '../src/ui/time-text.ts'

describe('a duration', () => {
  it.each([
    [0, '0 ms'],
    [999.4, '999 ms'],
    [999.6, '1.00 s'],
    [1000, '1.00 s'],
    [9_990, '9.99 s'],
    [9_999, '10.0 s'],
    [59_940, '59.9 s'],
    [59_960, '1 min 0 s'],
    [119_700, '2 min 0 s'],
    [61_000, '1 min 1 s'],
    [3_599_600, '1 h 0 min'],
    [7_199_000, '2 h 0 min'],
    [90 * 60_000, '1 h 30 min'],
  ])('of %d ms is "%s"', (ms, text) => {
    expect(durationText(ms)).toBe(text)
  })
})

describe('a time relative to now', () => {
  const now = Date.parse('2026-06-01T12:00:00Z')
  it.each([
    [0, 'just now'],
    [-30, 'just now'],
    [30, 'in 30 s'],
    [-60, '1 min ago'],
    [-3599, '59 min ago'],
    [7200, 'in 2 h'],
    [-86_400 * 8, '1 w ago'],
    [-86_400 * 400, '1 y ago'],
  ])('%i seconds away is "%s"', (seconds, text) => {
    expect(relativeTime(new Date(now + seconds * 1000).toISOString(), now)).toBe(text)
  })
})

describe('filters in the address', () => {
  it('are read where they fit, and left out where they do not', () => {
    expect(textIn({ q: 'orders', tag: '', state: 5 }, 'q', 'tag', 'state')).toEqual({ q: 'orders' })
    expect(isTrue({ paused: 'true', webhook: true, scheduled: 'yes' }, 'paused', 'webhook', 'scheduled')).toEqual({
      paused: true,
      webhook: true,
    })
    expect(numberIn({ page: '3', size: '-1', from: 'x', to: 1.5 }, 'page', 'size', 'from', 'to')).toEqual({ page: 3 })
  })
})

describe('amounts', () => {
  it.each([
    [0, '0 B'],
    [999, '999 B'],
    [1000, '1.0 KB'],
    [25_000, '25 KB'],
    [5_500_000, '5.5 MB'],
    [2_000_000_000_000_000, '2,000 TB'],
  ])('%i bytes are "%s"', (bytes, text) => {
    expect(byteText(bytes)).toBe(text)
  })

  it('are counted in words', () => {
    expect([counted(1, 'workflow'), counted(2000, 'workflow'), counted(0, 'entry', 'entries')]).toEqual([
      '1 workflow',
      '2,000 workflows',
      '0 entries',
    ])
  })
})
