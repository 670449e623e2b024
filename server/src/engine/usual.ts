/**
 * How many items are usual. The rule must survive days that were wrong themselves, so it asks for the median, and for the spread around it
 * by the median of the distances (MAD): neither moves when a few samples are absurd.
 *
 * - Samples are those at the same time of the week, give or take 90 minutes, of the last 30 days: four or five for a daily run. With fewer
 *   than four nothing is usual yet.
 * - Far outside is more than four standard deviations (MAD × 1.4826 for a normal spread), but never less than half of the median: where
 *   all samples are alike the spread is nothing, and one item more or less is no alarm. Nor is a difference of two items or less.
 */
const samplesMin = 4
const deviationOfMad = 1.4826

export type Usual = { median: number; lowest: number; highest: number }

/** Undefined while too little is known. */
export function learnUsual(samples: readonly number[]): Usual | undefined {
  if (samples.length < samplesMin) return undefined
  const median = medianOf(samples)
  const spread = medianOf(samples.map((sample) => Math.abs(sample - median))) * deviationOfMad
  const tolerance = Math.max(4 * spread, median / 2, 2)
  return { median, lowest: Math.max(0, Math.ceil(median - tolerance)), highest: Math.floor(median + tolerance) }
}

function medianOf(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other)
  const middle = sorted.length >> 1
  const upper = sorted[middle] as number
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] as number) + upper) / 2
}
