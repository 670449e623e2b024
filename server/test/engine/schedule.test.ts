import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { latestMissedTick, nextTick, nextTicks, parseSchedule } from '../../src/engine/time/schedule.ts'
import { acceptedOf, refusalOf } from './chain-samples.ts'
import { matchesCron, ticksByScanning, wallClockAround } from './naive-cron.ts'

const schedule = (frequency: string, timeZone: string | null = null) => acceptedOf(parseSchedule(frequency, timeZone))
const at = (text: string) => new Date(`${text}Z`)
const short = (dates: Date[]) => dates.map((date) => date.toISOString().slice(0, 16))
const minuteMs = 60_000

describe('frequency', () => {
  test.each([
    ['hourly', '0 * * * *'],
    ['daily', '0 0 * * *'],
    ['weekly', '0 0 * * 1'],
    ['monthly', '0 0 1 * *'],
    ['Daily', '0 0 * * *'],
    [' 5  4 * *   sun ', '5 4 * * 0'],
    ['*/15 8-10 * jan-mar,DEC mon-FRI', '0,15,30,45 8,9,10 * 1,2,3,12 1,2,3,4,5'],
    ['0 0 29 2 *', '0 0 29 2 *'],
    ['10/20 * * * 7', '10,30,50 * * * 0'],
    ['1-5,3,4-6 */1 * * 5-7', '1,2,3,4,5,6 * * * 0,5,6'],
    ['0 0 * * */2', '0 0 * * 0,2,4,6'],
    ['0 0 * * 1/2', '0 0 * * 1,3,5'],
  ])('%s is %s', (frequency, cron) => {
    expect(schedule(frequency).expandedCron).toBe(cron)
  })

  test('keeps the word or the cleaned expression for answers', () => {
    expect(schedule(' WEEKLY ').frequency).toBe('weekly')
    expect(schedule('0  5 * * *').frequency).toBe('0 5 * * *')
  })

  test.each([
    '',
    'yearly',
    'every day',
    '@daily',
    '@hourly',
    '* * * *',
    '* * * * * *',
    '0 0 0 1 1 * 2026',
    '60 * * * *',
    '* 24 * * *',
    '* * 0 * *',
    '* * 32 * *',
    '* * * 0 *',
    '* * * 13 *',
    '* * * * 8',
    '-1 * * * *',
    '5-1 * * * *',
    '1-5-9 * * * *',
    '*/0 * * * *',
    '*/90 * * * *',
    '*/5/5 * * * *',
    '1, * * * *',
    ',1 * * * *',
    '1.5 * * * *',
    'H * * * *',
    '? * * * *',
    '0 0 L * *',
    '0 0 15W * *',
    '0 0 * * 1#2',
    '0 0 * * 5L',
    '0 0 * foo *',
    '0 0 * * monday',
    'jan * * * *',
    '0 0 * 7 jan',
    '0 0 30 2 *',
    '0 0 31 4,6,9,11 *',
    '0x1 * * * *',
    `${'0,'.repeat(200)}0 * * * *`,
  ])('"%s" is refused with a sentence', (frequency) => {
    expect(refusalOf(parseSchedule(frequency))).toMatch(/scheduleFrequency.*\.$/)
  })

  const refusedAs = (field: string, text: string, why: string) =>
    `The ${field} field "${text}" of scheduleFrequency is not valid: ${why}.`

  test.each([
    ['60 * * * *', refusedAs('minute', '60', '"60" is not between 0 and 59')],
    ['5-60 * * * *', refusedAs('minute', '5-60', '"5-60" is not between 0 and 59')],
    ['70-80 * * * *', refusedAs('minute', '70-80', '"70-80" is not between 0 and 59')],
    ['0,5,60 * * * *', refusedAs('minute', '0,5,60', '"60" is not between 0 and 59')],
    ['* 24 * * *', refusedAs('hour', '24', '"24" is not between 0 and 23')],
    ['* * 0 * *', refusedAs('day of month', '0', '"0" is not between 1 and 31')],
    ['* * * foo *', refusedAs('month', 'foo', '"foo" is not between 1 and 12')],
    ['* * * * 8', refusedAs('day of week', '8', '"8" is not between 0 and 7')],
    ['jan * * * *', refusedAs('minute', 'jan', '"jan" is not between 0 and 59')],
    ['* 5-1 * * *', refusedAs('hour', '5-1', 'the range "5-1" runs backwards')],
    ['*/60 * * * *', refusedAs('minute', '*/60', 'the step of "*/60" must be between 1 and 59')],
    ['*/0 * * * *', refusedAs('minute', '*/0', 'the step of "*/0" must be between 1 and 59')],
    ['* * */31 * *', refusedAs('day of month', '*/31', 'the step of "*/31" must be between 1 and 30')],
    ['* * 1.5 * *', refusedAs('day of month', '1.5', '"1.5" is not a number, a range, a step or *')],
    [
      '60 24 * * *',
      `${refusedAs('minute', '60', '"60" is not between 0 and 59')} ${refusedAs('hour', '24', '"24" is not between 0 and 23')}`,
    ],
  ])('"%s" is refused: %s', (frequency, sentence) => {
    expect(refusalOf(parseSchedule(frequency))).toBe(sentence)
  })

  test.each([
    ['sometimes', '"sometimes" has 1 field.'],
    ['0 5', '"0 5" has 2 fields.'],
    ['0 0 30 2 *', 'The scheduleFrequency "0 0 30 2 *" matches no day that exists in any year.'],
  ])('"%s" is refused because: %s', (frequency, end) => {
    expect(refusalOf(parseSchedule(frequency)).endsWith(end)).toBe(true)
  })

  test('has up to 200 characters', () => {
    const long = (length: number) => `${'0,'.repeat(95)}${'0'.repeat(length - 198)} * * * *`
    expect(long(200)).toHaveLength(200)
    expect(schedule(long(200)).expandedCron).toBe('0 * * * *')
    expect(refusalOf(parseSchedule(long(201)))).toContain('must have at most 200 characters')
  })

  test.each([
    ['*/59 * * * *', '0,59 * * * *'],
    ['* * */30 * *', '* * 1,31 * *'],
    ['30,5,10 * * * *', '5,10,30 * * * *'],
  ])('%s is written out as %s', (frequency, cron) => {
    expect(schedule(frequency).expandedCron).toBe(cron)
  })

  test.each(['Mars/Olympus', '+01:00', '', 'Europe', '../etc'])('"%s" is no time zone', (zone) => {
    expect(refusalOf(parseSchedule('daily', zone))).toContain('Unknown time zone')
  })
})

