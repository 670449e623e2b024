// The script of one item, or of a batch of them.
import type { Json } from '../../lib/json.ts'
import { JsonText, textOf } from '../../lib/json-text.ts'
import type { ScriptOutcome } from '../../sandbox/index.ts'
import type { ListedItem } from '../record/item-store.ts'
import type { BlockCalls } from './block-calls.ts'
import { runBlockScript } from './block-script.ts'
import type { PlannedBlock } from './definition-cache.ts'
import { type ItemBlock, type ItemDeps, type ItemsHold, threw } from './item-ends.ts'
import { storable } from './sanitize-text.ts'

const itemSecondsDefault = 120
const itemBytesMax = 1_048_576
/** A script without any of these words cannot read its data sources, which may be large and would be sent with every item. */
const readsSources = /Datasource|globalThis|eval|Function|constructor|\bthis\b/

export type GivenItem = ListedItem & { index: number }

/** What the script did; what it may not do in an item fails it. */
export async function runItemScript(
  deps: ItemDeps,
  hold: ItemsHold,
  { state, block, webhook }: ItemBlock,
  { items, tries, calls }: { items: readonly GivenItem[]; tries: number; calls: BlockCalls },
): Promise<ScriptOutcome> {
  const { uniqueBlockId, script, timeoutSeconds = itemSecondsDefault } = block
  const given = items.map(({ key, item, index }) => ({ item, index, itemKey: key }))
  const [first] = given
  const isBatch = takesBatches(block)
  try {
    const outcome = await runBlockScript(deps, {
      state,
      block: isBatch ? { ...block, script: batchScript(script) } : block,
      webhook,
      claim: hold.claim,
      calls,
      tape: undefined,
      signal: hold.signal,
      stopSignal: hold.stopSignal,
      leaveSignal: hold.leaveSignal,
      onSleep: hold.onSleep,
      goesFirst: hold.goesFirst ?? false,
      usedMs: 0,
      // The answers of items are nobody's.
      answer: {},
      onBegin: () => {},
      onCutOff: () => {},
      unit: {
        extras: isBatch ? { items: given as unknown as Json } : { ...(first as { item: Json }) },
        idempotencyKey: `${state.run.rootId}:${uniqueBlockId}:${first?.itemKey}`,
        timeMs: timeoutSeconds * 1000,
        try: tries,
        seesSources: readsSources.test(script),
      },
    })
    return judge(outcome, isBatch ? items.length : undefined)
  } catch (error) {
    deps.onFault(error)
    return { kind: 'crashed', message: 'The service failed while this item ran.', log: [], pauseMs: 0 }
  }
}

export function takesBatches({ forEach }: PlannedBlock): boolean {
  return (forEach?.batchSize ?? 1) > 1
}

/** What a script may do in a block, but not in an item. `count`: of a batch. */
function judge(outcome: ScriptOutcome, count: number | undefined): ScriptOutcome {
  if (outcome.kind !== 'returned') return outcome
  const { log, pauseMs } = outcome
  if (outcome.stop) return { ...threw('fx.stopAfterThisBlock cannot be called in an item.'), log, pauseMs }
  if (count === undefined) {
    if (textOf(outcome.value).length > itemBytesMax)
      return { ...threw('The result of the item is larger than 1 MiB.'), log, pauseMs }
    return outcome
  }
  const value = outcome.value instanceof JsonText ? (JSON.parse(outcome.value.text) as Json) : outcome.value
  if (!Array.isArray(value) || value.length !== count)
    return { ...threw(`The script must return an array of ${count} results, one for each item.`), log, pauseMs }
  return { ...outcome, value }
}

/** On one line with the first of the script, so that its lines keep their numbers. An Error is not JSON; its message is. */
export function batchScript(script: string): string {
  return `return ((all) => Array.isArray(all) ? all.map((one) => one instanceof Error ? { error: one.message || String(one) } : one) : all)(await (async () => {${script}\n})())`
}

export function errorIn(result: Json | JsonText): string | undefined {
  const error = (result as { error?: unknown } | null)?.error
  return typeof error === 'string' ? storable(error) : undefined
}
