// The further tries of a block that asks for them: each is a row that waits until it is due.
import { isTruthy } from './expression.ts'
import { aroundOf, type Execution, type Finished } from './hold.ts'
import { mayTryAgain, retryWaitMs } from './retry-block.ts'
import type { Tried } from './run-state.ts'
import { addWait, errorOf, logOfTries } from './waits.ts'

/** True when the block will be tried again. */
export async function waitForTry(execution: Execution, finished: Finished): Promise<boolean | 'lost'> {
  const { deps, hold, state } = execution
  const { blockId, outcome, startedAt } = finished
  const block = state.workflow.blocks.get(blockId)!
  const tried = state.tried.get(blockId)
  const tries = (tried?.tries ?? 0) + 1
  // A run that is ending does not wait for what would be given up.
  const isEnding = state.stopRequested || (state.failure !== undefined && block.needs !== 'failed')
  if (!block.retry || block.forEach || isEnding || finished.judged || !mayTryAgain(block.retry, tries, outcome))
    return false
  if (block.retry.when !== undefined) {
    const rule = { what: 'The retry rule', source: block.retry.when, extras: { error: errorOf(outcome) } }
    const wanted = await isTruthy(deps, { ...aroundOf(execution), block }, rule)
    if (!wanted.ok) finished.outcome = { ...wanted.failure, log: outcome.log, pauseMs: outcome.pauseMs }
    if (!wanted.ok || !wanted.value) return false
  }
  const next: Tried = {
    tries,
    log: logOfTries(tried, block.retry.times + 1, outcome.log),
    startedAt: tried?.startedAt ?? startedAt.toISOString(),
    pauseMs: (tried?.pauseMs ?? 0) + outcome.pauseMs,
    calls: finished.calls.toText(),
  }
  if (!deps.waits) {
    state.tried.set(blockId, next)
    return true
  }
  const dueAt = new Date(Date.now() + retryWaitMs(block.retry, tries))
  const wait = { blockId, itemIndex: -1, kind: 'retry' as const, dueAt, details: JSON.stringify(next) }
  if (!(await deps.waits.put(hold.claim, state.run.accountId, wait))) return 'lost'
  hold.tape?.giveUp('The run waited for another try of a block, so it was not recorded.')
  addWait(state, { ...wait, outcome: null })
  return true
}
