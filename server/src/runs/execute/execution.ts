/**
 * One run in the hands of one worker, from the moment it was claimed to its end or until the worker loses or gives up its hold:
 *
 *   plan ─► start the blocks that are ready ─► a block ended ─► record it (the last one together with the end) ─► plan …
 *
 * Nothing that depends on a block starts before the record of that block is durable.
 */

import { setTimeout as wait } from 'node:timers/promises'
import { isTransient } from '../../db/index.ts'
import { completionEffects } from '../../engine/run/completion.ts'
import { planRun, type RunPlan } from '../../engine/run/plan.ts'
import { bodyDepthMax } from '../../lib/body-text.ts'
import type { Json, JsonObject } from '../../lib/json.ts'
import { scanJson } from '../../lib/json-scan.ts'
import { JsonText, textOf } from '../../lib/json-text.ts'
import type { ScriptOutcome } from '../../sandbox/index.ts'
import type { BlockEntry, EndEntry } from '../record/recorder.ts'
import type { RunWaits } from '../record/wait-store.ts'
import type { RunTape } from '../recording/run-tape.ts'
import type { BlockRecord, RunClaim, RunStatus, SessionState } from '../run.ts'
import type { WebhookAnswer } from '../webhook-answer.ts'
import { BlockCalls } from './block-calls.ts'
import { type BlockScript, runBlockScript } from './block-script.ts'
import { type BlockWaitDeps, endWait, type ScriptEnd, waitAfterScript } from './block-wait.ts'
import { isTruthy } from './expression.ts'
import { mayTryAgain, retryWaitMs } from './retry-block.ts'
import { type ItemDeps, type ItemsEnd, runItems } from './run-items.ts'
import { addBlock, applySession, countBlockErrors, type KnownBlock, type RunState, type Tried } from './run-state.ts'
import { explainFailure, logText, sessionText, storable } from './sanitize-text.ts'
import { untilReachable } from './until-reachable.ts'
import { addWait, errorOf, findFirst, logOfTries, toWaitingFor, wakeDue } from './waits.ts'

/** What a fault of the service was about, for the log. */
type FaultOfRun = { accountId: string; runId: string; workflowId?: string; runNumber?: number }

export type ExecutionDeps = BlockWaitDeps & {
  recorder: ExecutionRecorder
  /** How long a block waits that asks to be tried again. */
  retryDelayMs?(asked: number): number
  /** Of the blocks under way the end that is taken next; otherwise the first that comes. */
  nextEnd?<End>(underWay: ReadonlyMap<string, Promise<End>>): Promise<End>
  sealDeferred(state: RunState, blockId: string, session: SessionState): Promise<Buffer | null>
  onFault(error: unknown, about?: FaultOfRun): void
  /** Absent where nothing really waits: then the next try follows at once. */
  waits?: Pick<RunWaits, 'put' | 'park' | 'list'>
  /** Absent where items cannot be run. */
  items?: ItemDeps['items']
}

/** Where the results go; undefined means that another worker owns the run now. */
export type ExecutionRecorder = {
  record(entry: BlockEntry): Promise<RunStatus | undefined>
  end(entry: EndEntry): Promise<object | undefined>
}

export type Hold = {
  claim: RunClaim
  /** Aborted when the hold is lost or the worker may wait no longer. */
  signal: AbortSignal
  /** Aborted when the run is to stop: a script that sleeps then ends, others finish. */
  stopSignal: AbortSignal
  /** Aborted once the worker is to stop: a block that sleeps or waits for its turn then begins again elsewhere. */
  leaveSignal?: AbortSignal
  /** True once the worker is to stop: blocks under way finish, no further ones start. */
  isStopping(): boolean
  onSleep(ms: number): void
  /** The run need not wait for its account's turn. */
  goesFirst?: boolean
  /** Knows which blocks really run; absent where nobody needs to. */
  blocks?: {
    /** Resolves when the block may be given to a process. */
    mayBegin(blockId: string): Promise<void>
    begin(blockId: string): void
    end(blockId: string): void
  }
  /** Takes down what a replay of the run will need. */
  tape?: RunTape | undefined
}

/** `ended`: the run is over. `lost`: another worker owns it. `open`: it must be handed back. `parked`: it waits, and nobody owns it. */
export type ExecutionResult = 'ended' | 'lost' | 'open' | 'parked'

/** What stays the same from the first block to the last. */
type Execution = { deps: ExecutionDeps; hold: Hold; state: RunState; webhook: Json | JsonText }

/** `answer`: to the webhook request of the run. `items`: of a block with items. */
type Ran = ScriptEnd & { answer?: WebhookAnswer | undefined; items?: ItemsEnd }
/** Its end may be taken later, when that of another block has been recorded. */
type Finished = Ran & { endedAt: Date }

