// The end of a block whose items have all ended, or of which no further one may start.
import type { Json } from '../../lib/json.ts'
import { JsonText, largeTextMin } from '../../lib/json-text.ts'
import { joinRanges, type ScriptOutcome } from '../../sandbox/index.ts'
import type { SessionState } from '../run.ts'
import { type ItemBlock, type ItemDeps, type ItemsEnd, returned, threw } from './item-ends.ts'
import { failuresAllowed } from './item-list.ts'
import type { ItemProgress } from './item-progress.ts'

const collectedBytesMax = 32 * 1_048_576
const keysShown = 5

/** `isOutOfTime`: the block has had its 24 hours. */
type Ended = { own: ItemProgress; isGivenUp: boolean; isOutOfTime: boolean }
type At = Omit<ItemBlock, 'webhook'>

export async function finishItems(deps: ItemDeps, at: At, { own, isGivenUp, isOutOfTime }: Ended): Promise<ItemsEnd> {
  const total = own.list?.length ?? 0
  const skipped = own.count('skipped') + own.count('unreached')
  const counts = { total, succeeded: own.count('succeeded'), failed: own.count('failed'), skipped }
  const { blockIds, maxFailures, collect } = at.scope
  const fail = (message: string): ItemsEnd => ({ kind: 'ended', outcome: threw(message), counts })
  const { accountId, id: runId } = at.state.run
  const failed = blockIds.length === 1 ? counts.failed : await deps.items.countFailed({ accountId, runId }, blockIds)
  if (isGivenUp || failed > failuresAllowed(maxFailures, total))
    return fail(await tellFailures(deps, at, { failed, total }))
  const open = total - counts.succeeded - counts.failed - skipped
  if (open > 0 && isOutOfTime)
    return fail(`The block reached its limit of 24 hours before ${open} of ${total} items. Retry the run to go on.`)
  if (open > 0) return fail(`${open} of ${total} items were not reached: the block with the list did not run them.`)
  const session = await sessionAfter(deps, at)
  const outcome = collect === 'counts' ? returned({ ...counts }, session) : await collectResults(deps, at, session)
  return { kind: 'ended', outcome, counts }
}

/** Vault values that items set for the end of the run are those of the block; of two for the same key that of the later item counts. */
async function sessionAfter({ items }: ItemDeps, { state, block }: At): Promise<SessionState> {
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
  { state, scope }: At,
  { failed, total }: { failed: number; total: number },
): Promise<string> {
  const { accountId, id: runId } = state.run
  const shown = await items.listFailed({ accountId, runId }, scope.blockIds, keysShown)
  const keys = shown.map(({ key }) => key).join(', ')
  return `${failed} of ${total} items failed: ${keys}. First: ${shown[0]?.message ?? ''}`
}

async function collectResults(
  { items }: ItemDeps,
  { state, block }: At,
  session: SessionState,
): Promise<ScriptOutcome> {
  const { accountId, id: runId } = state.run
  const results = await items.listResults({ accountId, runId, blockId: block.uniqueBlockId })
  const bytes = results.reduce((sum, { json }) => sum + json.length + 1, 1)
  if (bytes > collectedBytesMax)
    return threw('The results of the items are larger than 32 MiB. Use collect: "counts", and retry the run.')
  const text = `[${results.map(({ json }) => json).join(',')}]`
  const value = text.length > largeTextMin ? new JsonText(text) : (JSON.parse(text) as Json)
  const vaultRanges = joinRanges(results)
  return { ...returned(value, session), ...(vaultRanges === undefined ? {} : { vaultRanges }) }
}
