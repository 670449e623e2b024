/**
 * When a workflow runs by itself. Ticks are whole minutes of the wall clock of the schedule's zone, UTC unless it has
 * one. When both day fields are restricted, a day that fits either counts, as in every cron.
 *
 * Daylight saving follows the habit of Vixie cron:
 * - A schedule for every hour (the hour field covers all 24) keeps to real time: it ticks in both passes of a repeated
 *   hour, and a skipped hour has no ticks.
 * - A schedule for certain hours keeps to its appointments: a time that comes twice ticks the first time only, and
 *   times that the clock skips become one tick at the moment of the jump.
 */
import { CronExpressionParser } from 'cron-parser'
import { accept, type Checked, refuse } from '../problem.ts'
import { expandCron } from './cron-fields.ts'
import { findJump, isTimeZone, momentOf, momentsOf, offsetAt } from './time-zone.ts'

const frequencyWords = {
  hourly: '0 * * * *',
  daily: '0 0 * * *',
  weekly: '0 0 * * 1',
  monthly: '0 0 1 * *',
} as const

export type Schedule = {
  /** As it is stored and answered: the word, or the cron expression with single spaces. */
  readonly frequency: string
  /** The expression as lists of numbers, which is what ticks are computed from. */
  readonly expandedCron: string
  readonly timeZone: string | null
  readonly isEveryHour: boolean
}

/** A missed tick older than this is not made up for. */
const missedTickMs = 3_600_000

/** Every combination of day, month and weekday that exists at all comes within the 40 years after this moment. */
const calendarStart = Date.UTC(2000, 0, 1) - 1
const repeatedMs = 24 * 3_600_000

export function parseSchedule(scheduleFrequency: string, timeZone: string | null = null): Checked<Schedule> {
  const text = scheduleFrequency.trim().replace(/\s+/g, ' ')
  const word = text.toLowerCase()
  const isWord = Object.hasOwn(frequencyWords, word)
  const cron = isWord ? frequencyWords[word as keyof typeof frequencyWords] : text
  const expanded = expandCron(cron)
  if (!expanded.ok) return expanded
  if (timeZone !== null && !isTimeZone(timeZone)) {
    return refuse({ message: `Unknown time zone "${timeZone}". Use an IANA name such as Europe/Oslo.` })
  }
  try {
    CronExpressionParser.parse(expanded.value, { currentDate: new Date(calendarStart), tz: 'UTC' }).next()
  } catch {
    return refuse({ message: `The scheduleFrequency "${cron}" matches no day that exists in any year.` })
  }
  const hours = expanded.value.split(' ')[1]!
  const isEveryHour = hours === '*' || hours.split(',').length === 24
  return accept({ frequency: isWord ? word : cron, expandedCron: expanded.value, timeZone, isEveryHour })
}

/** The first tick after a moment. */
export function nextTick(schedule: Schedule, after: Date): Date {
  const moment = after.getTime()
  const zone = schedule.timeZone
  if (zone === null) return new Date(wallTicks(schedule, moment).next().value)
  return new Date(
    schedule.isEveryHour ? nextInRealTime(schedule, zone, moment) : nextAppointment(schedule, zone, moment),
  )
}

/** The coming ticks, as a console shows them before a schedule is saved. */
export function nextTicks(schedule: Schedule, after: Date, count = 5): Date[] {
  const ticks: Date[] = []
  for (let last = after; ticks.length < count; ticks.push(last)) last = nextTick(schedule, last)
  return ticks
}

/**
 * The tick to make up for after an outage: the latest one up to `now` that is at most an hour old and comes after the
 * last tick that was handled. Null when there is none.
 */
export function latestMissedTick(schedule: Schedule, lastHandled: Date | null, now: Date): Date | null {
  const handled = lastHandled?.getTime() ?? Number.NEGATIVE_INFINITY
  // Looking back in growing steps finds the last tick of a dense schedule without walking through the whole hour.
  for (let backMs = 60_000; ; backMs = Math.min(backMs * 2, missedTickMs)) {
    const from = new Date(Math.max(handled, now.getTime() - backMs - 1))
    let latest: Date | null = null
    for (let tick = nextTick(schedule, from); tick <= now; tick = nextTick(schedule, tick)) latest = tick
    if (latest || backMs === missedTickMs) return latest
  }
}

function nextAppointment(schedule: Schedule, zone: string, moment: number): number {
  for (const wall of wallTicks(schedule, moment + offsetAt(zone, moment))) {
    const tick = momentOf(zone, wall)
    // In the second pass of a repeated hour the coming wall times have had their tick in the first.
    if (tick > moment) return tick
  }
  throw neverEnds()
}

function nextInRealTime(schedule: Schedule, zone: string, moment: number): number {
  const tick = firstExisting(schedule, zone, moment)
  // When the clock falls back before that tick, wall times that have passed come once more.
  const jump = findJump(zone, moment, moment + repeatedMs)
  if (jump === undefined || jump > tick || offsetAt(zone, jump) > offsetAt(zone, moment)) return tick
  const offset = offsetAt(zone, jump)
  return Math.min(tick, wallTicks(schedule, jump + offset - 1).next().value - offset)
}

function firstExisting(schedule: Schedule, zone: string, moment: number): number {
  for (const wall of wallTicks(schedule, moment + offsetAt(zone, moment))) {
    const tick = momentsOf(zone, wall).find((candidate) => candidate > moment)
    if (tick !== undefined) return tick
  }
  throw neverEnds()
}

/** The wall times of a schedule after one; a checked schedule never runs out of them. */
function* wallTicks(schedule: Schedule, afterWall: number): Generator<number, never> {
  const parsed = CronExpressionParser.parse(schedule.expandedCron, { currentDate: new Date(afterWall), tz: 'UTC' })
  for (;;) yield parsed.next().getTime()
}

function neverEnds(): Error {
  return new Error('A schedule ran out of ticks.')
}