describe('ticks in UTC', () => {
  test('come strictly after the given moment', () => {
    expect(nextTick(schedule('hourly'), at('2026-01-01T10:00:00')).toISOString()).toBe('2026-01-01T11:00:00.000Z')
    expect(nextTick(schedule('hourly'), at('2026-01-01T09:59:59.999')).toISOString()).toBe('2026-01-01T10:00:00.000Z')
  })

  test('five of them', () => {
    expect(short(nextTicks(schedule('weekly'), at('2026-01-01T00:00:00')))).toEqual([
      '2026-01-05T00:00',
      '2026-01-12T00:00',
      '2026-01-19T00:00',
      '2026-01-26T00:00',
      '2026-02-02T00:00',
    ])
  })

  test('with both day fields restricted, either is enough', () => {
    expect(short(nextTicks(schedule('0 0 13 * 5'), at('2026-03-01T00:00:00'), 4))).toEqual([
      '2026-03-06T00:00',
      '2026-03-13T00:00',
      '2026-03-20T00:00',
      '2026-03-27T00:00',
    ])
  })

  test('leap days come every four years, and not in 2100', () => {
    expect(short(nextTicks(schedule('0 12 29 2 *'), at('2095-01-01T00:00:00'), 3))).toEqual([
      '2096-02-29T12:00',
      '2104-02-29T12:00',
      '2108-02-29T12:00',
    ])
  })

  test('are those that scanning minute by minute finds', () => {
    const field = (min: number, max: number) => {
      const number = fc.integer({ min, max })
      const range = fc.tuple(number, number).map(([one, other]) => `${Math.min(one, other)}-${Math.max(one, other)}`)
      const step = fc.integer({ min: 1, max: max - min })
      const part = fc.oneof(
        fc.constant('*'),
        number.map(String),
        range,
        step.map((by) => `*/${by}`),
        fc.tuple(range, step).map(([from, by]) => `${from}/${by}`),
      )
      return fc.oneof(
        fc.constant('*'),
        fc.array(part, { minLength: 1, maxLength: 3 }).map((parts) => parts.join(',')),
      )
    }
    const cron = fc
      .tuple(field(0, 59), field(0, 23), field(1, 28), field(1, 12), field(0, 7))
      .map((fields) => fields.join(' '))
    const start = fc.integer({ min: at('2024-01-01T00:00:00').getTime(), max: at('2032-01-01T00:00:00').getTime() })
    fc.assert(
      fc.property(cron, start, (expression, from) => {
        const tick = nextTick(schedule(expression), new Date(from)).getTime()
        expect(tick).toBeGreaterThan(from)
        expect(tick % minuteMs).toBe(0)
        expect(matchesCron(expression, tick)).toBe(true)
        const first = Math.floor(from / minuteMs) * minuteMs + minuteMs
        // Scanning years would take too long; five days in front of the tick are enough to catch one that was skipped.
        for (let moment = Math.max(first, tick - 5 * 1440 * minuteMs); moment < tick; moment += minuteMs) {
          if (matchesCron(expression, moment)) throw new Error(`${expression} misses ${new Date(moment).toISOString()}`)
        }
      }),
      { numRuns: 150 },
    )
  })
})

