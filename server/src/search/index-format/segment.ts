// A segment: documents of one workflow and day, and for each hashed term the documents that hold it.
//   documents  count · subjects (GUID, run number + 1 or 0) · blocks (GUID) · per document: subject, block + 1 or 0, place, ordinal, time
//   postings   in buckets of neighbouring hashes, so that a search reads one bucket a word; in a bucket per term in rising order:
//              distance to the hash before (to 0 for the first) · one document · or their number and their distances

import { type SearchPlaceName, searchPlaces } from '@patchbay/contract'
import { ByteReader, ByteWriter } from './bytes.ts'
import { buildFilter } from './filter.ts'
import { hashBits } from './term-hash.ts'

export type SearchDocument = {
  /** The run, or for a webhook payload the request. */
  subjectId: string
  runNumber: number | null
  blockId: string | null
  place: SearchPlaceName
  /** Which of several in the same place, the third call for example. */
  ordinal: number
  atMs: number
}

export type Segment = {
  documentCount: number
  oldestMs: number
  newestMs: number
  highestRunNumber: number | null
  filterBlocks: number
  filter: Buffer
  documents: Buffer
  /** Where each bucket begins, and where the last one ends: four bytes each. */
  bucketOffsets: Buffer
  postings: Buffer
}

/** A hash and the number of its document are sorted as one number of 52 bits: 40 of the hash, 12 of the document. */
export const documentsMax = 4096

export function buildSegment(indexed: readonly { document: SearchDocument; hashes: readonly number[] }[]): Segment {
  const pairs = new Float64Array(indexed.reduce((sum, { hashes }) => sum + hashes.length, 0))
  let filled = 0
  indexed.forEach(({ hashes }, number) => {
    for (const hash of hashes) pairs[filled++] = hash * documentsMax + number
  })
  return encode(
    indexed.map(({ document }) => document),
    pairs,
  )
}

export function mergeSegments(segments: readonly Pick<Segment, 'documents' | 'bucketOffsets' | 'postings'>[]): Segment {
  const documents: SearchDocument[] = []
  const pairs: number[] = []
  for (const segment of segments) {
    const offset = documents.length
    for (const bucket of bucketsOf(segment)) {
      readBucket(bucket, (hash, numbers) => {
        for (const number of numbers) pairs.push(hash * documentsMax + offset + number)
      })
    }
    documents.push(...readDocuments(segment.documents))
  }
  return encode(documents, Float64Array.from(pairs))
}

/** Which bucket a hash is in, of so many. */
export function bucketOf(hash: number, bucketCount: number): number {
  return Math.min(bucketCount - 1, Math.floor((hash / 2 ** hashBits) * bucketCount))
}

/** The numbers of the documents that hold all of these hashes, in rising order; `buckets` are those of the hashes, in the same order. */
export function findInBuckets(buckets: readonly Buffer[], hashes: readonly number[]): number[] {
  const found = hashes.map((hash, word) => {
    let numbers: number[] = []
    readBucket(buckets[word] as Buffer, (read, those) => {
      if (read === hash) numbers = those
    })
    return numbers
  })
  return found.reduce((held, numbers) => {
    const those = new Set(numbers)
    return held.filter((number) => those.has(number))
  })
}

export function readDocuments(bytes: Buffer): SearchDocument[] {
  const reader = new ByteReader(bytes)
  const count = reader.number()
  const baseMs = reader.number()
  const subjects = Array.from({ length: reader.number() }, () => ({ id: reader.guid(), number: reader.number() }))
  const blocks = Array.from({ length: reader.number() }, () => reader.guid())
  return Array.from({ length: count }, (): SearchDocument => {
    const subject = subjects[reader.number()]
    const block = reader.number()
    if (!subject) throw new Error('A search segment names a subject that it does not hold.')
    return {
      subjectId: subject.id,
      runNumber: subject.number === 0 ? null : subject.number - 1,
      blockId: block === 0 ? null : (blocks[block - 1] ?? null),
      place: searchPlaces[reader.byte()] ?? 'result',
      ordinal: reader.number(),
      atMs: baseMs + reader.number(),
    }
  })
}

function encode(documents: readonly SearchDocument[], pairs: Float64Array): Segment {
  if (documents.length > documentsMax) throw new Error(`A search segment holds at most ${documentsMax} documents.`)
  const { postings, bucketOffsets, hashes } = encodePostings(pairs)
  const { filter, blocks } = buildFilter(hashes)
  const times = documents.map(({ atMs }) => atMs)
  const runNumbers = documents.flatMap(({ runNumber }) => runNumber ?? [])
  return {
    documentCount: documents.length,
    oldestMs: least(times),
    newestMs: -least(times.map((time) => -time)),
    highestRunNumber: runNumbers.length === 0 ? null : -least(runNumbers.map((number) => -number)),
    filterBlocks: blocks,
    filter,
    documents: encodeDocuments(documents),
    bucketOffsets,
    postings,
  }
}

