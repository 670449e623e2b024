import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { nextTicks as nextTicksOfService, parseSchedule } from '../../server/src/engine/time/schedule.ts'
import { nextTicks } from '../src/schedules/next-ticks.ts'
import { scheduleWords } from '../src/schedules/schedule-words.ts'
import { usualSchedules } from '../src/schedules/usual-schedules.ts'

describe('a schedule in words', () => {
  it.each([
    ['hourly', 'Every hour'],
    ['Daily', 'Every day at 00:00'],
    ['weekly', 'Every Monday at 00:00'],
    ['monthly', 'Day 1 of every month at 00:00'],
    ['* * * * *', 'Every minute'],
    ['*/15 * * * *', 'Every 15 minutes'],
    ['7 * * * *', 'Every hour at minute 7'],
    ['0 */4 * * *', 'Every 4 hours'],
    ['30 6 * * *', 'Every day at 06:30'],
    ['0 9 * * 1-5', 'Weekdays at 09:00'],
    ['0 9 * * 0', 'Every Sunday at 09:00'],
    ['0 9 * * 7', 'Every Sunday at 09:00'],
    ['5 4 1 * *', 'Day 1 of every month at 04:05'],
  ])('%s is "%s"', (frequency, words) => {
    expect(scheduleWords(frequency)).toBe(words)
  })

  it.each(['0 9 1 6 *', '0 9,18 * * *', '0 0 1 * 1', 'nonsense', '0 0 * *', '0 0 * * * *', '*/5 3 * * *'])(
    'stays %s where it cannot be said shortly',
    (frequency) => {
      expect(scheduleWords(frequency)).toBe(frequency)
    },
  )
})

describe('the next times that the console shows', () => {
  const from = Date.parse('2026-03-27T10:00:00Z')

  it.each(['sometimes', '0 0 * *', '60 * * * *', '5-1 * * * *', '*/0 * * * *'])('are unknown for %s', (frequency) => {
    expect(nextTicks(frequency, 'UTC', 3, from)).toBeUndefined()
  })

  it.each(usualSchedules)('are known for $label', ({ value }) => {
    expect(nextTicks(value, 'Europe/Berlin', 3, from)).toHaveLength(3)
  })

  it('are unknown in a zone that does not exist', () => {
    expect(nextTicks('daily', 'Mars/Olympus', 3, from)).toBeUndefined()
  })

  it('are those of the service', () => {
    const minutes = fc.constantFrom('0', '*/20', '5,35', '10-12')
    const hours = fc.constantFrom('*', '6', '*/5', '8-10')
    const days = fc.constantFrom('* * *', '* * 1-5', '1 * *', '15 * 0', '* 2 *', '* * 7')
    fc.assert(
      fc.property(minutes, hours, days, fc.nat(300), (minute, hour, rest, day) => {
        const frequency = `${minute} ${hour} ${rest}`
        const fromMs = from + day * 86_400_000
        const parsed = parseSchedule(frequency, null)
        if (!parsed.ok) throw new Error(`${frequency} was refused`)
        const expected = nextTicksOfService(parsed.value, new Date(fromMs), 3).map((tick) => tick.toISOString())
        expect(nextTicks(frequency, 'UTC', 3, fromMs), frequency).toEqual(expected)
      }),
      { numRuns: 60 },
    )
  })
})
