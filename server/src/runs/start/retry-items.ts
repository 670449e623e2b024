// RetryItems: failed items of a run that ended well, once more. The new run has those items and no others; blocks before keep their results.
import type { BodyOf, Operations } from '@patchbay/contract'
import { type Principal, scopeOf } from '../../access/index.ts'
import { actorOf, recordAudit } from '../../audit/index.ts'
import type { Tx } from '../../db/index.ts'
import { AppError, notFound } from '../../lib/app-error.ts'
import { newId } from '../../lib/id.ts'
import type { Json } from '../../lib/json.ts'
import type { WorkflowDefinition } from '../../workflows/index.ts'
import { listBlocks, type StoredBlock } from '../execute/claim-store.ts'
import { findRun } from '../history/history-store.ts'
import {
  findRoot,
  hasBlock,
  type ItemsOfRun,
  lockOpen,
  noteItemsRetried,
  type OpenItem,
} from '../ledger/retry-store.ts'
import { openItem } from '../record/failed-item-store.ts'
import { insertList, type ListedItem } from '../record/item-store.ts'
import { carryContents } from './carry-contents.ts'
import type { RetryAnswer } from './retry.ts'
import { lockRetried, lockRow, type RetriedRun } from './retry-store.ts'
import { type StartDeps, startWith } from './start.ts'
import { passOver } from './start-store.ts'
import { notDeployed, type RunRequest } from './starter.ts'

type Body = BodyOf<Operations['RetryItems']>

const itemBytesMax = 1_048_576
/** As many keys as a line of the audit log has room for. */
const keysAudited = 20

export async function retryItems(
  deps: StartDeps,
  principal: Principal,
  workflowId: string,
  body: Body,
): Promise<RetryAnswer> {
  const { accountId } = scopeOf(principal)
  const { runNumber, uniqueBlockId: blockId } = body
  const edited = readEdited(body)
  deps.ledger.requireRoom(accountId)
  const definition = await deps.findDefinition(accountId, workflowId)
  if (!definition) throw notFound('workflow')
  const { system: db } = deps.database
  const found = await findRun(db, accountId, workflowId, runNumber)
  const at: ItemsOfRun = { accountId, workflowId, runNumber, blockId, runId: found?.id ?? null }
  const rootOfGone = found ? undefined : await findRoot(db, at)
  if (!found && rootOfGone === undefined) throw notFound('run')
  if (found) requireEndedWell(runNumber, found.item)
  if (!(await hasBlock(db, at))) throw notFound('block in this run')
  const id = newId()
  const carried = found ? await carryContents({ ...deps, db }, accountId, found.id, id) : []
  const answer = await db.transaction(async (tx) => {
    const source = found ? await lockRetried(tx, { accountId, workflowId, runNumber }) : undefined
    if (found && !source) throw notFound('run')
    if (rootOfGone) await lockRow(tx, rootOfGone)
    const open = await chooseItems(tx, at, body.keys ?? (edited && [...edited.keys()]))
    const [{ rootRunId } = never()] = open
    if (definition.state !== 'deployed') throw notDeployed(definition.state)
    const blocks = source ? await listBlocks(tx, accountId, source.id) : []
    const parts = partsOf(definition, at, blocks)
    const request = { ...inputsOf(at, rootRunId, source), id, startedBy: principal.caller.id }
    const run = await startWith(deps, tx, request, {
      definition,
      source: source && { runId: source.id, blocks },
      reused: parts.reused,
      carried,
      keepsDeferred: false,
    })
    // Of a run that is kept no longer nothing is left to see, and of blocks that had no result there is none.
    await passOver(tx, { runId: id, accountId, blockIds: parts.others, status: source ? 'Skipped' : 'Ready' })
    const list = await openAll(deps, at, open, edited)
    await insertList(tx, { runId: id, accountId, blockId, lanes: parts.lanes }, list)
    const keys = open.map(({ key }) => key)
    await noteItemsRetried(tx, { ...at, rootRunId }, keys, run)
    await recordAudit(tx, actorOf(principal), {
      action: 'items.retried',
      target: workflowId,
      details: {
        runNumber,
        uniqueBlockId: blockId,
        retriedByRunNumber: run.runNumber,
        count: keys.length,
        keys: keys.slice(0, keysAudited),
        isEdited: edited !== undefined,
      },
    })
    const what = keys.length === 1 ? '1 item' : `${keys.length} items`
    const sentence = `Run ${run.runNumber} of the workflow "${run.workflowName}" has started. It retries ${what} of run ${runNumber}.`
    return { runNumber: run.runNumber, sentence }
  })
  deps.starter.wake()
  return answer
}

