/** Cron by its definition and nothing clever: every minute is looked at. The judge over the quick calculation. */

const minuteMs = 60_000
const limits = [
  [0, 59],
  [0, 23],
  [1, 31],
  [1, 12],
  [0, 7],
] as const

type Field = readonly boolean[]

/** For every value of a field whether it is named. */
function readField(field: string, [min, max]: readonly [number, number]): Field {
  const isNamed = new Array<boolean>(max + 1).fill(false)
  for (const part of field.split(',')) {
    const [range, step] = part.split('/')
    const [from, to] = range === '*' ? [min, max] : range!.split('-').map(Number)
    const last = to ?? (step === undefined ? from! : max)
    for (let value = from!; value <= last; value += Number(step ?? 1)) isNamed[value] = true
  }
  return isNamed
}

type Cron = { fields: [Field, Field, Field, Field, Field]; needsBothDays: boolean }

const read = new Map<string, Cron>()

/** Reading an expression takes much longer than looking at a minute, and thousands of minutes are looked at. */
function readCron(cron: string): Cron {
  const known = read.get(cron)
  if (known) return known
  const texts = cron.split(' ')
  const fields = limits.map((limit, index) => readField(texts[index]!, limit)) as Cron['fields']
  const isAny = (field: string | undefined) => field === '*' || field === '*/1'
  const made = { fields, needsBothDays: isAny(texts[2]) || isAny(texts[4]) }
  read.set(cron, made)
  return made
}

/** Whether a wall time, written as if it were UTC, fits an expression of numbers. */
export function matchesCron(cron: string, wall: number): boolean {
  const date = new Date(wall)
  const { fields, needsBothDays } = readCron(cron)
  const [minute, hour, day, month, weekday] = fields
  if (!minute[date.getUTCMinutes()] || !hour[date.getUTCHours()] || !month[date.getUTCMonth() + 1]) return false
  const isDay = day[date.getUTCDate()] === true
  const isWeekday = weekday[date.getUTCDay()] === true || (date.getUTCDay() === 0 && weekday[7] === true)
  return needsBothDays ? isDay && isWeekday : isDay || isWeekday
}

export type WallClock = { firstMoment: number; lastMoment: number; walls: number[] }

/** What the clock of a zone shows at every minute of the days around a moment. */
export function wallClockAround(zone: string, moment: number, days: number): WallClock {
  // Swedish dates are written 2026-03-29 02:00:00, which is ISO but for the T.
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short', timeStyle: 'medium' })
  const firstMoment = moment - days * 1440 * minuteMs
  const lastMoment = moment + days * 1440 * minuteMs
  const walls: number[] = []
  for (let at = firstMoment; at <= lastMoment; at += minuteMs) {
    walls.push(Date.parse(`${format.format(at).replace(' ', 'T')}Z`))
  }
  return { firstMoment, lastMoment, walls }
}

/** The ticks by their description: appointments once each, skipped ones at the jump; or, hour by hour, real time. */
export function ticksByScanning(clock: WallClock, cron: string, isEveryHour: boolean): number[] {
  const ticks: number[] = []
  let latestWall = clock.walls[0]! - minuteMs
  for (const [index, wall] of clock.walls.entries()) {
    const moment = clock.firstMoment + index * minuteMs
    if (isEveryHour) {
      if (matchesCron(cron, wall)) ticks.push(moment)
      continue
    }
    let isTick = false
    for (let passed = latestWall + minuteMs; passed <= wall; passed += minuteMs) isTick ||= matchesCron(cron, passed)
    if (isTick) ticks.push(moment)
    latestWall = Math.max(latestWall, wall)
  }
  return ticks
}
