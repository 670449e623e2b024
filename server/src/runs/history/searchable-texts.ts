// What can be searched of runs: every text that a run left behind, with the block it belongs to.
import { type Contents, DamagedContentError, isReference } from '../../contents/index.ts'
import { type Queryable, type Sql, sql } from '../../db/index.ts'
import { hideTaken, readTaken } from '../../sandbox/index.ts'
import type { StoredCalls } from '../execute/block-calls.ts'
import { contentPlace } from '../record/block-contents.ts'
import type { RunStatus } from '../run.ts'

export type RunText = {
  runId: string
  accountId: string
  workflowId: string
  runNumber: number
  blockId: string | null
  place: 'result' | 'log' | 'error' | 'call'
  ordinal: number
  at: Date
  /** JSON text, except for errors. */
  text: string
}

type BlockRow = {
  run_id: string
  account_id: string
  workflow_id: string
  run_number: number
  run_ended_at: Date
  run_error: string | null
  block_id: string | null
  ended_at: Date | null
  result: string | null
  log: string | null
  error_message: string | null
  calls: string | null
  vault_ranges: string | null
}

/** Blocks whose contents are fetched side by side. */
const readAtOnce = 16

/** Bytes that the texts of each run have together. They are known without reading the texts. */
export async function sizeRunTexts(db: Queryable, runIds: readonly string[]): Promise<{ id: string; size: number }[]> {
  if (runIds.length === 0) return []
  const { rows } = await db.query<{ id: string; size: number }>(sql`
    select r.id, coalesce(sum(coalesce(octet_length(b.result) + content_bytes(b.result), 0) + coalesce(octet_length(b.log) + content_bytes(b.log), 0)
      + coalesce(octet_length(b.calls) + content_bytes(b.calls), 0)), 0)::bigint as size
    from ${runsWithBlocks(runIds)} group by r.id`)
  return rows
}

/** Contents that lie elsewhere are read as well; one that is damaged is left out, so that the others are found. */
export async function loadRunTexts(
  db: Queryable,
  contents: Pick<Contents, 'read'>,
  runIds: readonly string[],
): Promise<RunText[]> {
  if (runIds.length === 0) return []
  const { rows } = await db.query<BlockRow>(sql`
    select r.id as run_id, r.account_id, r.workflow_id, r.run_number, coalesce(r.ended_at, r.created_at) as run_ended_at,
      r.error_message as run_error, b.block_id, b.ended_at, b.result, b.log, b.error_message, b.calls,
      b.vault_ranges
    from ${runsWithBlocks(runIds)} order by r.id, b.seq`)
  const elsewhere = rows.filter(({ result, log, calls }) => [result, log, calls].some(isReference))
  for (let at = 0; at < elsewhere.length; at += readAtOnce)
    await Promise.all(elsewhere.slice(at, at + readAtOnce).map((row) => readContents(contents, row)))
  const runs = Map.groupBy(rows, (row) => row.run_id)
  for (const blocks of runs.values()) hideVaultValues(blocks)
  return [...runs.values()].flatMap((blocks) => [...blocks.flatMap(textsOfBlock), ...textOfRun(blocks)])
}

/** What one block took from the vault and returned, others return and send as well. */
function hideVaultValues(blocks: readonly BlockRow[]): void {
  const taken = blocks.flatMap(({ result, vault_ranges }) =>
    result === null || vault_ranges === null ? [] : readTaken(result, vault_ranges),
  )
  if (taken.length === 0) return
  for (const block of blocks) {
    if (block.result !== null) block.result = hideTaken(block.result, taken)
    if (block.calls !== null) block.calls = hideTaken(block.calls, taken)
  }
}

async function readContents(contents: Pick<Contents, 'read'>, row: BlockRow): Promise<void> {
  if (row.block_id === null) return
  const key = { runId: row.run_id, blockId: row.block_id, accountId: row.account_id }
  const read = (column: 'result' | 'log' | 'calls') =>
    contents.read(contentPlace(key, column), row[column]).catch((error) => {
      if (error instanceof DamagedContentError) return null
      throw error
    })
  row.result = await read('result')
  row.log = await read('log')
  row.calls = await read('calls')
}

/**
 * Each run is looked up by itself. The newest runs are what the planner knows least about: it would take them for a few and compare every run
 * with every block. The range tells it which days to look at.
 */
function runsWithBlocks(runIds: readonly string[]): Sql {
  const sorted = runIds.toSorted()
  const [first, last] = [sorted[0], sorted.at(-1)]
  return sql`unnest(${sorted}::uuid[]) as i (id)
    cross join lateral (
      select * from runs where id = i.id and id >= ${first}::uuid and id <= ${last}::uuid offset 0
    ) r
    left join lateral (
      select * from run_blocks where run_id = i.id and run_id >= ${first}::uuid and run_id <= ${last}::uuid offset 0
    ) b on true`
}

