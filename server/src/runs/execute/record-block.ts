// The record of a block, and of the end of its run: the last block and the end are one.
import { isTransient } from '../../db/index.ts'
import { completionEffects } from '../../engine/run/completion.ts'
import { planRun, type RunPlan } from '../../engine/run/plan.ts'
import type { EndEntry } from '../record/entries.ts'
import type { BlockRecord } from '../run.ts'
import type { Execution, ExecutionResult, Finished, Hold } from './hold.ts'
import { outagePatienceMs, outageWaitMs, waitFor } from './outage.ts'
import { countBlockErrors, type RunState } from './run-state.ts'
import { storable } from './sanitize-text.ts'
import { skipBlock, takeBlock } from './take-block.ts'

/** Undefined when the run goes on. */
export async function takeAndRecord(execution: Execution, finished: Finished): Promise<ExecutionResult | undefined> {
  const block = takeBlock(execution.state, finished)
  return sealAndRecord(execution, block).catch((error: unknown) => {
    if (isTransient(error)) throw error
    return recordBlock(execution, withoutContents(execution, block, error))
  })
}

/** The last one is recorded together with the end. */
export async function recordSkipped(
  execution: Execution,
  ids: readonly string[],
): Promise<ExecutionResult | undefined> {
  for (const blockId of ids) {
    const result = await sealAndRecord(execution, skipBlock(execution.state, blockId, new Date()))
    if (result !== undefined) return result
  }
  return undefined
}

async function sealAndRecord(execution: Execution, block: BlockRecord): Promise<ExecutionResult | undefined> {
  return recordBlock(execution, { ...block, sealedDeferred: await sealDeferred(execution, block.blockId) })
}

/** The key may have to be fetched: a database that is away for a moment is no reason to run the block again. */
async function sealDeferred({ deps, hold, state }: Execution, blockId: string): Promise<Buffer | null> {
  const patientUntil = performance.now() + outagePatienceMs
  for (;;) {
    try {
      return await deps.sealDeferred(state, blockId, state.session)
    } catch (error) {
      if (!isTransient(error) || hold.signal.aborted || performance.now() > patientUntil) throw error
      deps.onFault(error)
      await waitFor(outageWaitMs, hold.signal)
    }
  }
}

/** The last block is recorded together with the end. */
async function recordBlock(execution: Execution, block: BlockRecord): Promise<ExecutionResult | undefined> {
  const { deps, hold, state } = execution
  const next = makePlan(state)
  if (next.kind !== 'run' && next.kind !== 'park') return endRun(execution, next, block)
  const status = await deps.recorder.record({ ...entryOf(hold, state), block })
  if (status === undefined) return 'lost'
  if (status === 'Stopping') state.stopRequested = true
  return undefined
}

export function makePlan(state: RunState): RunPlan {
  return planRun(state.workflow.chain, state.scope, state)
}

export async function endRun(
  { deps, hold, state }: Execution,
  plan: Exclude<RunPlan, { kind: 'run' | 'park' }>,
  block?: BlockRecord,
): Promise<ExecutionResult> {
  const { run, session } = state
  const effects = completionEffects({
    isPartial: run.isPartial,
    runBy: run.runBy,
    endedEarly: plan.kind === 'completed' ? plan.endedEarly : null,
    updateDateLastRun: run.movesDateLastRun,
  })
  const entry: EndEntry = {
    ...entryOf(hold, state),
    block,
    work: state.work,
    outputBlock: state.workflow.outputBlock,
    mayWait: state.workflow.mayWait,
    recording: hold.tape?.finish(),
    end: {
      status: plan.kind === 'completed' ? 'Ready' : plan.kind === 'failed' ? 'Error' : 'Stopped',
      errorMessage: plan.kind === 'failed' ? (state.failure?.message ?? 'A block failed.') : null,
      isExpiredByTime: plan.kind === 'failed' && (state.failure?.isExpiredByTime ?? false),
      blockErrors: countBlockErrors(state),
      itemsTotal: sumItems(state, 'total'),
      itemsFailed: sumItems(state, 'failed'),
    },
    onSuccess: {
      movesDateLastRun: effects.movesDateLastRun && run.movesDateLastRun,
      deferred: effects.writesDeferredVault ? session : { vault: {}, vaultGlobal: {} },
    },
  }
  return (await deps.recorder.end(entry)) ? 'ended' : 'lost'
}

/** A block that cannot be recorded as it is must not run again: it is recorded as failed, which ends its run. */
function withoutContents({ deps, state }: Execution, block: BlockRecord, error: unknown): BlockRecord {
  const { accountId, workflowId, runNumber } = state.run
  deps.onFault(error, { accountId, workflowId, runId: state.run.id, runNumber })
  const errorMessage = 'The block ran, but what it returned could not be stored.'
  const { no, blockName } = state.workflow.blocks.get(block.blockId)!
  const message = storable(`Block ${no} "${blockName}" failed: ${errorMessage}`)
  state.failure ??= { blockId: block.blockId, message, isExpiredByTime: false }
  state.outcomes.set(block.blockId, { kind: 'failed' })
  const { blockId, seq, startedAt, endedAt, pauseMs } = block
  const nothing = { result: null, log: null, session: null, calls: null, sealedDeferred: null, endFlag: null }
  return { blockId, seq, startedAt, endedAt, pauseMs, ...nothing, status: 'Error', errorMessage }
}

/** Items that blocks share are counted once. */
function sumItems({ items, workflow }: RunState, what: 'total' | 'failed'): number {
  const isCounted = (id: string) => what === 'failed' || !workflow.blocks.get(id)?.forEach?.sameItemsAs
  return [...items].reduce((sum, [id, counts]) => sum + (isCounted(id) ? counts[what] : 0), 0)
}

/** What the column takes. */
const pauseMsMax = 2_147_483_647

function entryOf(hold: Hold, state: RunState) {
  const { run, workflow, lastBlockId, pauseMs } = state
  return {
    claim: hold.claim,
    scope: { organizationId: workflow.organizationId, accountId: run.accountId },
    workflowId: run.workflowId,
    runNumber: run.runNumber,
    progress: {
      pauseMs: Math.min(pauseMs, pauseMsMax),
      lastBlockId,
      lastBlockTitle: lastBlockId === null ? null : (workflow.blocks.get(lastBlockId)?.blockName ?? null),
    },
  }
}
