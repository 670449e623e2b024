/**
 * What a run does next, from what is recorded about it. The plan is made anew from the records after every block, so
 * that a worker that takes over a run knows as much as the one that died.
 *
 *   running blocks left ─► wait (and start what is ready, unless the run is ending)
 *   a block failed ─► handlers of failed blocks run, then: failed        wins over everything: its message is what the user must see
 *   stop asked for ─► stopped       also when the block that was running happened to be the last
 *   a block ended the run, or all have ended ─► completed
 *   nothing runs, some wait ─► park
 *
 * A block with `needs: "failed"` is a handler. It runs also while the run is ending in Error, and nothing it does changes how the run ends.
 * A block that goes on with the items of another one runs beside it.
 * A failure with `onError: "continue"` ends nothing: for its users the block is without result, like one that was skipped.
 */
import type { FlowFields } from '../chain/flow-fields.ts'
import type { GraphBlock } from '../chain/graph.ts'
import { sourcesWithSameItems } from '../chain/same-items.ts'
import type { RunScope } from './run-scope.ts'

export type BlockOutcome =
  | { readonly kind: 'succeeded' }
  /** The block called `fx.stopAfterThisBlock(flag)`: the run ends well after it. */
  | { readonly kind: 'endedRun'; readonly flag: boolean }
  | { readonly kind: 'failed' }
  /** The run was stopped while the block slept: it has no result, and the run has not failed. */
  | { readonly kind: 'stopped' }
  | { readonly kind: 'skipped' }
  /** It waits for a try, a time, an event, a person or another run, and will then be under way again. */
  | { readonly kind: 'waiting' }

export type PlannedGraphBlock = GraphBlock & Pick<FlowFields, 'needs' | 'onError' | 'forEach'>

export type RunProgress = {
  /** Recorded outcomes of this run, together with those it reuses from an earlier one. */
  readonly outcomes: ReadonlyMap<string, BlockOutcome>
  /** Blocks that are being executed now and have no outcome yet. */
  readonly running: ReadonlySet<string>
  readonly stopRequested: boolean
}

/** A block that may start now, with the blocks whose results are its `Datasource`, in that order. */
export type ReadyBlock = { readonly uniqueBlockId: string; readonly needs: readonly string[] }

export type RunPlan =
  /** Record `skipped` as skipped, start `ready` (both may be empty while others still run); plan again when a block ends. */
  | { readonly kind: 'run'; readonly ready: readonly ReadyBlock[]; readonly skipped?: readonly string[] }
  /** Nothing runs and nothing can start before one of `waiting` goes on. */
  | { readonly kind: 'park'; readonly waiting: readonly string[] }
  | { readonly kind: 'completed'; readonly endedEarly: null | { readonly flag: boolean } }
  | { readonly kind: 'failed'; readonly uniqueBlockId: string }
  | { readonly kind: 'stopped' }

export function planRun(chain: readonly PlannedGraphBlock[], scope: RunScope, progress: RunProgress): RunPlan {
  const { outcomes, running, stopRequested } = progress
  const blocks = new Map(chain.map((block) => [block.uniqueBlockId, block]))
  const failed = scope.blocks.find((id) => outcomes.get(id)?.kind === 'failed' && endsRun(blocks.get(id)))
  const ending = scope.blocks.find((id) => outcomes.get(id)?.kind === 'endedRun' && !isHandler(blocks.get(id)))
  const open = scope.blocks.filter((id) => isOpen(outcomes.get(id)))
  const isEnding = failed !== undefined || stopRequested || ending !== undefined || open.length === 0
  const hands: Hands = { blocks, progress, mayHandle: failed !== undefined && !stopRequested }

  if (!isEnding || hands.mayHandle) {
    const { ready, skipped } = findReady(open, hands, isEnding)
    if (skipped.length > 0) return { kind: 'run', ready, skipped }
    if (ready.length > 0) return { kind: 'run', ready }
  }
  // Blocks already started are never cut off by the end of their run: their results are recorded first.
  if (open.some((id) => running.has(id))) return { kind: 'run', ready: [] }
  const waiting = open.filter((id) => outcomes.get(id)?.kind === 'waiting')
  if (!isEnding) {
    // A valid chain always has a block that can go on; silence here would leave the run hanging for ever.
    if (waiting.length === 0) throw new Error(`No block can start, yet ${open.join(', ')} have no result.`)
    return { kind: 'park', waiting }
  }
  // What waits when the run ends is given up, but a handler is given its tries.
  const handling = hands.mayHandle ? waiting.filter((id) => isHandler(blocks.get(id))) : []
  if (handling.length > 0) return { kind: 'park', waiting: handling }
  if (failed !== undefined) return { kind: 'failed', uniqueBlockId: failed }
  if (stopRequested) return { kind: 'stopped' }
  const outcome = ending === undefined ? undefined : outcomes.get(ending)
  return { kind: 'completed', endedEarly: outcome?.kind === 'endedRun' ? { flag: outcome.flag } : null }
}

