// Goes through the segments from the newest to the oldest and yields what matches, newest first. Segments overlap in time, so a match is
// held back until no segment that is still to come can hold a newer one.
import type { Queryable } from '../../db/index.ts'
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
/** Filters are read over several connections at once: to find a block in each takes most of a search. */
const filtersAtOnce = 500
const segmentsAtOnce = 64

/** Thrown when segments were merged under our feet: their documents are in another one now, so the search starts over. */
export class SegmentsMoved extends Error {
  override name = 'SegmentsMoved'
}

export async function* findMatches(db: Queryable, wanted: Wanted): AsyncGenerator<Match[]> {
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
    const heads = await listSegmentHeads(db, wanted.filter, cursor, headsAtOnce)
    const candidates = await listCandidates(db, heads, wanted)
    for (let at = 0; at < candidates.length; at += segmentsAtOnce) {
      const group = candidates.slice(at, at + segmentsAtOnce)
      yield release(group[0]?.newestMs ?? 0)
      held.push(...(await matchesIn(db, group, wanted)))
    }
    const last = heads.at(-1)
    if (!last || heads.length < headsAtOnce) break
    cursor = { newestMs: last.newestMs, id: last.id }
    yield release(last.newestMs)
  }
  yield release(Number.NEGATIVE_INFINITY)
}

/** The segments that may hold all words. */
async function listCandidates(db: Queryable, heads: readonly SegmentHead[], wanted: Wanted): Promise<SegmentHead[]> {
  const parts: SegmentHead[][] = []
  for (let at = 0; at < heads.length; at += filtersAtOnce) parts.push(heads.slice(at, at + filtersAtOnce))
  const found = await Promise.all(
    parts.map(async (part) => {
      const hashesOf = ({ accountId }: SegmentHead) => wanted.hashes.get(accountId) ?? []
      const blocks = await loadFilterBlocks(
        db,
        part.map((head) => ({ id: head.id, blocks: hashesOf(head).map((hash) => blockOf(hash, head.blockCount)) })),
      )
      return part.filter((head) => {
        const ofHead = blocks.get(head.id)
        if (!ofHead) throw new SegmentsMoved()
        return hashesOf(head).every((hash, word) => mayContain(ofHead[word] as Buffer, hash))
      })
    }),
  )
  return found.flat()
}

async function matchesIn(db: Queryable, heads: readonly SegmentHead[], wanted: Wanted): Promise<Match[]> {
  const hashesOf = ({ accountId }: SegmentHead) => wanted.hashes.get(accountId) ?? []
  const buckets = await loadBuckets(
    db,
    heads.map((head) => ({ id: head.id, buckets: hashesOf(head).map((hash) => bucketOf(hash, head.bucketCount)) })),
  )
  const holding = heads.flatMap((head) => {
    const ofHead = buckets.get(head.id)
    if (!ofHead) throw new SegmentsMoved()
    const numbers = findInBuckets(ofHead, hashesOf(head))
    return numbers.length === 0 ? [] : [{ head, numbers }]
  })
  const documents = await loadDocuments(
    db,
    holding.map(({ head }) => head.id),
  )
  return holding.flatMap(({ head: { id, accountId, workflowId }, numbers }) => {
    const bytes = documents.get(id)
    if (!bytes) throw new SegmentsMoved()
    const all = readDocuments(bytes)
    return numbers.flatMap((number) => {
      const document = all[number]
      return document && wanted.accepts(document) ? [{ ...document, accountId, workflowId }] : []
    })
  })
}
