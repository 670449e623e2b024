import { type Queryable, sql, when } from '../db/index.ts'
import { blockBytes } from './index-format/filter.ts'
import type { Segment } from './index-format/segment.ts'

export type FeedKind = 'run' | 'webhook'

export async function insertFeed(tx: Queryable, kind: FeedKind, ids: readonly string[]): Promise<void> {
  if (ids.length > 0) await tx.query(sql`insert into search_feed (kind, ids) values (${kind}, ${ids}::uuid[])`)
}

/** Takes the oldest entries out of the feed. Rolled back, they are there again; what another process holds is passed over. */
export async function takeFeed(
  tx: Queryable,
  entriesMax: number,
): Promise<Record<FeedKind, string[]> & { entries: number }> {
  const { rows } = await tx.query<{ kind: FeedKind; ids: string[] }>(sql`
    delete from search_feed where id in (select id from search_feed order by id limit ${entriesMax} for update skip locked)
    returning kind, ids`)
  const of = (kind: FeedKind) => rows.filter((row) => row.kind === kind).flatMap((row) => row.ids)
  return { run: of('run'), webhook: of('webhook'), entries: rows.length }
}

export type SegmentPlace = { accountId: string; workflowId: string; day: string }

/**
 * What may become one segment. Runs leave by their number and payloads by their age only, so the two are kept apart: a payload beside runs
 * would leave with them.
 */
export type MergePlace = SegmentPlace & { isOfRuns: boolean }

/** Nothing is inserted for a workflow that was deleted meanwhile. */
export async function insertSegment(tx: Queryable, place: SegmentPlace, tier: number, segment: Segment): Promise<void> {
  await tx.query(sql`
    insert into search_segments (account_id, workflow_id, day, tier, document_count, oldest, newest, highest_run_number, filter_blocks,
                                 filter, documents, bucket_offsets, postings)
    select w.account_id, w.id, ${place.day}::date, ${tier}, ${segment.documentCount}, ${new Date(segment.oldestMs).toISOString()}::timestamptz,
      ${new Date(segment.newestMs).toISOString()}::timestamptz, ${segment.highestRunNumber}::integer, ${segment.filterBlocks},
      ${segment.filter}, ${segment.documents}, ${segment.bucketOffsets}, ${segment.postings}
    from workflows w where w.id = ${place.workflowId} and w.account_id = ${place.accountId} for key share`)
}

/** Places with so many segments of one size that they should become one. */
export async function listMergeable(
  db: Queryable,
  workflowIds: readonly string[],
  segmentsMin: number,
): Promise<(MergePlace & { tier: number })[]> {
  const { rows } = await db.query<MergeRow>(sql`
    select account_id, workflow_id, day::text, ${isOfRuns} as is_of_runs, tier
    from search_segments where workflow_id = any(${workflowIds}::uuid[])
    group by 1, 2, day, 4, tier having count(*) >= ${segmentsMin}`)
  return rows.map(toPlace)
}

/** Days that get no more documents, and still have several segments of a size that can be merged. */
export async function listCompactable(db: Queryable, documentsMax: number): Promise<MergePlace[]> {
  const { rows } = await db.query<MergeRow>(sql`
    select account_id, workflow_id, day::text, ${isOfRuns} as is_of_runs, 0 as tier from search_segments
    where day < (now() at time zone 'utc')::date - 1 and document_count < ${documentsMax}
    group by 1, 2, day, 4 having count(*) > 1 limit 200`)
  return rows.map(toPlace)
}

const isOfRuns = sql`highest_run_number is not null`

type MergeRow = { account_id: string; workflow_id: string; day: string; is_of_runs: boolean; tier: number }

function toPlace(row: MergeRow) {
  const { account_id: accountId, workflow_id: workflowId, day, is_of_runs: isOfRuns, tier } = row
  return { accountId, workflowId, day, isOfRuns, tier }
}

/** Takes the oldest ones out for merging, as many as fit into one; those that another process merges are passed over. */
export async function takeSegments(
  tx: Queryable,
  place: MergePlace,
  tier: number | undefined,
  documentsMax: number,
): Promise<Pick<Segment, 'documents' | 'bucketOffsets' | 'postings'>[]> {
  const { rows } = await tx.query<{ documents: Buffer; bucket_offsets: Buffer; postings: Buffer }>(sql`
    delete from search_segments where id in (
      select id from (
        select id, sum(document_count) over (order by newest, id) as upto from (
          select id, newest, document_count from search_segments
          where workflow_id = ${place.workflowId} and day = ${place.day}::date and document_count < ${documentsMax}
            and (${isOfRuns}) = ${place.isOfRuns}
            ${when(tier, (wanted) => sql`and tier = ${wanted}`)}
          for update skip locked) free
      ) counted where upto <= ${documentsMax})
    returning documents, bucket_offsets, postings`)
  return rows.map((row) => ({ documents: row.documents, bucketOffsets: row.bucket_offsets, postings: row.postings }))
}

