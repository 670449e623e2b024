// Blocks that wait after their script: for a time, for an event, or for a run of another workflow. Nothing is held meanwhile.
import type { Json } from '../../lib/json.ts'
import { type JsonText, jsonOf } from '../../lib/json-text.ts'
import type { ScriptOutcome } from '../../sandbox/index.ts'
import type { RunWait, RunWaits } from '../record/wait-store.ts'
import type { RunClaim, SessionState } from '../run.ts'
import type { BlockCalls } from './block-calls.ts'
import type { PlannedBlock } from './definition-cache.ts'
import { type Around, evaluate } from './expression.ts'
import { type KeptBlock, keepBlock, resultOf, timesOf, type WaitOutcome } from './kept-block.ts'
import type { RunState } from './run-state.ts'
import { type ChildDeps, type ChildStarts, childValue, type StartedChild, startChild } from './start-child.ts'
import { type AskedApproval, planWait, type WaitPlan } from './wait-plan.ts'
import { addWait } from './waits.ts'

/** Beginnings of waits that others end. */
export type WaitStarts = ChildStarts & {
  /** `outcome`: of somebody who resumed the run before it waited. */
  beginTime(
    claim: RunClaim,
    accountId: string,
    wait: Omit<RunWait, 'outcome'>,
  ): Promise<{ outcome: string | null } | 'lost'>
  /** `outcome`: of an event that came before and has ended it, or of somebody who resumed the run. */
  beginEvent(
    claim: RunClaim,
    accountId: string,
    wait: Omit<RunWait, 'outcome'>,
    event: { names: readonly string[]; key: string | null },
  ): Promise<{ outcome: string | null } | 'lost'>
  beginApproval(
    claim: RunClaim,
    run: { accountId: string; workflowId: string; runNumber: number },
    wait: Omit<RunWait, 'outcome'>,
    asked: AskedApproval,
  ): Promise<{ outcome: string | null } | 'lost'>
}

export type BlockWaitDeps = ChildDeps & {
  /** Absent where nothing really waits. */
  waits?: Pick<RunWaits, 'put' | 'expire'>
  waitStarter?: WaitStarts
  sealDeferred(state: RunState, blockId: string, session: SessionState): Promise<Buffer | null>
  openDeferred?(state: RunState, blockId: string, sealed: Buffer): Promise<Omit<SessionState, 'vars'>>
}

export type ScriptEnd = {
  blockId: string
  startedAt: Date
  outcome: ScriptOutcome
  before: SessionState
  calls: Pick<BlockCalls, 'count' | 'toText' | 'hasCalled'>
  judged?: 'skipped' | 'failed'
  /** It has waited. */
  hasWaited?: true
  childRun?: { workflowId: string; runNumber: number }
}

type Hand = { claim: RunClaim; around: Omit<Around, 'block'>; onWaiting(): void }

/** True when the block waits now. May put another end in place of the script's: an expression failed, or there is nothing to wait for. */
export async function waitAfterScript(deps: BlockWaitDeps, hand: Hand, end: ScriptEnd): Promise<boolean | 'lost'> {
  const { state } = hand.around
  const block = state.workflow.blocks.get(end.blockId)!
  if (!(block.wait || block.subWorkflow) || end.hasWaited || end.judged || end.outcome.kind !== 'returned') return false
  // Its items have waited, each on its own.
  if (end.outcome.stop || block.forEach) return false
  if (block.subWorkflow) return waitForChild(deps, hand, block, end)
  const prepared = jsonOf(end.outcome.value)
  const around = { ...hand.around, block }
  const planned = await planWait(block.wait!, block.blockName, prepared, (one) => evaluate(deps, around, one))
  if (!planned.ok) return fail(end, planned.failure.message)
  const { plan } = planned
  const waitsForReal = !state.run.isPartial || state.run.partial?.waitForReal === true
  const isPassed = !waitsForReal || !deps.waits || (plan.kind === 'time' && plan.dueAt.getTime() <= Date.now())
  if (isPassed) {
    const outcome = plan.kind === 'time' ? 'time' : 'timedOut'
    return replaceValue(end, resultOf({ prepared }, { outcome, dateTimeUTC: new Date().toISOString() }))
  }
  const kept = await keep(deps, state, end)
  const onTimeout = block.wait?.onTimeout ?? 'fail'
  const wait = toWait(block, plan, plan.kind === 'time' ? kept : { ...kept, onTimeout })
  const begun = await begin(deps, hand, wait, plan)
  if (begun === 'lost') return 'lost'
  hand.onWaiting()
  addWait(state, { ...wait, outcome: begun })
  return true
}

function toWait(block: PlannedBlock, plan: WaitPlan, kept: KeptBlock): Omit<RunWait, 'outcome'> {
  const { kind, dueAt } = plan
  return { blockId: block.uniqueBlockId, itemIndex: -1, kind, dueAt, details: JSON.stringify(kept) }
}

