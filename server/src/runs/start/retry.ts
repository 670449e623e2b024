// RetryRun: a failed run once more, from the block that failed and with the same inputs.
import { type Principal, scopeOf } from '../../access/index.ts'
import type { Tx } from '../../db/index.ts'
import { orderBlocks } from '../../engine/chain/graph.ts'
import { listBlockOf, sourcesWithSameItems } from '../../engine/chain/same-items.ts'
import { joinProblems } from '../../engine/problem.ts'
import { type RunRange, scopeRun } from '../../engine/run/run-scope.ts'
import { AppError, notFound } from '../../lib/app-error.ts'
import { newId } from '../../lib/id.ts'
import type { WorkflowDefinition } from '../../workflows/index.ts'
import { listBlocks, type StoredBlock } from '../execute/claim-store.ts'
import { findRun } from '../history/history-store.ts'
import { noteRetried } from '../ledger/retry-store.ts'
import { copyItems } from '../record/carry-items.ts'
import { type Carried, carryContents } from './carry-contents.ts'
import { findStandingRetry, lockRetried, type RetriedRun, type StandingRetry } from './retry-store.ts'
import { type StartDeps, startWith } from './start.ts'
import { notDeployed, type RunRequest, type StartedRun } from './starter.ts'

/** The sentence and the number of the run that does the work, whether this call started it or an earlier one did. */
export type RetryAnswer = { runNumber: number; sentence: string }

type Key = { accountId: string; workflowId: string; runNumber: number }

export async function retryRun(
  deps: StartDeps,
  principal: Principal,
  workflowId: string,
  runNumber: number,
): Promise<RetryAnswer> {
  const { accountId } = scopeOf(principal)
  deps.ledger.requireRoom(accountId)
  const key = { accountId, workflowId, runNumber }
  const prepared = await prepareRetry(deps, key)
  if (!prepared) throw notFound('run')
  const answer = await deps.database.system.transaction(async (tx) => {
    const { started, standing } = await startRetry(deps, tx, prepared, { startedBy: principal.caller.id })
    if (standing) return { runNumber: standing.runNumber, sentence: tellStanding(runNumber, standing) }
    return {
      runNumber: started.runNumber,
      sentence: `Run ${started.runNumber} of the workflow "${started.workflowName}" has started. It retries run ${runNumber}.`,
    }
  })
  deps.starter.wake()
  return answer
}

/** What is read and copied before the transaction that starts a retry. */
export type PreparedRetry = {
  key: Key
  /** Of the new run. */
  id: string
  definition: WorkflowDefinition
  /** As the failed run had it; for a partial run only. */
  before: WorkflowDefinition | undefined
  isPartial: boolean
  hasEnded: boolean
  carried: Carried
}

/** Undefined when there is no such run. */
export async function prepareRetry(deps: StartDeps, key: Key): Promise<PreparedRetry | undefined> {
  const { accountId, workflowId, runNumber } = key
  const { system: db } = deps.database
  const found = await findRun(db, accountId, workflowId, runNumber)
  const definition = await deps.findDefinition(accountId, workflowId)
  if (!found || !definition) return undefined
  const isPartial = found.item.processorType === 'Debug'
  const before = await deps.findDefinition(accountId, workflowId, found.revision)
  const id = newId()
  // What a run left behind is final once it has ended.
  const hasEnded = found.item.endDateTimeUTC !== null
  const carried = hasEnded ? await carryContents({ ...deps, db }, accountId, found.id, id) : []
  return { key, id, definition, before, isPartial, hasEnded, carried }
}

/** `standing`: a retry that is under way or ended well; then nothing is started. The caller wakes the workers once its transaction is through. */
export async function startRetry(
  deps: StartDeps,
  tx: Tx,
  { key, id, definition, before, isPartial, hasEnded, carried }: PreparedRetry,
  more: Partial<RunRequest>,
): Promise<{ started: StartedRun; standing?: undefined } | { standing: StandingRetry; started?: undefined }> {
  const { accountId, workflowId, runNumber } = key
  const failed = await lockRetried(tx, key)
  if (!failed) throw notFound('run')
  const standing = await findStandingRetry(tx, accountId, failed)
  if (standing && standing.runNumber !== runNumber) return { standing }
  if (
    failed.status !== 'Error' &&
    failed.status !== 'Stopped' &&
    !(failed.status === 'Ready' && failed.blockErrors > 0)
  )
    throw notFailed(key, failed)
  if (!hasEnded) throw new AppError('not_ready', `Run ${runNumber} has only just ended. Try again.`)
  if (definition.state !== 'deployed') throw notDeployed(definition.state)
  const request: RunRequest = { ...inputsOf(key, failed), id, ...more }
  const range = carryRange(key, failed, before, definition)
  if (range) request.range = range
  const blocks = await listBlocks(tx, accountId, failed.id)
  const ready = listReady(definition, blocks)
  const reused = listReusable(definition, ready, { range, runNumber })
  const source = { runId: failed.id, blocks }
  const started = await startWith(deps, tx, request, { definition, source, reused, carried, keepsDeferred: true })
  // Of blocks with items only those that failed or did not begin run again.
  const continued = listContinued(definition, before, reused)
  await copyItems(tx, { fromRunId: failed.id, toRunId: id, accountId, blockIds: continued })
  if (failed.hasItems) await noteRetried(tx, { accountId, ...failed, reused }, started)
  if (failed.webhookIds !== null) {
    const { webhookIds, createdAt: failedSince } = failed
    await deps.webhooks.hold(tx, { accountId, workflowId, webhookIds, failedSince, run: started, isPartial })
  }
  return { started }
}