describe('ticks over a change of the clock', () => {
  const berlin = 'Europe/Berlin'

  test('a time that the clock skips ticks once, at the moment of the jump', () => {
    expect(short(nextTicks(schedule('30 2 * * *', berlin), at('2026-03-28T12:00:00'), 2))).toEqual([
      '2026-03-29T01:00',
      '2026-03-30T00:30',
    ])
    expect(short(nextTicks(schedule('*/10 2 * * *', berlin), at('2026-03-29T00:00:00'), 2))).toEqual([
      '2026-03-29T01:00',
      '2026-03-30T00:00',
    ])
  })

  test('a time that comes twice ticks the first time only, also when asked in between', () => {
    const daily = schedule('30 2 * * *', berlin)
    expect(short(nextTicks(daily, at('2026-10-24T12:00:00'), 2))).toEqual(['2026-10-25T00:30', '2026-10-26T01:30'])
    expect(short([nextTick(daily, at('2026-10-25T01:10:00'))])).toEqual(['2026-10-26T01:30'])
  })

  test('an hourly schedule keeps ticking every real hour', () => {
    const hourly = schedule('hourly', berlin)
    expect(short(nextTicks(hourly, at('2026-10-24T23:30:00'), 4))).toEqual([
      '2026-10-25T00:00',
      '2026-10-25T01:00',
      '2026-10-25T02:00',
      '2026-10-25T03:00',
    ])
    expect(short(nextTicks(hourly, at('2026-03-28T23:30:00'), 3))).toEqual([
      '2026-03-29T00:00',
      '2026-03-29T01:00',
      '2026-03-29T02:00',
    ])
  })

  const changes = [
    ['Europe/Berlin', '2026-03-29T01:00'],
    ['Europe/Berlin', '2026-10-25T01:00'],
    ['America/New_York', '2026-03-08T07:00'],
    ['America/New_York', '2026-11-01T06:00'],
    ['Australia/Lord_Howe', '2026-04-04T15:00'],
    ['Australia/Lord_Howe', '2026-10-03T15:30'],
    ['Africa/Cairo', '2026-04-23T22:00'],
    ['Africa/Cairo', '2026-10-29T21:00'],
    ['America/St_Johns', '2026-11-01T04:30'],
    ['Pacific/Apia', '2011-12-30T10:00'],
    ['Asia/Kolkata', '2026-03-29T01:00'],
  ] as const

  test.each(changes)('%s around %s has the ticks that scanning minute by minute finds', (zone, change) => {
    const clock = wallClockAround(zone, at(`${change}:00`).getTime(), 2)
    const minutes = fc.constantFrom('0', '*', '*/7', '30', '15,45', '0-20/10')
    const hours = fc.constantFrom('*', '0', '1', '2', '1-3', '*/2', '23', '0,2', '3', '0-23')
    const days = fc.constantFrom('* * *', '* * 0', '29 * *', '*/2 * *')
    const cron = fc.tuple(minutes, hours, days).map((fields) => fields.join(' '))
    fc.assert(
      fc.property(cron, fc.nat(1440), (expression, offset) => {
        const parsed = schedule(expression, zone)
        const from = clock.firstMoment + 720 * minuteMs + offset * minuteMs
        const expected = ticksByScanning(clock, expression, parsed.isEveryHour).filter((moment) => moment > from)
        const found: number[] = []
        for (let tick = nextTick(parsed, new Date(from)); tick.getTime() <= clock.lastMoment && found.length < 25; ) {
          found.push(tick.getTime())
          tick = nextTick(parsed, tick)
        }
        expect(found, expression).toEqual(expected.slice(0, 25))
      }),
      { numRuns: 25 },
    )
  })
})

