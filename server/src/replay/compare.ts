// What a run did then and what it does now, block by block.

import type { AnswerOf, Operations } from '@patchbay/contract'
import { diffJson } from '../engine/compare/json-patch.ts'
import type { Json } from '../lib/json.ts'
import type { RecordedBlock, RecordedItem, RecordedRun, Rehearsed } from '../runs/index.ts'
import type { Masker } from '../sandbox/index.ts'
import { compareItems } from './compare-items.ts'
import type { CallChange } from './recorded-calls.ts'

export type ReplayedRun = AnswerOf<Operations['Replay']>['runs'][number]
type ReplayedBlock = ReplayedRun['blocks'][number]
type BlockNow = Rehearsed['blocks'][number]

export type Comparison = {
  recorded: RecordedRun
  itemsThen: ReadonlyMap<string, readonly RecordedItem[]>
  isCut: boolean
  replayed: Rehearsed
  calls: readonly CallChange[]
  nameOf(blockId: string): string
  /** Takes secrets out of bodies and addresses. */
  masker: Masker
}

const cutSentence =
  'The run received more than 10 MiB, so only failed items and the first 50 of each block were recorded and replayed.'

/** Many runs with large differences would make an answer that nobody can read. */
const shownCharactersMax = 256 * 1024

export function compareRun(comparison: Comparison): ReplayedRun {
  const { recorded, replayed } = comparison
  const then = new Map(recorded.blocks.filter(({ isReused }) => !isReused).map((block) => [block.blockId, block]))
  const now = new Map(replayed.blocks.map((block) => [block.blockId, block]))
  const ids = [...new Set([...replayed.blocks.map(({ blockId }) => blockId), ...then.keys()])]
  const blocks = ids.map((id) => compareBlock(comparison, id, then.get(id), now.get(id)))
  const outcome = blocks.some((block) => block.outcome === 'failed')
    ? 'failed'
    : blocks.some((block) => block.outcome === 'different')
      ? 'different'
      : 'same'
  const why = outcome === 'failed' ? replayed.errorMessage : null
  const message = comparison.isCut ? [why, cutSentence].filter(Boolean).join(' ') : why
  return fit({ runNumber: recorded.run.runNumber, outcome, message, blocks })
}

function compareBlock(
  { calls, nameOf, masker, itemsThen, replayed }: Comparison,
  id: string,
  then: RecordedBlock | undefined,
  now: BlockNow | undefined,
): ReplayedBlock {
  const result = diffJson(parse(then?.result), parse(now?.result))
  const changed = calls.filter(({ blockId }) => blockId === id).map((call) => showCall(call, masker))
  const errorMessage = now?.errorMessage ?? null
  const items = compareItems(itemsThen.get(id), replayed.items.get(id))
  const isChanged = result.length > 0 || changed.length > 0 || (items !== null && items.first.length > 0)
  const [logThen, logNow] = [then?.log ?? null, now?.log ?? null]
  return {
    uniqueBlockId: id,
    blockName: nameOf(id),
    outcome: judge(then, now, isChanged),
    result,
    calls: changed,
    log: logThen === logNow ? null : { from: readLog(logThen), to: readLog(logNow) },
    errorMessage,
    items,
  }
}

/** The same error again is the same; a block that only one side knows is a difference. */
function judge(
  then: RecordedBlock | undefined,
  now: BlockNow | undefined,
  isChanged: boolean,
): ReplayedBlock['outcome'] {
  const [before, after] = [then?.errorMessage ?? null, now?.errorMessage ?? null]
  if (after !== null && after !== before) return 'failed'
  return isChanged || !then || !now || before !== after ? 'different' : 'same'
}

function showCall({ change, method, url, from, to }: CallChange, masker: Masker) {
  // A secret may be part of a number or of an escape, so the text is read before anything in it is hidden.
  const show = (body: string | null): Json => (body === null ? null : masker.value(JSON.parse(body) as Json))
  return {
    ...{ change, method, url: masker.text(url) },
    ...(from === undefined ? {} : { from: show(from) }),
    ...(to === undefined ? {} : { to: show(to) }),
  }
}

function fit(run: ReplayedRun): ReplayedRun {
  if (JSON.stringify(run).length <= shownCharactersMax) return run
  const cut = 'The differences of this run are too large to be shown.'
  return {
    ...run,
    message: run.message === null ? cut : `${run.message} ${cut}`,
    blocks: run.blocks.map((block) => ({
      ...block,
      result: [],
      calls: [],
      log: null,
      items: block.items && { ...block.items, first: [] },
    })),
  }
}

function parse(text: string | null | undefined): Json {
  return text === null || text === undefined ? null : (JSON.parse(text) as Json)
}

function readLog(text: string | null): string[] {
  return text === null ? [] : (JSON.parse(text) as string[])
}