type Hands = {
  blocks: ReadonlyMap<string, PlannedGraphBlock>
  progress: RunProgress
  /** The run is ending in Error, and handlers may still start. */
  mayHandle: boolean
}

function findReady(
  open: readonly string[],
  hands: Hands,
  isEnding: boolean,
): { ready: ReadyBlock[]; skipped: string[] } {
  const ready: ReadyBlock[] = []
  const skipped: string[] = []
  for (const id of open) {
    const block = hands.blocks.get(id)
    if (hands.progress.running.has(id) || hands.progress.outcomes.has(id)) continue
    if (isEnding && !isHandler(block)) continue
    const decision = decide(block, hands)
    if (decision === 'start') ready.push({ uniqueBlockId: id, needs: block?.dataSources ?? [] })
    // While the run is ending, what does not run is simply not reached.
    if (decision === 'skip' && !isEnding) skipped.push(id)
  }
  return { ready, skipped }
}

function decide(block: PlannedGraphBlock | undefined, hands: Hands): 'start' | 'skip' | 'wait' {
  const { outcomes } = hands.progress
  const sources = block?.dataSources ?? []
  const needs = block?.needs ?? 'all'
  if (needs === 'all') {
    if (sources.some((source) => isWithoutResult(outcomes.get(source)))) return 'skip'
    const beside = block?.forEach?.sameItemsAs === undefined ? [] : sourcesWithSameItems(hands.blocks, block)
    const isThere = (source: string) =>
      hasResult(outcomes.get(source)) || (beside.includes(source) && hands.progress.running.has(source))
    return sources.every(isThere) ? 'start' : 'wait'
  }
  if (!sources.every((source) => hasEnded(source, hands, new Set()))) return 'wait'
  const isWanted = (source: string) => {
    const outcome = outcomes.get(source)
    return needs === 'any' ? hasResult(outcome) : outcome?.kind === 'failed'
  }
  return sources.some(isWanted) ? 'start' : 'skip'
}

/** Whether nothing more is to come of the block. While the run is ending in Error that holds for all that has not begun, but for handlers. */
function hasEnded(id: string, hands: Hands, seen: Set<string>): boolean {
  const { progress, blocks, mayHandle } = hands
  const outcome = progress.outcomes.get(id)
  const block = blocks.get(id)
  if (outcome !== undefined && outcome.kind !== 'waiting') return true
  if (progress.running.has(id) || !mayHandle) return false
  if (!isHandler(block)) return true
  if (outcome !== undefined || seen.has(id)) return false
  seen.add(id)
  const sources = block?.dataSources ?? []
  // A handler that has not begun will not when all its sources ended without one that failed.
  return (
    sources.every((source) => hasEnded(source, hands, seen)) &&
    !sources.some((source) => progress.outcomes.get(source)?.kind === 'failed')
  )
}

function isOpen(outcome: BlockOutcome | undefined): boolean {
  return outcome === undefined || outcome.kind === 'waiting'
}

function isHandler(block: PlannedGraphBlock | undefined): boolean {
  return block?.needs === 'failed'
}

function endsRun(block: PlannedGraphBlock | undefined): boolean {
  return block?.onError !== 'continue' && !isHandler(block)
}

/** A block of an earlier run that ended its run has a result like any other. */
function hasResult(outcome: BlockOutcome | undefined): boolean {
  return outcome?.kind === 'succeeded' || outcome?.kind === 'endedRun'
}

function isWithoutResult(outcome: BlockOutcome | undefined): boolean {
  return outcome?.kind === 'failed' || outcome?.kind === 'skipped'
}
