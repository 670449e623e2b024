// Goes through the segments from the newest to the oldest and yields what matches, newest first. Segments overlap in time, so a match is
// held back until no segment that is still to come can hold a newer one.
import type { Tx } from '../../db/index.ts'
import { blockOf, mayContain } from '../index-format/filter.ts'
import { bucketOf, findInBuckets, readDocuments, type SearchDocument } from '../index-format/segment.ts'
import {
  listSegmentHeads,
  loadBuckets,
  loadDocuments,
  loadFilterBlocks,
  type SegmentCursor,
  type SegmentFilter,
  type SegmentHead,
} from '../store.ts'

export type Match = SearchDocument & { accountId: string; workflowId: string }

export type Wanted = {
  filter: SegmentFilter
  /** The hashes of the words, by account. */
  hashes: ReadonlyMap<string, readonly number[]>
  accepts(document: SearchDocument): boolean
}

const headsAtOnce = 2_000
const segmentsAtOnce = 64

/** `tx` sees one moment: segments that are merged meanwhile stay where they were. */
export async function* findMatches(tx: Tx, wanted: Wanted): AsyncGenerator<Match[]> {
  let held: Match[] = []
  const release = (newestToComeMs: number): Match[] => {
    held.sort((one, other) => other.atMs - one.atMs)
    const count = held.findIndex(({ atMs }) => atMs <= newestToComeMs)
    const released = count < 0 ? held : held.slice(0, count)
    held = count < 0 ? [] : held.slice(count)
    return released
  }
  let cursor: SegmentCursor | undefined
  for (;;) {
    const heads = await listSegmentHeads(tx, wanted.filter, cursor, headsAtOnce)
    const candidates = await listCandidates(tx, heads, wanted)
    for (let at = 0; at < candidates.length; at += segmentsAtOnce) {
      const group = candidates.slice(at, at + segmentsAtOnce)
      yield release(group[0]?.newestMs ?? 0)
      held.push(...(await matchesIn(tx, group, wanted)))
    }
    const last = heads.at(-1)
    if (!last || heads.length < headsAtOnce) break
    cursor = { newestMs: last.newestMs, id: last.id }
    yield release(last.newestMs)
  }
  yield release(Number.NEGATIVE_INFINITY)
}

/** The segments that may hold all words. */
async function listCandidates(tx: Tx, heads: readonly SegmentHead[], wanted: Wanted): Promise<SegmentHead[]> {
  const hashesOf = ({ accountId }: SegmentHead) => wanted.hashes.get(accountId) ?? []
  const blocks = await loadFilterBlocks(
    tx,
    heads.map((head) => ({ id: head.id, blocks: hashesOf(head).map((hash) => blockOf(hash, head.blockCount)) })),
  )
  return heads.filter((head) => {
    const ofHead = blocks.get(head.id) as Buffer[]
    return hashesOf(head).every((hash, word) => mayContain(ofHead[word] as Buffer, hash))
  })
}

async function matchesIn(tx: Tx, heads: readonly SegmentHead[], wanted: Wanted): Promise<Match[]> {
  const hashesOf = ({ accountId }: SegmentHead) => wanted.hashes.get(accountId) ?? []
  const buckets = await loadBuckets(
    tx,
    heads.map((head) => ({ id: head.id, buckets: hashesOf(head).map((hash) => bucketOf(hash, head.bucketCount)) })),
  )
  const holding = heads.flatMap((head) => {
    const numbers = findInBuckets(buckets.get(head.id) as Buffer[], hashesOf(head))
    return numbers.length === 0 ? [] : [{ head, numbers }]
  })
  const documents = await loadDocuments(
    tx,
    holding.map(({ head }) => head.id),
  )
  return holding.flatMap(({ head: { id, accountId, workflowId }, numbers }) => {
    const all = readDocuments(documents.get(id) as Buffer)
    return numbers.flatMap((number) => {
      const document = all[number]
      return document && wanted.accepts(document) ? [{ ...document, accountId, workflowId }] : []
    })
  })
}
