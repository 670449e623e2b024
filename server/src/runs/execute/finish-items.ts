// The end of a block whose items have all ended, or of which no further one may start.
import type { Json } from '../../lib/json.ts'
import { JsonText, largeTextMin } from '../../lib/json-text.ts'
import type { ScriptOutcome } from '../../sandbox/index.ts'
import type { ItemRecord } from '../record/item-store.ts'
import { type ItemBlock, type ItemDeps, type ItemsEnd, returned, threw } from './item-ends.ts'
import { failuresAllowed } from './item-list.ts'
import type { ItemCounts } from './run-state.ts'

const collectedBytesMax = 32 * 1_048_576
const keysShown = 5

export async function finishItems(
  deps: ItemDeps,
  at: ItemBlock,
  { ends, isGivenUp }: { ends: readonly (ItemRecord['status'] | undefined)[]; isGivenUp: boolean },
): Promise<ItemsEnd> {
  const total = ends.length
  const count = (status: ItemRecord['status']) => ends.filter((end) => end === status).length
  const counts = { total, succeeded: count('succeeded'), failed: count('failed'), skipped: count('skipped') }
  const { maxFailures, collect = 'results' } = at.block.forEach ?? {}
  if (isGivenUp || counts.failed > failuresAllowed(maxFailures, total))
    return { kind: 'ended', outcome: threw(await tellFailures(deps, at, counts)), counts }
  const outcome = collect === 'counts' ? returned({ ...counts }, at.state) : await collectResults(deps, at)
  return { kind: 'ended', outcome, counts }
}

async function tellFailures(
  { items }: ItemDeps,
  { state, block }: ItemBlock,
  { failed, total }: ItemCounts,
): Promise<string> {
  const { accountId, id: runId } = state.run
  const shown = await items.listFailed(accountId, runId, block.uniqueBlockId, keysShown)
  const keys = shown.map(({ key }) => key).join(', ')
  return `${failed} of ${total} items failed: ${keys}. First: ${shown[0]?.message ?? ''}`
}

async function collectResults({ items }: ItemDeps, { state, block }: ItemBlock): Promise<ScriptOutcome> {
  const { accountId, id: runId } = state.run
  const results = await items.listResults(accountId, runId, block.uniqueBlockId)
  const bytes = results.reduce((sum, text) => sum + text.length + 1, 1)
  if (bytes > collectedBytesMax)
    return threw('The results of the items are larger than 32 MiB. Use collect: "counts", and retry the run.')
  const text = `[${results.join(',')}]`
  return returned(text.length > largeTextMin ? new JsonText(text) : (JSON.parse(text) as Json), state)
}
