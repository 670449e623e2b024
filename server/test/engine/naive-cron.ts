/** Cron by its definition and nothing clever: every minute is looked at. The judge over the quick calculation. */

const minuteMs = 60_000
const limits = [
  [0, 59],
  [0, 23],
  [1, 31],
  [1, 12],
  [0, 7],
] as const

function fieldContains(field: string, value: number, [min, max]: readonly [number, number]): boolean {
  return field.split(',').some((part) => {
    const [range, step] = part.split('/')
    const [from, to] = range === '*' ? [min, max] : range!.split('-').map(Number)
    const last = to ?? (step === undefined ? from! : max)
    return value >= from! && value <= last && (value - from!) % Number(step ?? 1) === 0
  })
}

/** Whether a wall time, written as if it were UTC, fits an expression of numbers. */
export function matchesCron(cron: string, wall: number): boolean {
  const date = new Date(wall)
  const [minute, hour, day, month, weekday] = cron.split(' ') as [string, string, string, string, string]
  const isDay = fieldContains(day, date.getUTCDate(), limits[2])
  const weekdays = date.getUTCDay() === 0 ? [0, 7] : [date.getUTCDay()]
  const isWeekday = weekdays.some((value) => fieldContains(weekday, value, limits[4]))
  const isAny = (field: string) => field === '*' || field === '*/1'
  const fitsDay = !isAny(day) && !isAny(weekday) ? isDay || isWeekday : isDay && isWeekday
  return (
    fitsDay &&
    fieldContains(minute, date.getUTCMinutes(), limits[0]) &&
    fieldContains(hour, date.getUTCHours(), limits[1]) &&
    fieldContains(month, date.getUTCMonth() + 1, limits[3])
  )
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
