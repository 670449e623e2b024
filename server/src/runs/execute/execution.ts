/**
 * One run in the hands of one worker, from the moment it was claimed to its end or until the worker loses or gives up its hold:
 *
 *   plan ─► start the blocks that are ready ─► a block ended ─► record it (the last one together with the end) ─► plan …
 *
 * Nothing that depends on a block starts before the record of that block is durable.
 */

import type { Json } from '../../lib/json.ts'
import type { JsonText } from '../../lib/json-text.ts'
import { beginBlock } from './begin-block.ts'
import { waitAfterScript } from './block-wait.ts'
import { aroundOf, type Execution, type ExecutionDeps, type ExecutionResult, type Finished, type Hold } from './hold.ts'
import { waitFor } from './outage.ts'
import { endRun, makePlan, recordSkipped, takeAndRecord } from './record-block.ts'
import type { RunState } from './run-state.ts'
import { waitForTry } from './wait-for-try.ts'
import { addWait, findFirst, toWaitingFor, wakeDue } from './waits.ts'

export async function executeRun(
  deps: ExecutionDeps,
  hold: Hold,
  state: RunState,
  webhook: Json | JsonText,
): Promise<ExecutionResult> {
  try {
    return await workOn({ deps, hold, state, webhook })
  } finally {
    // Nobody goes on waiting for items of a run that is in other hands.
    for (const progress of state.progress.values()) progress.close('aside')
  }
}

async function workOn(execution: Execution): Promise<ExecutionResult> {
  const { deps, hold, state } = execution
  const underWay = new Map<string, Promise<Finished>>()
  for (;;) {
    wakeDue(state, new Date())
    const plan = makePlan(state)
    if (plan.kind === 'park') {
      const parked = await parkRun(execution, plan.waiting)
      if (parked !== undefined) return parked
      continue
    }
    if (plan.kind !== 'run') return endRun(execution, plan)
    if (plan.skipped) {
      const result = await recordSkipped(execution, plan.skipped)
      if (result !== undefined) return result
      continue
    }
    if (hold.isStopping() || hold.signal.aborted) {
      if (underWay.size === 0) return 'open'
      if (plan.ready.length > 0)
        hold.tape?.giveUp('The service was stopping when the run ended, so it was not recorded.')
    } else {
      for (const { uniqueBlockId } of plan.ready) {
        state.running.add(uniqueBlockId)
        const ran = beginBlock(execution, uniqueBlockId)
          .then((block) => ({ ...block, endedAt: new Date() }))
          .finally(() => hold.blocks?.end(uniqueBlockId))
        // While the end of another block is waited for, nobody listens to this one.
        ran.catch(() => {})
        underWay.set(uniqueBlockId, ran)
      }
      // Blocks that go on with the items of one that has just begun run beside it.
      if (state.workflow.sharesItems && plan.ready.length > 0) continue
    }
    const finished = await nextEnd(execution, underWay)
    if (finished === undefined) continue
    underWay.delete(finished.blockId)
    state.running.delete(finished.blockId)
    closeItems(state, finished)
    if (finished.items?.kind === 'lost') return 'lost'
    if (finished.items?.kind === 'waiting') {
      addWait(state, finished.items.wait)
      continue
    }
    if (finished.items?.kind === 'interrupted' && finished.items.isStopped) state.stopRequested = true
    // An aborted script says nothing about the block: it starts again elsewhere, or never when the run is to stop.
    if (finished.outcome.kind === 'aborted') {
      if (hold.stopSignal.aborted) state.stopRequested = true
      continue
    }
    if (finished.outcome.kind === 'stopped') state.stopRequested = true
    const waiting =
      (await waitForTry(execution, finished)) || (await waitAfterScript(deps, handOf(execution), finished))
    if (waiting === 'lost') return 'lost'
    if (waiting) continue
    const result = await takeAndRecord(execution, finished)
    if (result !== undefined) return result
  }
}

/** Tells those that go on with its items whether more of them are to come. */
function closeItems({ progress }: RunState, { blockId, items, outcome }: Finished): void {
  const isOver = items ? items.kind === 'ended' : outcome.kind !== 'aborted'
  progress.get(blockId)?.close(isOver ? 'over' : 'aside')
  progress.delete(blockId)
}

/** Undefined when the time of a block that waits has come before one under way ended. */
async function nextEnd(
  { deps, state }: Execution,
  underWay: ReadonlyMap<string, Promise<Finished>>,
): Promise<Finished | undefined> {
  if (deps.nextEnd) return deps.nextEnd(underWay)
  const first = state.waits.size === 0 ? undefined : findFirst(state, [...state.waits.keys()])
  if (!first?.dueAt) return Promise.race(underWay.values())
  const over = new AbortController()
  try {
    const due = waitFor(Math.max(0, first.dueAt.getTime() - Date.now()), over.signal).then(() => undefined)
    return await Promise.race([...underWay.values(), due])
  } finally {
    over.abort()
  }
}

/** Undefined when the run goes on after all. */
async function parkRun(
  { deps, hold, state }: Execution,
  waiting: readonly string[],
): Promise<ExecutionResult | undefined> {
  const first = findFirst(state, waiting)
  if (!first || !deps.waits) throw new Error(`Run ${state.run.id} waits for nothing.`)
  if (hold.isStopping() || hold.signal.aborted) return 'open'
  if (first.dueAt && first.dueAt.getTime() <= Date.now()) return undefined
  const { accountId, workflowId, runNumber } = state.run
  const parked = { accountId, workflowId, runNumber, dueAt: first.dueAt, waitingFor: toWaitingFor(first) }
  const result = await deps.waits.park(hold.claim, parked)
  // One that is to stop was given back with it, and ends with whoever takes it next.
  return result === 'lost' ? 'lost' : 'parked'
}

function handOf(execution: Execution) {
  const { hold } = execution
  const onWaiting = () => hold.tape?.giveUp('The run waited, so it was not recorded.')
  return { claim: hold.claim, around: aroundOf(execution), onWaiting }
}
