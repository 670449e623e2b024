// What a block did, taken into the state of its run and made ready to be recorded.
import { bodyDepthMax } from '../../lib/body-text.ts'
import type { Json, JsonObject } from '../../lib/json.ts'
import { scanJson } from '../../lib/json-scan.ts'
import { JsonText, textOf } from '../../lib/json-text.ts'
import type { ScriptOutcome } from '../../sandbox/index.ts'
import type { BlockRecord } from '../run.ts'
import type { WebhookAnswer } from '../webhook-answer.ts'
import type { ScriptEnd } from './block-wait.ts'
import type { Finished } from './hold.ts'
import { addBlock, applySession, type KnownBlock, type RunState } from './run-state.ts'
import { explainFailure, logText, sessionText, storable } from './sanitize-text.ts'
import { logOfTries } from './waits.ts'

/** Takes what a block did into the state and returns what is to be recorded of it. */
export function takeBlock(
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
export function answerOf({ run }: RunState, answer: WebhookAnswer | undefined): Pick<BlockRecord, 'answer'> {
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

export function skipBlock(state: RunState, blockId: string, at: Date): BlockRecord {
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