function tellStanding(runNumber: number, retry: StandingRetry): string {
  return retry.isUnderWay
    ? `Run ${retry.runNumber} is already retrying run ${runNumber}.`
    : `Run ${retry.runNumber} has already retried run ${runNumber} successfully.`
}

function notFailed({ runNumber }: Key, { status }: RetriedRun): AppError {
  const words = status === 'Ready' ? 'succeeded' : 'is still in progress'
  return new AppError('run_not_failed', `Run ${runNumber} ${words}. Only a failed or stopped run can be retried.`)
}

function inputsOf({ accountId, workflowId }: Key, failed: RetriedRun): RunRequest {
  return {
    accountId,
    workflowId,
    runBy: 'Retry',
    reusedRunId: failed.id,
    isWebhookBatch: failed.isWebhookBatch,
    movesDateLastRun: failed.movesDateLastRun,
    ...(failed.webhookIds ? { webhookIds: failed.webhookIds } : {}),
  }
}

/** The range means blocks, and their numbers may have changed since. */
function carryRange(
  { runNumber }: Key,
  failed: RetriedRun,
  then: WorkflowDefinition | undefined,
  now: WorkflowDefinition,
): RunRange | undefined {
  if (failed.runFrom === null && failed.runTill === null) return undefined
  const carry = (no: number): number => {
    const block = then?.chain[no - 1]
    const at = now.chain.findIndex(({ uniqueBlockId }) => uniqueBlockId === block?.uniqueBlockId)
    if (at >= 0) return at + 1
    const name = block ? `Block ${no} "${block.blockName}"` : `Block ${no}`
    throw new AppError('blocks_invalid', `${name}, where run ${runNumber} began or ended, is gone from the workflow.`)
  }
  return {
    ...(failed.runFrom === null ? {} : { runFromBlock: carry(failed.runFrom) }),
    ...(failed.runTill === null ? {} : { runTillBlock: carry(failed.runTill) }),
  }
}

/** Blocks with items that have to run, and whose list stays the same. Another list is made anew, and its items are matched by key. */
function listContinued(
  definition: WorkflowDefinition,
  before: WorkflowDefinition | undefined,
  reused: readonly string[],
): string[] {
  const kept = new Set(reused)
  const continued = new Set<string>()
  const blocks = new Map(definition.chain.map((block) => [block.uniqueBlockId, block]))
  const itemsBefore = new Map(before?.chain.map(({ uniqueBlockId, forEach }) => [uniqueBlockId, forEach?.items]))
  // In the order of execution, so that a block with the same items comes after the one with the list.
  for (const id of orderBlocks(definition.chain)) {
    const block = blocks.get(id)
    if (!block?.forEach || kept.has(id) || itemsBefore.get(id) !== block.forEach.items) continue
    const same = sourcesWithSameItems(blocks, block)
    const isKept = (source: string) => kept.has(source) || (same.includes(source) && continued.has(source))
    if (block.dataSources.every(isKept)) continued.add(id)
  }
  return [...continued]
}

/** Blocks that ended well. Items that failed are tried again in every block of a scope of which one failed. */
function listReady({ chain }: WorkflowDefinition, blocks: readonly StoredBlock[]): Set<string> {
  const known = new Map(chain.map((block) => [block.uniqueBlockId, block]))
  const failed = blocks.filter(({ status }) => status === 'Error').map(({ blockId }) => listBlockOf(known, blockId))
  const failedScopes = new Set(failed.filter((id) => id !== undefined))
  const isReady = ({ status, blockId, flow }: StoredBlock) => {
    if (status === 'Error') return false
    const scope = listBlockOf(known, blockId)
    return (flow?.items?.failed ?? 0) === 0 || scope === undefined || !failedScopes.has(scope)
  }
  return new Set(blocks.filter(isReady).map(({ blockId }) => blockId))
}

/** Blocks that ended well and are still there, unless they build on one that has to run now. */
function listReusable(
  definition: WorkflowDefinition,
  ready: ReadonlySet<string>,
  { range = {}, runNumber }: { range: RunRange | undefined; runNumber: number },
): readonly string[] {
  const checked = scopeRun(definition.chain, range, ready, `run ${runNumber}`)
  if (!checked.ok) throw new AppError('blocks_invalid', joinProblems(checked.problems))
  const reused = new Set(checked.value.reused)
  const sources = new Map(definition.chain.map(({ uniqueBlockId, dataSources }) => [uniqueBlockId, dataSources]))
  for (const blockId of checked.value.blocks) {
    if (ready.has(blockId) && (sources.get(blockId) ?? []).every((source) => reused.has(source))) reused.add(blockId)
  }
  return [...reused]
}
