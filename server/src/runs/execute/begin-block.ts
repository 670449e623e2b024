// What a block begins with: the end of its wait, its condition, its script or its items.
import { BlockCalls } from './block-calls.ts'
import { endWait } from './block-wait.ts'
import { isTruthy } from './expression.ts'
import { aroundOf, type Execution, type Ran } from './hold.ts'
import { failure } from './outage.ts'
import { runBlock } from './run-block.ts'
import { runItems } from './run-items.ts'
import { untilReachable } from './until-reachable.ts'

/** The condition of the block comes before its script. */
export async function beginBlock(execution: Execution, blockId: string): Promise<Ran> {
  const { deps, state, hold } = execution
  const block = state.workflow.blocks.get(blockId)!
  const waited = state.waited.get(blockId)
  if (waited)
    return { ...(await untilReachable(() => endWait(deps, hold.claim, state, waited), hold.signal)), answer: undefined }
  if (block.runWhen === undefined || state.tried.has(blockId) || (await hasItems(execution, blockId)))
    return runScriptOrItems(execution, blockId)
  const expression = { what: 'The condition', source: block.runWhen }
  const condition = await untilReachable(
    () => isTruthy(deps, { ...aroundOf(execution), block }, expression),
    hold.signal,
  )
  if (condition.ok && condition.value) return runScriptOrItems(execution, blockId)
  const calls = new BlockCalls(hold.claim.attempt + 1, state.workflow.recordCallBodies)
  const ran = { blockId, startedAt: new Date(), before: state.session, calls }
  if (!condition.ok) return { ...ran, outcome: condition.failure, judged: 'failed' }
  return { ...ran, outcome: failure('crashed', 'The block was skipped.', []), judged: 'skipped' }
}

/** The items of a block that goes on were begun when its condition held. */
async function hasItems({ deps, state, hold }: Execution, blockId: string): Promise<boolean> {
  const { items } = deps
  if (!items || !state.workflow.blocks.get(blockId)?.forEach) return false
  if (state.wasPut.has(blockId)) return true
  const { accountId, id: runId } = state.run
  return hold.claim.attempt > 0 && untilReachable(() => items.hasList({ accountId, runId, blockId }), hold.signal)
}

/** Where nothing really waits. */
const noWaits = { put: async () => true, list: async () => [] }

async function runScriptOrItems(execution: Execution, blockId: string): Promise<Ran> {
  const { deps, state, hold, webhook } = execution
  const block = state.workflow.blocks.get(blockId)!
  if (!block.forEach) return runBlock(execution, blockId)
  const calls = new BlockCalls(hold.claim.attempt + 1, state.workflow.recordCallBodies)
  const ran = { blockId, startedAt: new Date(), before: state.session, calls }
  const { items, waits = noWaits } = deps
  const end = await runItems({ ...deps, items, waits, triesAtOnce: waits === noWaits }, hold, state, { block, webhook })
  const outcome = end.kind === 'ended' ? end.outcome : failure('aborted', 'The items were interrupted.', [])
  return { ...ran, outcome, items: end }
}
