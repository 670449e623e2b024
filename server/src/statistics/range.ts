import { type BucketUnit, cutIntoBuckets } from '../engine/time/time-buckets.ts'
import { isTimeZone } from '../engine/time/time-zone.ts'
import { invalid } from '../lib/app-error.ts'

const bucketsMax = 1_000

export type GivenRange = { searchFrom: string; searchTo: string; bucket: BucketUnit; timeZone?: string }

/** The beginnings of all buckets in the range, and the end of the last one. */
export function readBuckets({ searchFrom, searchTo, bucket, timeZone = 'UTC' }: GivenRange): number[] {
  const from = Date.parse(searchFrom)
  const to = Date.parse(searchTo)
  if (!(from < to)) throw invalid('The field searchTo must be later than searchFrom.')
  if (!isTimeZone(timeZone)) throw invalid(`Unknown time zone "${timeZone}". Use an IANA name such as Europe/Oslo.`)
  const edges = cutIntoBuckets({ from, to }, bucket, timeZone, bucketsMax)
  if (!edges) throw invalid(`The range has more than ${bucketsMax} buckets. Choose a shorter range or a larger bucket.`)
  return edges
}
