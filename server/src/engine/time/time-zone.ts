/**
 * Moments and wall clocks. A moment is milliseconds since 1970; a wall time is what a clock on the wall shows, written
 * as the moment at which a clock in UTC would show the same. Where a zone jumps forward some wall times do not exist;
 * where it falls back some exist twice.
 */
const formats = new Map<string, Intl.DateTimeFormat>()

/** Wider than every offset (14 hours) and every jump (24 hours, at the date line) together. */
const aroundMs = 48 * 3_600_000

/** Names of the IANA database only: an offset such as +01:00 would silently know no daylight saving. */
export function isTimeZone(name: string): boolean {
  if (!/^[A-Za-z]/.test(name)) return false
  try {
    formatFor(name)
    return true
  } catch {
    return false
  }
}

/** How far the zone's wall clock is ahead of UTC at a moment. */
export function offsetAt(zone: string, moment: number): number {
  // "3/29/2026, 02:30:00": reading the text is several times faster than asking for its parts.
  const [month, day, year, hour, minute, second] = formatFor(zone).format(moment).match(/\d+/g)!.map(Number)
  const wall = Date.UTC(year!, month! - 1, day!, hour!, minute!, second!)
  return wall - Math.floor(moment / 1000) * 1000
}

/**
 * The moments at which the zone's clock shows a wall time: none in a gap, two in a repeated hour. Earliest first, because the hour passes with the
 * old offset before it passes with the new one.
 */
export function momentsOf(zone: string, wall: number): number[] {
  const offsets = new Set([offsetAt(zone, wall - aroundMs), offsetAt(zone, wall + aroundMs)])
  return [...offsets].map((offset) => wall - offset).filter((moment) => moment + offsetAt(zone, moment) === wall)
}

/** The first moment after which the offset is no longer that of `from`; undefined when it is the same at `to`. */
export function findJump(zone: string, from: number, to: number): number | undefined {
  const before = offsetAt(zone, from)
  if (offsetAt(zone, to) === before) return undefined
  let low = from
  let high = to
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2)
    if (offsetAt(zone, middle) === before) low = middle
    else high = middle
  }
  return high
}

/**
 * The one moment that stands for a wall time: the first one where it exists twice, and the jump itself where the clock
 * skips it. This never runs backwards: a later wall time never stands for an earlier moment.
 */
export function momentOf(zone: string, wall: number): number {
  const [first] = momentsOf(zone, wall)
  // A wall time without a moment was skipped, so there is a jump.
  return first ?? (findJump(zone, wall - aroundMs, wall + aroundMs) as number)
}

function formatFor(zone: string): Intl.DateTimeFormat {
  const known = formats.get(zone)
  if (known) return known
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    calendar: 'gregory',
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  })
  formats.set(zone, format)
  return format
}
