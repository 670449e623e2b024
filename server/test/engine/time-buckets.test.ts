import { describe, expect, it } from 'vitest'
import { cutIntoBuckets } from '../../src/engine/time/time-buckets.ts'

const hours = 3_600_000
function cut(from: string, to: string, unit: 'minute' | 'hour' | 'day' | 'month', zone = 'UTC') {
  return cutIntoBuckets({ from: Date.parse(from), to: Date.parse(to) }, unit, zone, 1000)
}
function lengths(edges: readonly number[] | undefined): number[] {
  return (edges ?? []).slice(1).map((edge, index) => (edge - (edges?.[index] as number)) / hours)
}

describe('days', () => {
  it('have 23 hours when clocks go forward, and 25 when they go back', () => {
    expect(lengths(cut('2026-03-28T12:00:00Z', '2026-03-30T12:00:00Z', 'day', 'Europe/Oslo'))).toEqual([24, 23, 24])
    expect(lengths(cut('2026-10-24T12:00:00Z', '2026-10-26T12:00:00Z', 'day', 'Europe/Oslo'))).toEqual([24, 25, 24])
  })

  it('begin at midnight of the zone', () => {
    expect(cut('2026-05-01T00:00:00Z', '2026-05-01T01:00:00Z', 'day', 'Asia/Kathmandu')?.[0]).toBe(
      Date.parse('2026-04-30T18:15:00Z'),
    )
  })

  it('begin later where midnight is skipped, and are left out where the whole day was', () => {
    // Clocks in Beirut go forward at midnight.
    expect(lengths(cut('2026-03-28T12:00:00Z', '2026-03-29T12:00:00Z', 'day', 'Asia/Beirut'))).toEqual([24, 23])
    expect(lengths(cut('2011-12-29T12:00:00Z', '2011-12-31T12:00:00Z', 'day', 'Pacific/Apia'))).toEqual([24, 24, 24])
  })
})

describe('hours', () => {
  it('are 23 and 25 on such days, each of 60 minutes', () => {
    expect(lengths(cut('2026-03-28T23:00:00Z', '2026-03-29T22:00:00Z', 'hour', 'Europe/Oslo'))).toEqual(
      Array(23).fill(1),
    )
    expect(lengths(cut('2026-10-24T22:00:00Z', '2026-10-25T23:00:00Z', 'hour', 'Europe/Oslo'))).toEqual(
      Array(25).fill(1),
    )
  })

  it('begin at full hours of the zone, also after it moved by half an hour', () => {
    expect(cut('2026-05-01T00:00:00Z', '2026-05-01T00:10:00Z', 'hour', 'Asia/Kolkata')?.[0]).toBe(
      Date.parse('2026-04-30T23:30:00Z'),
    )
    // Lord Howe Island goes back from 02:00 to 01:30.
    const moved = cut('2026-04-04T13:30:00Z', '2026-04-04T17:30:00Z', 'hour', 'Australia/Lord_Howe')
    expect(lengths(moved)).toEqual([1, 1, 0.5, 1, 1])
  })
})

describe('a range', () => {
  it('is widened to whole buckets and ends with the one that holds its last moment', () => {
    expect(cut('2026-05-01T10:17:33Z', '2026-05-01T10:19:00Z', 'minute')).toEqual(
      ['10:17', '10:18', '10:19'].map((time) => Date.parse(`2026-05-01T${time}:00Z`)),
    )
    expect(cut('2026-01-31T10:00:00Z', '2026-03-01T00:00:00Z', 'month')).toEqual(
      ['2026-01', '2026-02', '2026-03'].map((month) => Date.parse(`${month}-01T00:00:00Z`)),
    )
  })

  it('has at most as many buckets as are allowed', () => {
    expect(cut('2026-05-01T00:00:00Z', '2026-05-01T16:40:00Z', 'minute')).toHaveLength(1001)
    expect(cut('2026-05-01T00:00:00Z', '2026-05-01T16:40:01Z', 'minute')).toBeUndefined()
    expect(cut('0001-01-01T00:00:00Z', '9999-12-31T00:00:00Z', 'minute')).toBeUndefined()
  })
})