describe('the latest missed tick', () => {
  test('is the newest of those within one hour', () => {
    expect(latestMissedTick(schedule('*/20 * * * *'), null, at('2026-01-01T10:59:00'))).toEqual(
      at('2026-01-01T10:40:00'),
    )
    expect(latestMissedTick(schedule('* * * * *'), null, at('2026-01-01T10:59:30'))).toEqual(at('2026-01-01T10:59:00'))
  })

  test('is the tick of this very moment, and one exactly an hour old', () => {
    expect(latestMissedTick(schedule('daily'), null, at('2026-01-01T00:00:00'))).toEqual(at('2026-01-01T00:00:00'))
    expect(latestMissedTick(schedule('daily'), null, at('2026-01-01T01:00:00'))).toEqual(at('2026-01-01T00:00:00'))
    expect(latestMissedTick(schedule('daily'), null, at('2026-01-01T01:00:00.001'))).toBeNull()
  })

  test('is none when it was handled already', () => {
    const handled = at('2026-01-01T10:40:00')
    expect(latestMissedTick(schedule('*/20 * * * *'), handled, at('2026-01-01T10:59:00'))).toBeNull()
    expect(latestMissedTick(schedule('*/20 * * * *'), handled, at('2026-01-01T11:00:00'))).toEqual(
      at('2026-01-01T11:00:00'),
    )
  })

  test('agrees with walking through the whole hour', () => {
    const crons = fc.constantFrom(
      '* * * * *',
      '*/7 * * * *',
      '13 * * * *',
      '0,1,59 * * * *',
      '30 2 * * *',
      '5 */3 * * *',
    )
    const moment = fc.integer({ min: at('2026-10-24T00:00:00').getTime(), max: at('2026-10-26T00:00:00').getTime() })
    fc.assert(
      fc.property(
        crons,
        moment,
        fc.option(fc.nat(90)),
        fc.constantFrom(null, 'Europe/Berlin'),
        (cron, now, ago, zone) => {
          const parsed = schedule(cron, zone)
          const handled = ago === null ? null : new Date(now - ago * minuteMs)
          const earliest = Math.max(now - 60 * minuteMs - 1, handled?.getTime() ?? 0)
          let expected: Date | null = null
          for (let tick = nextTick(parsed, new Date(earliest)); tick.getTime() <= now; tick = nextTick(parsed, tick))
            expected = tick
          expect(latestMissedTick(parsed, handled, new Date(now))).toEqual(expected)
        },
      ),
      { numRuns: 100 },
    )
  })
})