/** The outcome, where there is one already. */
async function begin(
  deps: BlockWaitDeps,
  { claim, around }: Hand,
  wait: Omit<RunWait, 'outcome'>,
  plan: WaitPlan,
): Promise<string | null | 'lost'> {
  const { accountId } = around.state.run
  const starter = deps.waitStarter!
  const begun =
    plan.kind === 'time'
      ? await starter.beginTime(claim, accountId, wait)
      : plan.kind === 'approval'
        ? await starter.beginApproval(claim, around.state.run, wait, plan)
        : await starter.beginEvent(claim, accountId, wait, plan)
  return begun === 'lost' ? 'lost' : begun.outcome
}

async function waitForChild(
  deps: BlockWaitDeps,
  hand: Hand,
  block: PlannedBlock,
  end: ScriptEnd,
): Promise<boolean | 'lost'> {
  if (end.outcome.kind !== 'returned') return false
  const { state } = hand.around
  const kept = await keep(deps, state, end)
  const detailsOf = (child: StartedChild) => JSON.stringify({ ...kept, child })
  const started = await startChild(deps, hand, { block, returned: end.outcome.value, detailsOf })
  if (started === 'lost') return 'lost'
  if ('failure' in started) return fail(end, started.failure)
  hand.onWaiting()
  addWait(state, started.wait)
  return true
}

async function keep(deps: BlockWaitDeps, state: RunState, end: ScriptEnd): Promise<KeptBlock> {
  if (end.outcome.kind !== 'returned') throw new Error('Only a script that returned is followed by a wait.')
  const { deferredVault } = end.outcome
  const session = { vars: {}, vault: deferredVault.workflow, vaultGlobal: deferredVault.global }
  return keepBlock({ ...end, outcome: end.outcome }, await deps.sealDeferred(state, end.blockId, session))
}

/** The end of a block that has waited. */
export async function endWait(
  deps: BlockWaitDeps,
  claim: RunClaim,
  state: RunState,
  waited: RunWait,
): Promise<ScriptEnd> {
  const { blockId } = waited
  const wait = await settle(deps, claim, waited)
  const kept = JSON.parse(wait.details) as KeptBlock
  const { startedAt, pauseMs } = timesOf(kept, new Date())
  const deferred =
    kept.deferred === null || !deps.openDeferred
      ? { vault: {}, vaultGlobal: {} }
      : await deps.openDeferred(state, blockId, Buffer.from(kept.deferred, 'base64'))
  const always = { log: kept.log, pauseMs }
  const value = wait.kind === 'subWorkflow' ? await childValue(deps, wait.outcome, kept.child) : waitedValue(wait, kept)
  return {
    blockId,
    startedAt,
    before: { vars: kept.before, vault: {}, vaultGlobal: {} },
    calls: { count: kept.calls.count, toText: () => kept.calls.text, hasCalled: kept.calls.count > 0 },
    hasWaited: true,
    ...(kept.child ? { childRun: { workflowId: kept.child.workflowId, runNumber: kept.child.runNumber } } : {}),
    ...('failure' in value
      ? { judged: 'failed', outcome: { kind: 'threw', name: 'Error', message: value.failure, ...always } }
      : {
          outcome: {
            kind: 'returned',
            value: value.value,
            sessionVars: kept.after as { [name: string]: Json },
            deferredVault: { workflow: deferred.vault, global: deferred.vaultGlobal },
            ...always,
          },
        }),
  }
}

/** At the end of its time somebody else may be ending it as well. */
async function settle({ waits }: BlockWaitDeps, claim: RunClaim, wait: RunWait): Promise<RunWait> {
  if (wait.outcome !== null || (wait.kind !== 'event' && wait.kind !== 'approval') || !waits) return wait
  const timedOut: WaitOutcome = { outcome: 'timedOut', dateTimeUTC: new Date().toISOString() }
  return { ...wait, outcome: await waits.expire(claim, wait, JSON.stringify(timedOut)) }
}

type Value = { value: Json | JsonText } | { failure: string }

function waitedValue({ kind, outcome }: RunWait, kept: KeptBlock): Value {
  const dateTimeUTC = new Date().toISOString()
  if (outcome === null) return { value: resultOf(kept, { outcome: 'time', dateTimeUTC }) }
  const ended = JSON.parse(outcome) as WaitOutcome
  if (ended.outcome !== 'timedOut' || kept.onTimeout === 'continue') return { value: resultOf(kept, ended) }
  return { failure: kind === 'approval' ? 'Nobody decided in time.' : 'The wait timed out.' }
}

function replaceValue(end: ScriptEnd, value: Json): false {
  if (end.outcome.kind === 'returned') end.outcome = { ...end.outcome, value }
  return false
}

function fail(end: ScriptEnd, message: string): false {
  const { log, pauseMs } = end.outcome
  end.outcome = { kind: 'threw', name: 'Error', message, log, pauseMs }
  end.judged = 'failed'
  return false
}