/** What retention no longer keeps: whole days, and of busy workflows the segments whose runs are all beyond the number that is kept. */
export async function deleteOutdated(db: Queryable, kept: { daysKept: number; runsKeptMax: number }): Promise<void> {
  await db.query(
    sql`delete from search_segments where day < (now() at time zone 'utc')::date - ${kept.daysKept}::integer`,
  )
  await db.query(sql`
    delete from search_segments s using run_counters c
    where c.workflow_id = s.workflow_id and c.last_number > ${kept.runsKeptMax} and s.highest_run_number <= c.last_number - ${kept.runsKeptMax}::integer`)
}

export type SegmentFilter = {
  accountIds: readonly string[]
  workflowId: string | undefined
  fromMs: number | undefined
  toMs: number | undefined
}

export type SegmentHead = {
  id: number
  accountId: string
  workflowId: string
  newestMs: number
  bucketCount: number
  /** Of its filter. */
  blockCount: number
}
export type SegmentCursor = { newestMs: number; id: number }

/** Newest first. */
export async function listSegmentHeads(
  db: Queryable,
  filter: SegmentFilter,
  after: SegmentCursor | undefined,
  limit: number,
): Promise<SegmentHead[]> {
  const ids = filter.accountIds
  const { rows } = await db.query<{
    id: number
    account_id: string
    workflow_id: string
    newest_ms: number
    bucket_count: number
    filter_blocks: number
  }>(sql`
    select s.id, s.account_id, s.workflow_id, (extract(epoch from s.newest) * 1000)::bigint as newest_ms,
      octet_length(s.bucket_offsets) / 4 - 1 as bucket_count, s.filter_blocks
    from search_segments s
    where ${ids.length === 1 ? sql`s.account_id = ${ids[0]}` : sql`s.account_id = any(${ids}::uuid[])`}
      ${when(filter.workflowId, (id) => sql`and s.workflow_id = ${id}`)}
      ${when(filter.fromMs, (ms) => sql`and s.newest >= ${new Date(ms).toISOString()}::timestamptz`)}
      ${when(filter.toMs, (ms) => sql`and s.oldest < ${new Date(ms).toISOString()}::timestamptz`)}
      ${when(after, ({ newestMs, id }) => sql`and (s.newest, s.id) < (${new Date(newestMs).toISOString()}::timestamptz, ${id}::bigint)`)}
    order by s.newest desc, s.id desc limit ${limit}`)
  return rows.map((row) => ({
    id: row.id,
    accountId: row.account_id,
    workflowId: row.workflow_id,
    newestMs: row.newest_ms,
    bucketCount: row.bucket_count,
    blockCount: row.filter_blocks,
  }))
}

/** Of each filter only these blocks are read, and given in their order. */
export async function loadFilterBlocks(
  db: Queryable,
  wanted: readonly { id: number; blocks: readonly number[] }[],
): Promise<Map<number, Buffer[]>> {
  const single = wanted.flatMap(({ id, blocks }) => blocks.map((block) => ({ id, at: 1 + blockBytes * block })))
  const { rows } = await db.query<{ id: number; part: Buffer }>(sql`
    select s.id, substring(s.filter from g.at for ${blockBytes}) as part
    from unnest(${single.map(({ id }) => id)}::bigint[], ${single.map(({ at }) => at)}::integer[]) with ordinality as g (id, at, no)
    join search_segments s on s.id = g.id
    order by g.no`)
  return gather(rows)
}

/** The buckets of these numbers, in their order. */
export async function loadBuckets(
  db: Queryable,
  wanted: readonly { id: number; buckets: readonly number[] }[],
): Promise<Map<number, Buffer[]>> {
  const single = wanted.flatMap(({ id, buckets }) => buckets.map((bucket) => ({ id, bucket })))
  const { rows } = await db.query<{ id: number; part: Buffer }>(sql`
    select s.id, substring(s.postings from start + 1 for stop - start) as part
    from unnest(${single.map(({ id }) => id)}::bigint[], ${single.map(({ bucket }) => bucket)}::integer[]) with ordinality as g (id, bucket, no)
    join search_segments s on s.id = g.id
    cross join lateral (select encode(substring(s.bucket_offsets from 4 * g.bucket + 1 for 8), 'hex') as pair) p
    cross join lateral (select ('x' || left(pair, 8))::bit(32)::integer as start, ('x' || right(pair, 8))::bit(32)::integer as stop) o
    order by g.no`)
  return gather(rows)
}

function gather(rows: readonly { id: number; part: Buffer }[]): Map<number, Buffer[]> {
  return new Map([...Map.groupBy(rows, ({ id }) => id)].map(([id, of]) => [id, of.map(({ part }) => part)]))
}

export async function loadDocuments(db: Queryable, ids: readonly number[]): Promise<Map<number, Buffer>> {
  if (ids.length === 0) return new Map()
  const { rows } = await db.query<{ id: number; documents: Buffer }>(
    sql`select id, documents from search_segments where id = any(${ids}::bigint[])`,
  )
  return new Map(rows.map(({ id, documents }) => [id, documents]))
}
