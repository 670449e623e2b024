// The next times of a schedule, so that one sees what one is about to save. The service computes its own; this reads the same five fields.
const names: Record<string, string> = {
  hourly: '0 * * * *',
  daily: '0 0 * * *',
  weekly: '0 0 * * 1',
  monthly: '0 0 1 * *',
}
const ranges: [number, number][] = [
  [0, 59],
  [0, 23],
  [1, 31],
  [1, 12],
  [0, 7],
]
const minuteMs = 60_000
/** Schedules that come rarer than this are left to the service. */
const minutesMax = 366 * 24 * 60

/** ISO times, or undefined when this form is not understood here. */
export function nextTicks(
  frequency: string,
  timeZone: string,
  count: number,
  fromMs = Date.now(),
): string[] | undefined {
  const fields = (names[frequency.toLowerCase()] ?? frequency).trim().split(/\s+/)
  if (fields.length !== 5) return undefined
  const sets = fields.map((field, index) => valuesOf(field, ranges[index] as [number, number]))
  if (sets.includes(undefined)) return undefined
  const [minutes, hours, days, months, weekdays] = sets as Set<number>[] as [
    Set<number>,
    Set<number>,
    Set<number>,
    Set<number>,
    Set<number>,
  ]
  const clock = clockOf(timeZone)
  if (!clock) return undefined
  const [anyDay, anyWeekday] = [fields[2] === '*', fields[4] === '*']
  const ticks: string[] = []
  let ms = Math.ceil((fromMs + 1) / minuteMs) * minuteMs
  for (let step = 0; step < minutesMax && ticks.length < count; step++) {
    const at = clock(ms)
    const isDay = days.has(at.day)
    const isWeekday = weekdays.has(at.weekday) || (at.weekday === 0 && weekdays.has(7))
    // As cron does: with both given, either is enough.
    const isRightDay = anyDay ? isWeekday : anyWeekday ? isDay : isDay || isWeekday
    if (!months.has(at.month) || !isRightDay) {
      ms += (60 - at.minute) * minuteMs
      step += 59 - at.minute
      continue
    }
    if (!hours.has(at.hour)) {
      ms += (60 - at.minute) * minuteMs
      continue
    }
    if (minutes.has(at.minute)) ticks.push(new Date(ms).toISOString())
    ms += minuteMs
  }
  return ticks
}

function valuesOf(field: string, [low, high]: [number, number]): Set<number> | undefined {
  const values = new Set<number>()
  for (const part of field.split(',')) {
    const match = /^(\*|\d+)(?:-(\d+))?(?:\/(\d+))?$/.exec(part)
    if (!match) return undefined
    const [, start, end, step] = match
    const from = start === '*' ? low : Number(start)
    const to = end !== undefined ? Number(end) : start === '*' || step !== undefined ? high : from
    const stride = Number(step ?? 1)
    if (from < low || to > high || from > to || stride < 1) return undefined
    for (let value = from; value <= to; value += stride) values.add(value)
  }
  return values
}

type Clock = (ms: number) => { minute: number; hour: number; day: number; month: number; weekday: number }
const weekdayNames = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat']

function clockOf(timeZone: string): Clock | undefined {
  if (timeZone === 'UTC') {
    return (ms) => {
      const at = new Date(ms)
      return {
        minute: at.getUTCMinutes(),
        hour: at.getUTCHours(),
        day: at.getUTCDate(),
        month: at.getUTCMonth() + 1,
        weekday: at.getUTCDay(),
      }
    }
  }
  try {
    const format = new Intl.DateTimeFormat('en-US', {
      timeZone,
      hourCycle: 'h23',
      weekday: 'short',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
    })
    return (ms) => {
      const parts = Object.fromEntries(format.formatToParts(ms).map(({ type, value }) => [type, value]))
      return {
        minute: Number(parts['minute']),
        hour: Number(parts['hour']),
        day: Number(parts['day']),
        month: Number(parts['month']),
        weekday: weekdayNames.indexOf(parts['weekday'] ?? ''),
      }
    }
  } catch {
    return undefined
  }
}