function textsOfBlock(row: BlockRow): RunText[] {
  if (row.block_id === null) return []
  const document = { ...runOf(row), blockId: row.block_id, ordinal: 0, at: row.ended_at ?? row.run_ended_at }
  return [
    ...(row.result === null ? [] : [{ ...document, place: 'result' as const, text: row.result }]),
    ...(row.log === null ? [] : [{ ...document, place: 'log' as const, text: row.log }]),
    ...(row.error_message === null ? [] : [{ ...document, place: 'error' as const, text: row.error_message }]),
    ...textsOfCalls(row.calls).map((text, ordinal) => ({ ...document, place: 'call' as const, ordinal, text })),
  ]
}

/** An error that no block had: a run that reached its time limit between two blocks, for example. */
function textOfRun(blocks: readonly BlockRow[]): RunText[] {
  const [first] = blocks
  if (!first || first.run_error === null || blocks.some((block) => block.error_message !== null)) return []
  const document = { ...runOf(first), blockId: null, ordinal: 0, at: first.run_ended_at }
  return [{ ...document, place: 'error', text: first.run_error }]
}

function textsOfCalls(calls: string | null): string[] {
  if (calls === null) return []
  return (JSON.parse(calls) as StoredCalls).calls.map(({ method, url, errorMessage, requestBody, responseBody }) =>
    [`${method} ${url}`, errorMessage, requestBody, responseBody].filter((part) => part !== null).join('\n'),
  )
}

function runOf(row: BlockRow) {
  return { runId: row.run_id, accountId: row.account_id, workflowId: row.workflow_id, runNumber: row.run_number }
}

/** Those that are still kept. */
export async function findRunStates(
  db: Queryable,
  runIds: readonly string[],
): Promise<Map<string, { status: RunStatus; revision: number }>> {
  if (runIds.length === 0) return new Map()
  const { rows } = await db.query<{ id: string; status: RunStatus; revision: number }>(
    sql`select id, status, revision from runs where id = any(${runIds}::uuid[])`,
  )
  return new Map(rows.map(({ id, status, revision }) => [id, { status, revision }]))
}

export type PlaceOfText = Pick<RunText, 'runId' | 'blockId' | 'place' | 'ordinal'>

type ExcerptRow = {
  position: number
  account_id: string
  excerpt: string | null
  calls: string | null
  /** To the text, where it lies elsewhere. */
  reference: string | null
}

/** The surroundings of the first occurrence of a text in each place, in their order; the beginning where it does not stand literally. */
export async function loadExcerpts(
  { db, contents }: { db: Queryable; contents: Pick<Contents, 'read'> },
  places: readonly PlaceOfText[],
  needle: string,
  characters: number,
): Promise<string[]> {
  if (places.length === 0) return []
  const { rows } = await db.query<ExcerptRow>(sql`
    select g.position::integer, r.account_id, case when g.place = 'call' then b.calls end as calls,
      case when g.place <> 'error' and content_id(t.content) is not null then t.content end as reference,
      substring(t.content from greatest(1, strpos(lower(t.content), ${needle}) - ${Math.floor(characters / 2)}::integer) for ${characters}) as excerpt
    from unnest(${places.map(({ runId }) => runId)}::uuid[], ${places.map(({ blockId }) => blockId)}::uuid[],
      ${places.map(({ place }) => place)}::text[]) with ordinality as g (run_id, block_id, place, position)
    join runs r on r.id = g.run_id
    left join run_blocks b on b.run_id = g.run_id and b.block_id = g.block_id
    cross join lateral (select case g.place when 'result' then b.result when 'log' then b.log
      when 'error' then coalesce(b.error_message, r.error_message) end as content) t`)
  const found = new Map(rows.map((row) => [row.position, row]))
  return Promise.all(
    places.map(async (place, index) => {
      const row = found.get(index + 1)
      if (!row) return ''
      // A match is shown without its surroundings while they cannot be read.
      const read = (stored: string | null) => readPart(contents, row.account_id, place, stored).catch(() => null)
      if (place.place === 'call') return textsOfCalls(await read(row.calls))[place.ordinal] ?? ''
      if (row.reference === null) return row.excerpt ?? ''
      const text = (await read(row.reference)) ?? ''
      const start = Math.max(0, text.toLowerCase().indexOf(needle) - Math.floor(characters / 2))
      return text.slice(start, start + characters)
    }),
  )
}

async function readPart(
  contents: Pick<Contents, 'read'>,
  accountId: string,
  { runId, blockId, place }: PlaceOfText,
  stored: string | null,
): Promise<string | null> {
  if (blockId === null || place === 'error') return stored
  return contents.read(contentPlace({ runId, blockId, accountId }, place === 'call' ? 'calls' : place), stored)
}
