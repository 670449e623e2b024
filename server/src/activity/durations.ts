/**
 * How long runs took, as counts in buckets: exact below 8 ms, then 8 buckets for each doubling, so that a value read back is at most a
 * sixteenth off. Packed as five bytes for each bucket that is not empty: its index, then its count.
 *
 * Sums of such histograms are exact, which is what makes percentiles of a year out of those of its hours.
 */
const exactMs = 8
const stepsPerDoubling = 8
const entryBytes = 5
/** Two to the 30th is twelve days; nothing here runs longer, and an index stays in one byte. */
const durationMsMax = 2 ** 30 - 1

export type Durations = Map<number, number>

export function bucketOf(durationMs: number): number {
  const ms = Math.min(durationMsMax, Math.max(0, Math.round(durationMs)))
  if (ms < exactMs) return ms
  const doubling = 31 - Math.clz32(ms)
  return exactMs + (doubling - 3) * stepsPerDoubling + ((ms >> (doubling - 3)) & (stepsPerDoubling - 1))
}

/** The middle of a bucket. */
function middleOf(bucket: number): number {
  if (bucket < exactMs) return bucket
  const width = 2 ** Math.floor((bucket - exactMs) / stepsPerDoubling)
  return Math.round((stepsPerDoubling + ((bucket - exactMs) % stepsPerDoubling)) * width + (width - 1) / 2)
}

export function addDuration(durations: Durations, durationMs: number): void {
  const bucket = bucketOf(durationMs)
  durations.set(bucket, (durations.get(bucket) ?? 0) + 1)
}

export function packDurations(durations: Durations): Buffer | null {
  if (durations.size === 0) return null
  const bytes = Buffer.allocUnsafe(durations.size * entryBytes)
  let at = 0
  for (const [bucket, count] of [...durations].sort(([one], [other]) => one - other)) {
    at = bytes.writeUInt8(bucket, at)
    at = bytes.writeUInt32BE(count, at)
  }
  return bytes
}

export function addPacked(durations: Durations, packed: Buffer | null): void {
  for (let at = 0; packed && at < packed.length; at += entryBytes) {
    const bucket = packed[at] as number
    durations.set(bucket, (durations.get(bucket) ?? 0) + packed.readUInt32BE(at + 1))
  }
}

/** The same counts, with a place for every bucket there is: larger, but quicker to add to. */
export type DurationCounts = Float64Array

export function noDurations(): DurationCounts {
  return new Float64Array(bucketOf(durationMsMax) + 1)
}

/** Of one packed histogram, or of several one after the other. */
export function countPacked(counts: DurationCounts, packed: Buffer | null): void {
  for (let at = 0; packed && at < packed.length; at += entryBytes) {
    const bucket = packed[at] as number
    counts[bucket] = (counts[bucket] as number) + packed.readUInt32BE(at + 1)
  }
}

/** The smallest value that at least this share of all values does not exceed; null when there are none. */
export function percentileOf(counts: DurationCounts, share: number): number | null {
  const total = counts.reduce((sum, count) => sum + count, 0)
  if (total === 0) return null
  let left = Math.ceil(total * share)
  const bucket = counts.findIndex((count) => {
    left -= count
    return left <= 0
  })
  return middleOf(bucket)
}
