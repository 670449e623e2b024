// What the indexing thread does: texts become segments, segments become larger ones.
import {
  buildSegment,
  documentsMax,
  mergeSegments,
  type SearchDocument,
  type Segment,
} from '../index-format/segment.ts'
import { hashTerms } from '../index-format/term-hash.ts'
import { addTerms, textOfJson } from '../index-format/words.ts'

/** A payload may be JSON or not; whoever sent it knows. */
export type IndexText = { document: SearchDocument; text: string; format: 'json' | 'text' | 'unknown' }

export type IndexWork =
  | { kind: 'build'; key: Uint8Array; texts: readonly IndexText[] }
  | { kind: 'merge'; segments: readonly Record<'documents' | 'bucketOffsets' | 'postings', Uint8Array>[] }

/** A result of 5 MiB has about as many words; what a text holds beyond that cannot be found. */
const termsMax = 1_000_000

export function answerIndexWork(work: IndexWork): Segment[] {
  if (work.kind === 'merge') {
    const segments = work.segments.map(({ documents, bucketOffsets, postings }) => ({
      documents: Buffer.from(documents),
      bucketOffsets: Buffer.from(bucketOffsets),
      postings: Buffer.from(postings),
    }))
    return [mergeSegments(segments)]
  }
  const key = Buffer.from(work.key)
  const indexed = work.texts.flatMap(({ document, text, format }) => {
    const terms = new Set<string>()
    addTerms(terms, format === 'json' || (format === 'unknown' && isJson(text)) ? textOfJson(text) : text, termsMax)
    return terms.size === 0 ? [] : [{ document, hashes: hashTerms(key, [...terms]) }]
  })
  const groups = Array.from({ length: Math.ceil(indexed.length / documentsMax) }, (_, number) =>
    indexed.slice(number * documentsMax, (number + 1) * documentsMax),
  )
  return groups.map(buildSegment)
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
