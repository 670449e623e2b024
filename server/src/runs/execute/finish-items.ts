// The end of a block whose items have all ended, or of which no further one may start.
import type { Json } from '../../lib/json.ts'
import { JsonText, largeTextMin } from '../../lib/json-text.ts'
import type { ScriptOutcome } from '../../sandbox/index.ts'
import type { ItemRecord } from '../record/item-store.ts'
import type { SessionState } from '../run.ts'
import { type ItemBlock, type ItemDeps, type ItemsEnd, returned, threw } from './item-ends.ts'
import { failuresAllowed } from './item-list.ts'
import type { ItemCounts } from './run-state.ts'

const collectedBytesMax = 32 * 1_048_576
const keysShown = 5

/** `isOutOfTime`: the block has had its 24 hours. */
type Ended = { ends: readonly (ItemRecord['status'] | undefined)[]; isGivenUp: boolean; isOutOfTime: boolean }

export async function finishItems(
  deps: ItemDeps,
  at: ItemBlock,
  { ends, isGivenUp, isOutOfTime }: Ended,
): Promise<ItemsEnd> {
  const total = ends.length
  const count = (status: ItemRecord['status']) => ends.filter((end) => end === status).length
  const counts = { total, succeeded: count('succeeded'), failed: count('failed'), skipped: count('skipped') }
  const { maxFailures, collect = 'results' } = at.block.forEach ?? {}
  const fail = (message: string): ItemsEnd => ({ kind: 'ended', outcome: threw(message), counts })
  if (isGivenUp || counts.failed > failuresAllowed(maxFailures, total))
    return fail(await tellFailures(deps, at, counts))
  const open = total - counts.succeeded - counts.failed - counts.skipped
  if (open > 0 && isOutOfTime)
    return fail(`The block reached its limit of 24 hours before ${open} of ${total} items. Retry the run to go on.`)
  const session = await sessionAfter(deps, at)
  const outcome = collect === 'counts' ? returned({ ...counts }, session) : await collectResults(deps, at, session)
  return { kind: 'ended', outcome, counts }
}

/** Vault values that items set for the end of the run are those of the block; of two for the same key that of the later item counts. */
async function sessionAfter({ items }: ItemDeps, { state, block }: ItemBlock): Promise<SessionState> {
  const { accountId, id: runId, rootId } = state.run
  const deferred = await items.listDeferred({ accountId, runId, rootId, blockId: block.uniqueBlockId })
  return deferred.reduce<SessionState>(
    ({ vars, vault, vaultGlobal }, item) => ({
      vars,
      vault: { ...vault, ...item.vault },
      vaultGlobal: { ...vaultGlobal, ...item.vaultGlobal },
    }),
    state.session,
  )
}

async function tellFailures(
  { items }: ItemDeps,
  { state, block }: ItemBlock,
  { failed, total }: ItemCounts,
): Promise<string> {
  const { accountId, id: runId } = state.run
  const shown = await items.listFailed({ accountId, runId, blockId: block.uniqueBlockId }, keysShown)
  const keys = shown.map(({ key }) => key).join(', ')
  return `${failed} of ${total} items failed: ${keys}. First: ${shown[0]?.message ?? ''}`
}

async function collectResults(
  { items }: ItemDeps,
  { state, block }: ItemBlock,
  session: SessionState,
): Promise<ScriptOutcome> {
  const { accountId, id: runId } = state.run
  const results = await items.listResults({ accountId, runId, blockId: block.uniqueBlockId })
  const bytes = results.reduce((sum, text) => sum + text.length + 1, 1)
  if (bytes > collectedBytesMax)
    return threw('The results of the items are larger than 32 MiB. Use collect: "counts", and retry the run.')
  const text = `[${results.join(',')}]`
  return returned(text.length > largeTextMin ? new JsonText(text) : (JSON.parse(text) as Json), session)
}
