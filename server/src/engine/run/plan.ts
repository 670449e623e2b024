/**
 * What a run does next, from what is recorded about it. The plan is made anew from the records after every block, so
 * that a worker that takes over a run knows as much as the one that died.
 *
 *   running blocks left ─► wait (and start what is ready, unless the run is ending)
 *   a block failed ─► failed        wins over everything: its message is what the user must see
 *   stop asked for ─► stopped       also when the block that was running happened to be the last
 *   a block ended the run, or all have results ─► completed
 */
import type { GraphBlock } from '../chain/graph.ts'
import type { RunScope } from './run-scope.ts'

export type BlockOutcome =
  | { readonly kind: 'succeeded' }
  /** The block called `fx.stopAfterThisBlock(flag)`: the run ends well after it. */
  | { readonly kind: 'endedRun'; readonly flag: boolean }
  | { readonly kind: 'failed' }
  /** The run was stopped while the block slept: it has no result, and the run has not failed. */
  | { readonly kind: 'stopped' }

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
  /** Start `ready` (may be empty while others still run); plan again when a block ends. */
  | { readonly kind: 'run'; readonly ready: readonly ReadyBlock[] }
  | { readonly kind: 'completed'; readonly endedEarly: null | { readonly flag: boolean } }
  | { readonly kind: 'failed'; readonly uniqueBlockId: string }
  | { readonly kind: 'stopped' }

export function planRun(chain: readonly GraphBlock[], scope: RunScope, progress: RunProgress): RunPlan {
  const { outcomes, running, stopRequested } = progress
  const ofKind = (kind: BlockOutcome['kind']) => scope.blocks.find((id) => outcomes.get(id)?.kind === kind)
  const failed = ofKind('failed')
  const ending = ofKind('endedRun')
  const open = scope.blocks.filter((id) => !outcomes.has(id))
  const isEnding = failed !== undefined || stopRequested || ending !== undefined || open.length === 0

  if (!isEnding) {
    const ready = findReady(chain, open, progress)
    // A valid chain always has a block that can go on; silence here would leave the run hanging for ever.
    if (ready.length === 0 && running.size === 0)
      throw new Error(`No block can start, yet ${open.join(', ')} have no result.`)
    return { kind: 'run', ready }
  }
  // Blocks already started are never cut off by the end of their run: their results are recorded first.
  if (open.some((id) => running.has(id))) return { kind: 'run', ready: [] }
  if (failed !== undefined) return { kind: 'failed', uniqueBlockId: failed }
  if (stopRequested) return { kind: 'stopped' }
  const outcome = ending === undefined ? undefined : outcomes.get(ending)
  return { kind: 'completed', endedEarly: outcome?.kind === 'endedRun' ? { flag: outcome.flag } : null }
}

function findReady(chain: readonly GraphBlock[], open: readonly string[], progress: RunProgress): ReadyBlock[] {
  const needsOf = new Map(chain.map((block) => [block.uniqueBlockId, block.dataSources]))
  return open
    .filter((id) => !progress.running.has(id))
    .map((id) => ({ uniqueBlockId: id, needs: needsOf.get(id) ?? [] }))
    .filter(({ needs }) => needs.every((source) => hasResult(progress.outcomes.get(source))))
}

/** A block of an earlier run that ended its run has a result like any other. */
function hasResult(outcome: BlockOutcome | undefined): boolean {
  return outcome !== undefined && outcome.kind !== 'failed' && outcome.kind !== 'stopped'
}