function encodeDocuments(documents: readonly SearchDocument[]): Buffer {
  const writer = new ByteWriter()
  const subjects = new Map(documents.map((document) => [document.subjectId, document]))
  const blocks = [...new Set(documents.flatMap(({ blockId }) => blockId ?? []))]
  const subjectNumbers = new Map([...subjects.keys()].map((id, number) => [id, number]))
  const blockNumbers = new Map(blocks.map((id, number) => [id, number]))
  const baseMs = least(documents.map(({ atMs }) => atMs))
  writer.number(documents.length)
  writer.number(baseMs)
  writer.number(subjects.size)
  for (const { subjectId, runNumber } of subjects.values()) {
    writer.guid(subjectId)
    writer.number(runNumber === null ? 0 : runNumber + 1)
  }
  writer.number(blocks.length)
  for (const id of blocks) writer.guid(id)
  for (const { subjectId, blockId, place, ordinal, atMs } of documents) {
    writer.number(subjectNumbers.get(subjectId) ?? 0)
    writer.number(blockId === null ? 0 : (blockNumbers.get(blockId) ?? 0) + 1)
    writer.byte(searchPlaces.indexOf(place))
    writer.number(ordinal)
    writer.number(atMs - baseMs)
  }
  return writer.finish()
}

/** So many terms share a bucket on average. */
const termsPerBucket = 32

function encodePostings(pairs: Float64Array): { postings: Buffer; bucketOffsets: Buffer; hashes: number[] } {
  const terms = gatherTerms(pairs.sort())
  const bucketCount = Math.max(1, Math.ceil(terms.length / termsPerBucket))
  const bucketOffsets = Buffer.alloc((bucketCount + 1) * 4)
  const writer = new ByteWriter()
  let next = 0
  for (let bucket = 0; bucket < bucketCount; bucket++) {
    bucketOffsets.writeUInt32BE(writer.length, bucket * 4)
    let before = 0
    for (let term = terms[next]; term && bucketOf(term.hash, bucketCount) === bucket; term = terms[++next]) {
      writer.number(term.hash - before)
      before = term.hash
      writeNumbers(writer, term.numbers)
    }
  }
  bucketOffsets.writeUInt32BE(writer.length, bucketCount * 4)
  return { postings: writer.finish(), bucketOffsets, hashes: terms.map(({ hash }) => hash) }
}

function gatherTerms(sorted: Float64Array): { hash: number; numbers: number[] }[] {
  const terms: { hash: number; numbers: number[] }[] = []
  for (const pair of sorted) {
    const hash = Math.floor(pair / documentsMax)
    const number = pair % documentsMax
    const last = terms.at(-1)
    if (last?.hash !== hash) terms.push({ hash, numbers: [number] })
    else if (last.numbers.at(-1) !== number) last.numbers.push(number)
  }
  return terms
}

/** Of one document its number, doubled; of several their count, doubled and one more, then the distances between their numbers. */
function writeNumbers(writer: ByteWriter, numbers: readonly number[]): void {
  if (numbers.length === 1) {
    writer.number((numbers[0] as number) * 2)
    return
  }
  writer.number(numbers.length * 2 + 1)
  numbers.forEach((number, index) => {
    writer.number(number - (numbers[index - 1] ?? 0))
  })
}

function bucketsOf({ bucketOffsets, postings }: Pick<Segment, 'bucketOffsets' | 'postings'>): Buffer[] {
  const offsetOf = (bucket: number) => bucketOffsets.readUInt32BE(bucket * 4)
  return Array.from({ length: bucketOffsets.length / 4 - 1 }, (_, bucket) =>
    postings.subarray(offsetOf(bucket), offsetOf(bucket + 1)),
  )
}

/** Calls back for each term in rising order of hashes. */
function readBucket(bucket: Buffer, visit: (hash: number, numbers: number[]) => void): void {
  const reader = new ByteReader(bucket)
  let hash = 0
  while (!reader.isAtEnd) {
    hash += reader.number()
    const head = reader.number()
    const numbers: number[] = []
    if (head % 2 === 0) numbers.push(head / 2)
    else
      for (let number = 0, count = (head - 1) / 2; count > 0; count--) {
        number += reader.number()
        numbers.push(number)
      }
    visit(hash, numbers)
  }
}

/** Of very many, which cannot all be arguments of one call. */
function least(values: readonly number[]): number {
  return values.reduce((one, other) => Math.min(one, other), Number.POSITIVE_INFINITY)
}
