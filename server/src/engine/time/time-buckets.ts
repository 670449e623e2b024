// A range of time cut into minutes, hours, days or months as a clock on a wall in some zone shows them. A day may have 23 or 25 hours.
import { momentOf, offsetAt } from './time-zone.ts'

export type BucketUnit = 'minute' | 'hour' | 'day' | 'month'

const minuteMs = 60_000
const hourMs = 3_600_000
const dayMs = 24 * hourMs

/**
 * The beginnings of all buckets that a range touches, and the end of the last one. The range is widened to whole buckets. Undefined when
 * there would be more than `bucketsMax`.
 */
export function cutIntoBuckets(
  range: { from: number; to: number },
  unit: BucketUnit,
  zone: string,
  bucketsMax: number,
): number[] | undefined {
  const edges = [firstEdge(range.from, unit, zone)]
  for (let edge = edges[0] as number; edge < range.to; ) {
    if (edges.length > bucketsMax) return undefined
    edge = nextEdge(edge, unit, zone)
    edges.push(edge)
  }
  return edges
}

function firstEdge(from: number, unit: BucketUnit, zone: string): number {
  if (unit === 'minute') return from - mod(from, minuteMs)
  if (unit === 'hour') return from - mod(from + offsetAt(zone, from), hourMs)
  const edge = momentOf(zone, startOfDay(from + offsetAt(zone, from), unit))
  // Where a clock is set back over midnight, the day that has begun begins a second time.
  return Math.min(edge, from)
}

function nextEdge(edge: number, unit: BucketUnit, zone: string): number {
  if (unit === 'minute') return edge + minuteMs
  // Clocks jump at full hours. After a jump by half an hour the next hour is reached sooner.
  if (unit === 'hour') return edge + hourMs - mod(edge + offsetAt(zone, edge), hourMs)
  const offset = offsetAt(zone, edge)
  const wall = edge + offset
  // Mostly no clock is set in between. Asking for that alone makes a year several times cheaper.
  const guess = startOfNext(wall, unit, 1) - offset
  if (offsetAt(zone, guess) === offset) return guess
  // A day that the zone skipped, at the date line, has no bucket.
  for (let days = 1; ; days++) {
    const next = momentOf(zone, startOfNext(wall, unit, days))
    if (next > edge) return next
  }
}

function startOfDay(wall: number, unit: BucketUnit): number {
  const date = new Date(wall)
  return unit === 'month' ? Date.UTC(date.getUTCFullYear(), date.getUTCMonth()) : wall - mod(wall, dayMs)
}

function startOfNext(wall: number, unit: BucketUnit, steps: number): number {
  const date = new Date(wall)
  if (unit === 'month') return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + steps)
  return startOfDay(wall, unit) + steps * dayMs
}

function mod(value: number, size: number): number {
  return ((value % size) + size) % size
}
