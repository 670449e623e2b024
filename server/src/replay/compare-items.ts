// What became of items then and what becomes of them now, matched by their keys.
import type { AnswerOf, Operations } from '@patchbay/contract'
import { diffJson } from '../engine/compare/json-patch.ts'
import type { Json } from '../lib/json.ts'
import type { RecordedItem } from '../runs/index.ts'

type ReplayedItems = NonNullable<AnswerOf<Operations['Replay']>['runs'][number]['blocks'][number]['items']>
type ReplayedItem = ReplayedItems['first'][number]
type ItemNow = Pick<RecordedItem, 'key' | 'status' | 'result' | 'errorMessage'>

const shownMax = 50

/** Null for a block without items. */
export function compareItems(
  then: readonly RecordedItem[] | undefined,
  now: readonly ItemNow[] | undefined,
): ReplayedItems | null {
  if (!then && !now) return null
  const before = new Map(then?.map((item) => [item.key, item]))
  const after = new Set(now?.map(({ key }) => key))
  const counts = { same: 0, different: 0, failed: 0, added: 0, removed: 0 }
  const first: ReplayedItem[] = []
  const count = (item: ReplayedItem) => {
    counts[item.outcome]++
    if (item.outcome !== 'same' && first.length < shownMax) first.push(item)
  }
  for (const item of now ?? []) count(compareItem(before.get(item.key), item))
  for (const { key } of then ?? []) if (!after.has(key)) count({ key, outcome: 'removed', result: [] })
  return { ...counts, first }
}

/** The same error again is the same. */
function compareItem(then: RecordedItem | undefined, now: ItemNow): ReplayedItem {
  const { key } = now
  if (!then) return { key, outcome: 'added', result: diffJson(null, parse(now.result)) }
  if (now.errorMessage !== null)
    return { key, outcome: now.errorMessage === then.errorMessage ? 'same' : 'failed', result: [] }
  const result = diffJson(parse(then.result), parse(now.result))
  return { key, outcome: result.length > 0 || then.errorMessage !== null ? 'different' : 'same', result }
}

function parse(text: string | null): Json {
  return text === null ? null : (JSON.parse(text) as Json)
}