const blockTriesMax = 3
/** A database that is away for a moment, for a restart say, is no reason to fail a block. */
const outagePatienceMs = 60_000
const outageWaitMs = 500
/** A script asks to be tried again, later, by throwing an error of this name. */
const retryErrorName = 'RetryError'
const askedRetriesMax = 5

export async function executeRun(
  deps: ExecutionDeps,
  hold: Hold,
  state: RunState,
  webhook: Json | JsonText,
): Promise<ExecutionResult> {
  const execution: Execution = { deps, hold, state, webhook }
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
    }
    const finished = await nextEnd(execution, underWay)
    if (finished === undefined) continue
    underWay.delete(finished.blockId)
    state.running.delete(finished.blockId)
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
    const block = takeBlock(state, finished)
    const result = await sealAndRecord(execution, block).catch((error: unknown) => {
      if (isTransient(error)) throw error
      return recordBlock(execution, withoutContents(execution, block, error))
    })
    if (result !== undefined) return result
  }
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

function makePlan(state: RunState): RunPlan {
  return planRun(state.workflow.chain, state.scope, state)
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

/** The last one is recorded together with the end. */
async function recordSkipped(execution: Execution, ids: readonly string[]): Promise<ExecutionResult | undefined> {
  for (const blockId of ids) {
    const result = await sealAndRecord(execution, skipBlock(execution.state, blockId, new Date()))
    if (result !== undefined) return result
  }
  return undefined
}

function skipBlock(state: RunState, blockId: string, at: Date): BlockRecord {
  const seq = state.seq + 1
  const nothing = { result: null, errorMessage: null, activeMs: 0, pauseMs: 0, calls: 0, isReused: false }
  addBlock(state, { blockId, seq, outcome: { kind: 'skipped' }, ...nothing })
  return {
    blockId,
    seq,
    status: 'Skipped',
    result: null,
    errorMessage: null,
    log: null,
    // The next one goes on from here.
    session: sessionText(state.session.vars),
    sealedDeferred: null,
    calls: null,
    endFlag: null,
    startedAt: at,
    endedAt: at,
    pauseMs: 0,
  }
}

/** True when the block will be tried again. */
async function waitForTry(execution: Execution, finished: Finished): Promise<boolean | 'lost'> {
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

function handOf(execution: Execution) {
  const { hold } = execution
  const onWaiting = () => hold.tape?.giveUp('The run waited, so it was not recorded.')
  return { claim: hold.claim, around: aroundOf(execution), onWaiting }
}

function aroundOf({ hold, state, webhook }: Execution) {
  return { state, webhook, signal: hold.signal, stopSignal: hold.stopSignal }
}

/** The condition of the block comes before its script. */
async function beginBlock(execution: Execution, blockId: string): Promise<Ran> {
  const { deps, state, hold } = execution
  const block = state.workflow.blocks.get(blockId)!
  const waited = state.waited.get(blockId)
  if (waited) return { ...(await untilReachable(() => endWait(deps, state, waited), hold.signal)), answer: undefined }
  if (block.runWhen === undefined || state.tried.has(blockId)) return runScriptOrItems(execution, blockId)
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

async function runScriptOrItems(execution: Execution, blockId: string): Promise<Ran> {
  const { deps, state, hold, webhook } = execution
  const block = state.workflow.blocks.get(blockId)!
  if (!block.forEach) return runBlock(execution, blockId)
  const calls = new BlockCalls(hold.claim.attempt + 1, state.workflow.recordCallBodies)
  const ran = { blockId, startedAt: new Date(), before: state.session, calls }
  const { items, waits } = deps
  if (!items || !waits) return { ...ran, outcome: failure('crashed', 'Blocks with items cannot be replayed.', []) }
  hold.tape?.giveUp('The run has blocks with items, so it was not recorded.')
  const end = await runItems({ ...deps, items, waits }, hold, state, { block, webhook })
  const outcome = end.kind === 'ended' ? end.outcome : failure('aborted', 'The items were interrupted.', [])
  return { ...ran, outcome, items: end }
}

async function runBlock(execution: Execution, blockId: string): Promise<Ran> {
  const { deps, hold, state } = execution
  const { signal, stopSignal } = hold
  const before = state.session
  const clock = new BlockClock()
  const given = toScript(execution, blockId, clock)
  const ranTo = (outcome: ScriptOutcome): Ran => {
    const whole = { ...outcome, pauseMs: Math.max(outcome.pauseMs, clock.pauseMs) }
    return {
      blockId,
      startedAt: clock.startedAt,
      outcome: whole,
      before,
      calls: given.calls,
      answer: given.answer.first,
    }
  }
  const earlier = { log: [] as string[], pauseMs: 0 }
  const logSoFar = () => [...earlier.log, ...given.cutOff]
  const patientUntil = performance.now() + outagePatienceMs
  let asked = 0
  for (let tries = 1; ; tries++) {
    try {
      if (tries === 1) await hold.blocks?.mayBegin(blockId)
      const outcome = await runBlockScript(deps, { ...given, usedMs: clock.usedMs })
      clock.end(outcome.pauseMs)
      // Something ended the script process from outside, for want of memory for example. Once may be bad luck, as long as nothing was done.
      if (outcome.kind === 'crashed' && tries === 1 && !given.calls.hasCalled) {
        given.cutOff = outcome.log
        given.tape = hold.tape?.startBlock(blockId)
        continue
      }
      const whole = { ...outcome, log: [...logSoFar(), ...outcome.log], pauseMs: earlier.pauseMs + outcome.pauseMs }
      given.cutOff = []
      const asksAgain = outcome.kind === 'threw' && outcome.name === retryErrorName && asked < askedRetriesMax
      if (!asksAgain) return ranTo(whole)
      const waitMs = (deps.retryDelayMs ?? retryDelayMs)(++asked)
      Object.assign(earlier, { log: whole.log, pauseMs: whole.pauseMs + waitMs })
      hold.onSleep(waitMs)
      await waitFor(waitMs, signal, stopSignal, ...(hold.leaveSignal ? [hold.leaveSignal] : []))
      if (stopSignal.aborted) return ranTo(whole)
      if (hold.leaveSignal?.aborted) return ranTo(failure('aborted', 'The script was stopped.', logSoFar()))
    } catch (error) {
      clock.forgetTry()
      if (signal.aborted) return ranTo(failure('aborted', 'The script was stopped.', logSoFar()))
      const { accountId, workflowId, runNumber } = state.run
      deps.onFault(error, { accountId, workflowId, runId: state.run.id, runNumber })
      given.tape = hold.tape?.startBlock(blockId)
      if (isTransient(error) && performance.now() < patientUntil) {
        tries = 0
        await waitFor(outageWaitMs, signal)
        continue
      }
      // What a block has done once it does not do again because the service has a fault.
      if (tries >= blockTriesMax || given.calls.hasCalled)
        return ranTo(failure('crashed', 'The service failed while this block ran.', logSoFar()))
    }
  }
}

type GivenScript = BlockScript & {
  /** What the last try had written before it was cut off. */
  cutOff: readonly string[]
}

function toScript({ hold, state, webhook }: Execution, blockId: string, clock: BlockClock): GivenScript {
  const given: GivenScript = {
    state,
    block: state.workflow.blocks.get(blockId)!,
    webhook,
    claim: hold.claim,
    // Those of a try that failed were made as well.
    calls: new BlockCalls(hold.claim.attempt + 1, state.workflow.recordCallBodies),
    tape: hold.tape?.startBlock(blockId),
    signal: hold.signal,
    stopSignal: hold.stopSignal,
    leaveSignal: hold.leaveSignal,
    onSleep: hold.onSleep,
    onBegin: () => {
      clock.begin()
      hold.blocks?.begin(blockId)
    },
    onCutOff: (log) => {
      given.cutOff = log
    },
    answer: {},
    goesFirst: hold.goesFirst ?? false,
    usedMs: 0,
    cutOff: [],
  }
  return given
}

/** The run time of one block over all its tries. Waiting for a process is none: at first the block has not started, later it is a pause. */
class BlockClock {
  startedAt = new Date()
  usedMs = 0
  #startedMs: number | undefined
  #begunMs: number | undefined

  begin(): void {
    this.#begunMs = performance.now()
    if (this.#startedMs !== undefined) return
    this.#startedMs = this.#begunMs
    this.startedAt = new Date()
  }

  end(pauseMs: number): void {
    if (this.#begunMs !== undefined) this.usedMs += Math.max(0, performance.now() - this.#begunMs - pauseMs)
    this.#begunMs = undefined
  }

  /** A try that a fault of the service ended takes nothing of the block's time. */
  forgetTry(): void {
    this.#begunMs = undefined
  }

  /** All that was not run time since the block started. */
  get pauseMs(): number {
    return this.#startedMs === undefined ? 0 : Math.round(performance.now() - this.#startedMs - this.usedMs)
  }
}

function failure(kind: 'aborted' | 'crashed', message: string, log: string[]): ScriptOutcome {
  return { kind, message, log, pauseMs: 0 }
}

async function waitFor(ms: number, ...signals: AbortSignal[]): Promise<void> {
  await wait(ms, undefined, { signal: AbortSignal.any(signals) }).catch(() => {})
}

/** 1, 2, 4, 8 and 16 seconds: no worker and no process is held meanwhile. */
function retryDelayMs(asked: number): number {
  return 1000 * 2 ** (asked - 1)
}

/** Takes what a block did into the state and returns what is to be recorded of it. */
function takeBlock(
  state: RunState,
  { blockId, startedAt, endedAt, outcome, before, calls, answer, judged, items, childRun }: Finished,
): BlockRecord {
  if (judged === 'skipped') return skipBlock(state, blockId, endedAt)
  const block = state.workflow.blocks.get(blockId)!
  const tried = state.tried.get(blockId)
  const hasReturned = outcome.kind === 'returned'
  if (hasReturned) {
    const { sessionVars: vars, deferredVault } = outcome
    applySession(state, before, { vars, vault: deferredVault.workflow, vaultGlobal: deferredVault.global })
  }
  const endFlag = hasReturned && outcome.stop ? outcome.stop.flag : null
  const known: KnownBlock = {
    blockId,
    seq: state.seq + 1,
    outcome: !hasReturned
      ? { kind: outcome.kind === 'stopped' ? 'stopped' : 'failed' }
      : endFlag === null
        ? { kind: 'succeeded' }
        : { kind: 'endedRun', flag: endFlag },
    result: hasReturned ? outcome.value : null,
    errorMessage: hasReturned ? null : storable(outcome.message),
    // The run's time limit does not count blocks with items.
    activeMs: items ? 0 : Math.max(0, endedAt.getTime() - startedAt.getTime() - outcome.pauseMs),
    pauseMs: outcome.pauseMs,
    calls: calls.count,
    isReused: false,
    ...(outcome.kind === 'threw' && outcome.response ? { response: outcome.response } : {}),
    ...(items?.kind === 'ended' ? { items: items.counts } : {}),
  }
  const isTolerated = block.needs === 'failed' || block.onError === 'continue'
  if (!hasReturned && outcome.kind !== 'stopped' && !isTolerated && state.failure === undefined) {
    const message = storable(explainFailure(block, outcome))
    state.failure = { blockId, message, isExpiredByTime: outcome.kind === 'timedOut' }
  }
  addBlock(state, known)
  return {
    blockId,
    seq: known.seq,
    status: hasReturned ? 'Ready' : 'Error',
    result: hasReturned ? textOf(outcome.value) : null,
    ...(hasReturned ? { itemCount: countItems(outcome.value) } : {}),
    ...answerOf(state, answer),
    vaultRanges: hasReturned ? (outcome.vaultRanges ?? null) : null,
    errorMessage: known.errorMessage,
    log: logText(logOfTries(tried, (block.retry?.times ?? 0) + 1, outcome.log)),
    session: sessionText(sessionLeft(state, outcome)),
    sealedDeferred: null,
    calls: calls.toText(),
    callCount: calls.count,
    endFlag,
    startedAt,
    endedAt,
    pauseMs: outcome.pauseMs,
    ...flowOfBlock((tried?.tries ?? 0) + 1, known, childRun),
  }
}

/** A run of several requests, or one that nobody waits for, answers nobody. */
function answerOf({ run }: RunState, answer: WebhookAnswer | undefined): Pick<BlockRecord, 'answer'> {
  const webhookId = run.webhookIds?.[0]
  return answer && run.answersWebhook && webhookId !== undefined ? { answer: { ...answer, webhookId } } : {}
}

function flowOfBlock(
  tries: number,
  { response, items }: KnownBlock,
  childRun: ScriptEnd['childRun'],
): { flow?: string } {
  if (tries === 1 && !response && !items && !childRun) return {}
  const flow = {
    ...(tries > 1 ? { tries } : {}),
    ...(response ? { response } : {}),
    ...(items ? { items } : {}),
    ...(childRun ? { childRun } : {}),
  }
  return { flow: JSON.stringify(flow) }
}

/** After a failure, session.vars as the block left them: nothing follows that could see them, but people look there for the reason. */
function sessionLeft(state: RunState, outcome: ScriptOutcome): JsonObject {
  return outcome.kind === 'threw' && outcome.sessionVars ? outcome.sessionVars : state.session.vars
}

function countItems(result: Json | JsonText): number {
  if (result instanceof JsonText) {
    const scan = scanJson(Buffer.from(result.content), bodyDepthMax)
    return scan.kind === 'json' ? (scan.items ?? 1) : 1
  }
  return Array.isArray(result) ? result.length : result === null ? 0 : 1
}

async function endRun(
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

function sumItems({ items }: RunState, what: 'total' | 'failed'): number {
  return [...items.values()].reduce((sum, counts) => sum + counts[what], 0)
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
