// A script that runs once for each item, tried out with the first of them.
import type { AnswerOf, BodyOf, Operations } from '@patchbay/contract'
import type { Json } from '../../lib/json.ts'
import { JsonText, textOf } from '../../lib/json-text.ts'
import type { ScriptOutcome } from '../../sandbox/index.ts'
import { listScript, readList } from '../execute/item-list.ts'
import { errorIn } from '../execute/item-results.ts'
import { batchScript } from '../execute/item-script.ts'
import type { ListedItem } from '../record/item-store.ts'
import { type TestedScript, testedName } from './tested-script.ts'

type Body = BodyOf<Operations['TestBlock']>
type TestedItem = NonNullable<AnswerOf<Operations['TestBlock']>['items']>[number]
type Given = { item: Json; index: number; itemKey: string }

export type TestedItems = { items: TestedItem[]; total: number; pauseMs: number } | { problem: string }

const itemsMax = 20
const keysShown = 5

export async function testItems(script: TestedScript, body: Body): Promise<TestedItems> {
  const listed = await listItems(script, body)
  if ('problem' in listed) return listed
  const given = listed.list.slice(0, itemsMax).map(({ key, item }, index): Given => ({ item, index, itemKey: key }))
  const { batchSize = 1 } = body.forEach ?? {}
  const items: TestedItem[] = []
  let pauseMs = 0
  for (let at = 0; at < given.length; at += batchSize) {
    const unit = given.slice(at, at + batchSize)
    const key = unit[0]?.itemKey ?? ''
    const outcome =
      batchSize === 1
        ? await script.run(body.script, { ...unit[0] } as Given, key)
        : await script.run(batchScript(body.script), { items: unit as unknown as Json }, key)
    pauseMs += outcome.pauseMs
    items.push(...(batchSize === 1 ? [toItem(unit[0] as Given, outcome)] : toItems(unit, outcome)))
  }
  return { items, total: listed.list.length, pauseMs }
}

/** The key of a single item that is given by hand. */
export async function keyOfItem(
  script: TestedScript,
  body: Body,
  item: Json,
): Promise<{ key: string } | { problem: string }> {
  const index = body.index ?? 0
  if (body.itemKey !== undefined) return { key: body.itemKey }
  const key = body.forEach?.key
  if (key === undefined) return { key: String(index) }
  const told = await script.evaluate('The item key', listScript({ items: '[item]', key: withIndex(key, index) }), {
    item,
  })
  if (!told.ok) return { problem: told.failure.message }
  const read = readList(testedName, told.value)
  return 'problem' in read ? read : { key: read.list[0]?.key ?? String(index) }
}

function withIndex(key: string, index: number): string {
  return `(function (index) { return (\n${key}\n) })(${index})`
}

async function listItems(script: TestedScript, body: Body): Promise<{ list: ListedItem[] } | { problem: string }> {
  const { items = 'Datasource[0]', key } = body.forEach ?? {}
  // `items` of the test is no name that the expression of a key may see.
  const source = body.items ? `(${JSON.stringify(body.items)})` : items
  const told = await script.evaluate('The items', listScript({ items: source, ...(key === undefined ? {} : { key }) }))
  return told.ok ? readList(testedName, told.value) : { problem: told.failure.message }
}

function toItem({ index, itemKey }: Given, outcome: ScriptOutcome): TestedItem {
  const place = {
    line: 'line' in outcome ? (outcome.line ?? null) : null,
    column: 'column' in outcome ? (outcome.column ?? null) : null,
  }
  const failed = (message: string) => ({ index, itemKey, success: false, result: message, ...place, log: outcome.log })
  if (outcome.kind !== 'returned') return failed(outcome.message)
  if (outcome.stop) return failed('fx.stopAfterThisBlock cannot be called in an item.')
  return { index, itemKey, success: true, result: outcome.value, ...place, log: outcome.log }
}

function toItems(unit: readonly Given[], outcome: ScriptOutcome): TestedItem[] {
  const whole = unit.map((given) => toItem(given, outcome))
  if (!whole[0]?.success || outcome.kind !== 'returned') return whole
  const { value } = outcome
  const results = value instanceof JsonText ? (JSON.parse(textOf(value)) as Json) : value
  if (!Array.isArray(results) || results.length !== unit.length) {
    const result = `The script must return an array of ${unit.length} results, one for each item.`
    return whole.map((item) => ({ ...item, success: false, result }))
  }
  return whole.map((item, at) => {
    const result = results[at] ?? null
    const message = errorIn(result)
    return { ...item, success: message === undefined, result: message ?? result }
  })
}

/** As a run would tell it. */
export function sumUp(items: readonly TestedItem[]): { success: boolean; result: unknown } {
  const failed = items.filter(({ success }) => !success)
  if (failed.length === 0) return { success: true, result: items.map(({ result }) => result) }
  const keys = failed.slice(0, keysShown).map(({ itemKey }) => itemKey)
  const result = `${failed.length} of ${items.length} items failed: ${keys.join(', ')}. First: ${String(failed[0]?.result)}`
  return { success: false, result }
}
