// The script of one item, or of a batch of them.
import { isTransient } from '../../db/index.ts'
import { sourcesWithSameItems } from '../../engine/chain/same-items.ts'
import type { Json, JsonObject } from '../../lib/json.ts'
import { JsonText, textOf } from '../../lib/json-text.ts'
import type { ScriptOutcome } from '../../sandbox/index.ts'
import type { ListedItem } from '../record/item-store.ts'
import type { WebhookAnswer } from '../webhook-answer.ts'
import type { BlockCalls } from './block-calls.ts'
import { runBlockScript } from './block-script.ts'
import { type Around, isTruthy } from './expression.ts'
import { type ItemBlock, type ItemDeps, type ItemsHold, itemBytesMax, threw } from './item-ends.ts'
import { failure, outagePatienceMs, outageWaitMs, waitFor } from './outage.ts'
import { errorOf } from './waits.ts'

const itemSecondsDefault = 120
/** A script without any of these words cannot read its data sources, which may be large and would be sent with every item. */
const readsSources = /Datasource|globalThis|eval|Function|constructor|\bthis\b/

/** `answer`: what the script gave to fx.respond. */
export type ItemTry = {
  items: readonly (ListedItem & { index: number })[]
  tries: number
  calls: BlockCalls
  answer: { first?: WebhookAnswer }
}

/** As often may the script process of an item be ended from outside, for want of memory for example, before the item fails. */
const crashesMax = 3

/** What the script did; what it may not do in an item fails it. */
export async function runItemScript(
  deps: ItemDeps,
  hold: ItemsHold,
  at: ItemBlock,
  { items, tries, calls, answer }: ItemTry,
): Promise<ScriptOutcome> {
  const { state, block, webhook, scope } = at
  const { uniqueBlockId, script, timeoutSeconds = itemSecondsDefault } = block
  const given = items.map(({ key, item, index }) => ({ item, index, itemKey: key }))
  const [first] = given
  const isBatch = scope.batchSize > 1
  const seesSources = readsSources.test(script)
  const run = async () => {
    const sources =
      seesSources && scope.sameAs !== undefined ? await sourcesOfItem(deps, at, first?.index ?? 0) : undefined
    return runBlockScript(deps, {
      state,
      block: isBatch ? { ...block, script: batchScript(script) } : block,
      webhook,
      claim: hold.claim,
      calls,
      tape: hold.tape?.startItem(uniqueBlockId, first?.itemKey ?? ''),
      signal: hold.signal,
      stopSignal: hold.stopSignal,
      leaveSignal: hold.leaveSignal,
      onSleep: hold.onSleep,
      goesFirst: hold.goesFirst ?? false,
      usedMs: 0,
      answer,
      onBegin: () => {},
      onCutOff: () => {},
      unit: {
        itemKey: first?.itemKey ?? '',
        extras: isBatch ? { items: given as unknown as Json } : { ...(first as { item: Json }) },
        idempotencyKey: `${state.run.rootId}:${uniqueBlockId}:${first?.itemKey}`,
        timeMs: timeoutSeconds * 1000,
        try: tries,
        seesSources,
        ...(sources ? { sources } : {}),
      },
    })
  }
  const patientUntil = performance.now() + outagePatienceMs
  for (let crashes = 0; ; ) {
    try {
      const outcome = await run()
      // What it had sent goes out again with the same idempotency key.
      if (outcome.kind === 'crashed' && ++crashes < crashesMax && !hold.signal.aborted) continue
      return judge(outcome, isBatch ? items.length : undefined)
    } catch (error) {
      if (hold.signal.aborted) return failure('aborted', 'The script was stopped.', [])
      deps.onFault(error)
      if (!isTransient(error) || performance.now() > patientUntil)
        return failure('crashed', 'The service failed while this item ran.', [])
      await waitFor(outageWaitMs, hold.signal)
    }
  }
}

/** Whether the rule of its retries lets a failed item be tried again; a rule that fails is how the item ends. */
export async function asksAgain(
  deps: ItemDeps,
  around: Around,
  failed: { message: string; response?: JsonObject },
): Promise<boolean | ScriptOutcome> {
  const when = around.block.retry?.when
  if (when === undefined) return true
  const expression = { what: 'The retry rule', source: when, extras: { error: errorOf(failed) } }
  const wanted = await isTruthy(deps, around, expression)
  return wanted.ok ? wanted.value : wanted.failure
}

/** What this item returned in the blocks with the same items; the whole result of others. */
async function sourcesOfItem(deps: ItemDeps, { state, block }: ItemBlock, index: number): Promise<(Json | JsonText)[]> {
  const { accountId, id: runId } = state.run
  const same = new Set(sourcesWithSameItems(state.workflow.blocks, block))
  const results = await deps.items.listResultsOf({ accountId, runId }, [...same], index)
  return block.dataSources.map((source) => {
    if (!same.has(source)) return state.results.get(source) ?? null
    return JSON.parse(results.get(source) ?? 'null') as Json
  })
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
