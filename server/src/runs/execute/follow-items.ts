// The items of the blocks before a block with sameItemsAs, whether they are worked on at this moment or have ended in earlier hands.
import { listBlockOf, sourcesWithSameItems } from '../../engine/chain/same-items.ts'
import type { PlannedBlock } from './definition-cache.ts'
import type { ItemDeps, ItemsHold } from './item-ends.ts'
import { ItemProgress } from './item-progress.ts'
import { waitFor } from './outage.ts'
import type { RunState } from './run-state.ts'

/** Nothing is missed for longer than this, whatever happens. */
const longestPauseMs = 30_000

/** Of a block that is worked on. Whoever asks first makes it. */
export function progressOf(state: RunState, blockId: string): ItemProgress {
  const known = state.progress.get(blockId)
  if (known) return known
  const progress = new ItemProgress()
  state.progress.set(blockId, progress)
  return progress
}

/** One for each data source with the same items. */
export async function followItems(
  deps: ItemDeps,
  state: RunState,
  block: PlannedBlock,
): Promise<readonly ItemProgress[]> {
  const { blocks } = state.workflow
  return Promise.all(
    sourcesWithSameItems(blocks, block).map((source) =>
      state.running.has(source) ? progressOf(state, source) : readProgress(deps, state, source),
    ),
  )
}

async function readProgress(deps: ItemDeps, state: RunState, blockId: string): Promise<ItemProgress> {
  const { accountId, id: runId } = state.run
  const listBlockId = listBlockOf(state.workflow.blocks, blockId) ?? blockId
  const found = await deps.items.findList({ accountId, runId, blockId: listBlockId })
  const progress = new ItemProgress()
  if (found) progress.begin(found.list)
  for (const { index, status } of await deps.items.listEnded({ accountId, runId, blockId })) progress.end(index, status)
  const outcome = state.outcomes.get(blockId)
  progress.close(outcome && outcome.kind !== 'waiting' ? 'over' : 'aside')
  return progress
}

/** Until a source has changed, `dueAt` has come, or the block is to stop. */
export async function untilChanged(
  sources: readonly ItemProgress[],
  hold: ItemsHold,
  dueAt: Date | null | undefined,
): Promise<void> {
  const over = new AbortController()
  const signals = [over.signal, hold.signal, hold.stopSignal, ...(hold.leaveSignal ? [hold.leaveSignal] : [])]
  const dueMs = dueAt ? Math.max(0, dueAt.getTime() - Date.now()) : longestPauseMs
  try {
    await Promise.race([...sources.map(({ changed }) => changed), waitFor(Math.min(dueMs, longestPauseMs), ...signals)])
  } finally {
    over.abort()
  }
}