function readEdited({ keys, items }: Body): Map<string, Json> | undefined {
  if (!items) return undefined
  if (keys) throw notOpen('Give either keys or items, not both.')
  const edited = new Map<string, Json>()
  for (const { key, item } of items) {
    if (edited.has(key)) throw notOpen(`The key ${JSON.stringify(key)} is given twice.`)
    if (Buffer.byteLength(JSON.stringify(item)) > itemBytesMax)
      throw notOpen(`The item ${JSON.stringify(key)} is larger than 1 MiB.`)
    edited.set(key, item as Json)
  }
  return edited
}

function requireEndedWell(runNumber: number, run: { status: string; endDateTimeUTC: string | null }): void {
  if (run.endDateTimeUTC === null) throw notOpen(`Run ${runNumber} is still in progress.`)
  if (run.status === 'Error') throw notOpen(`Run ${runNumber} failed. Use RetryRun, which retries its items as well.`)
  if (run.status === 'Stopped')
    throw notOpen(`Run ${runNumber} was stopped. Use RetryRun, which retries its items as well.`)
}

/** Those that were named, or all that nobody retries at the moment. */
async function chooseItems(tx: Tx, at: ItemsOfRun, keys: readonly string[] | undefined): Promise<OpenItem[]> {
  const open = await lockOpen(tx, at, keys)
  const found = new Set(open.map(({ key }) => key))
  const unknown = keys?.find((key) => !found.has(key))
  if (unknown !== undefined)
    throw notOpen(`The item ${JSON.stringify(unknown)} is not an open failed item of this block.`)
  const taken = open.find(({ retriedBy }) => retriedBy !== null)
  if (keys && taken)
    throw notOpen(`The item ${JSON.stringify(taken.key)} is already being retried by run ${taken.retriedBy}.`)
  const free = open.filter(({ retriedBy }) => retriedBy === null)
  if (free.length > 0) return free
  throw notOpen(
    taken
      ? `The failed items are already being retried by run ${taken.retriedBy}.`
      : `The block has no open failed items in run ${at.runNumber}.`,
  )
}

/** `reused`: blocks before, with their results. `others`: what neither ran there nor follows from the items. */
function partsOf({ chain }: WorkflowDefinition, { runNumber, blockId }: ItemsOfRun, blocks: readonly StoredBlock[]) {
  const block = chain.find(({ uniqueBlockId }) => uniqueBlockId === blockId)
  if (!block)
    throw new AppError('blocks_invalid', `The block whose items failed in run ${runNumber} is gone from the workflow.`)
  if (!block.forEach) throw new AppError('blocks_invalid', `The block "${block.blockName}" no longer has items.`)
  const following = new Set([blockId])
  for (let size = 0; size !== following.size; ) {
    size = following.size
    for (const { uniqueBlockId, dataSources } of chain)
      if (dataSources.some((source) => following.has(source))) following.add(uniqueBlockId)
  }
  const ready = new Set(blocks.filter(({ status }) => status !== 'Error').map((stored) => stored.blockId))
  const before = chain.map(({ uniqueBlockId }) => uniqueBlockId).filter((id) => !following.has(id))
  const { concurrency = 1, batchSize = 1 } = block.forEach
  const lanes = concurrency * batchSize
  return { lanes, reused: before.filter((id) => ready.has(id)), others: before.filter((id) => !ready.has(id)) }
}

function inputsOf({ accountId, workflowId, runNumber }: ItemsOfRun, rootRunId: string, source: RetriedRun | undefined) {
  const request: RunRequest = {
    accountId,
    workflowId,
    runBy: 'Retry',
    itemsOf: { rootRunId, runNumber },
    // What the whole run did has moved it already.
    movesDateLastRun: false,
  }
  if (!source) return request
  const webhooks = source.webhookIds ? { webhookIds: source.webhookIds, isWebhookBatch: source.isWebhookBatch } : {}
  return { ...request, reusedRunId: source.id, ...webhooks }
}

async function openAll(
  { keyRing }: StartDeps,
  { accountId, blockId }: ItemsOfRun,
  open: readonly OpenItem[],
  edited: ReadonlyMap<string, Json> | undefined,
): Promise<ListedItem[]> {
  const list: ListedItem[] = []
  for (const { key, rootRunId, sealed } of open) {
    const at = { rootRunId, blockId, key, accountId }
    const item = edited ? (edited.get(key) as Json) : (await openItem(keyRing, at, sealed)).item
    list.push({ key, item })
  }
  return list
}

function notOpen(message: string): AppError {
  return new AppError('items_not_open', message)
}

function never(): never {
  throw new Error('There is always an item.')
}
