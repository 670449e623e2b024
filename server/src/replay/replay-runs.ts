// Many recorded runs, run again against one definition, several at once.
import type { Scope } from '../db/index.ts'
import { RecordedRuns } from '../runs/index.ts'
import { notReplayable, type ReplayDeps, type Replayed, replayRun } from './replay-run.ts'
import type { ReplayTarget } from './replay-target.ts'

type Replaying = {
  runNumbers: readonly number[]
  atOnce: number
  signal: AbortSignal
  /** Called for each in the order of their ends; `index` is its place in the list. */
  onReplayed(replayed: Replayed, index: number): Promise<void>
}

/** Fails when the signal ends it. */
export async function replayRuns(
  deps: ReplayDeps,
  target: ReplayTarget,
  { runNumbers, atOnce, signal, onReplayed }: Replaying,
): Promise<void> {
  const { accountId, organizationId, workflowId } = target.workflow
  const scope: Scope = { accountId, organizationId }
  const recordedRuns = new RecordedRuns(deps, { scope, workflowId }, runNumbers)
  await inParallel(atOnce, [...runNumbers.entries()], async ([index, runNumber]) => {
    const recorded = await recordedRuns.take(index)
    const replayed =
      'problem' in recorded
        ? notReplayable(runNumber, recorded.problem)
        : await replayRun(deps, target, recorded, signal)
    if (!replayed) throw new Error('The worker stops.')
    await onReplayed(replayed, index)
  })
}

/** Stops at the first that fails, after those under way have ended. */
async function inParallel<Item>(
  atOnce: number,
  items: readonly Item[],
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const left = [...items]
  const hands = Array.from({ length: Math.min(atOnce, left.length) }, async () => {
    for (let item = left.shift(); item !== undefined; item = left.shift()) {
      try {
        await work(item)
      } catch (error) {
        left.length = 0
        throw error
      }
    }
  })
  const ended = await Promise.allSettled(hands)
  for (const hand of ended) if (hand.status === 'rejected') throw hand.reason
}
