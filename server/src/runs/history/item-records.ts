// What a block left behind in a run: as a whole, or for one of its items where itemKey names it.
import { type Principal, scopeOf } from '../../access/index.ts'
import { notFound } from '../../lib/app-error.ts'
import { JsonText, textObject } from '../../lib/json-text.ts'
import type { FoundItem } from './block-items-store.ts'
import { getBlockCalls, readStored } from './get-block-calls.ts'
import { getItem } from './get-block-items.ts'
import {
  type BlockQuery,
  getBlockResult,
  getBlockSession,
  getBlockUserLog,
  getRun,
  type HistoryDeps,
  readSession,
} from './history.ts'

type Query = BlockQuery & { itemKey?: string }

export async function getResult(deps: HistoryDeps, principal: Principal, workflowId: string, query: Query) {
  if (query.itemKey === undefined) return getBlockResult(deps, principal, workflowId, query)
  const { found, of } = await getEnded(deps, principal, workflowId, query)
  const success = found.state !== 'failed'
  const result = success ? new JsonText(found.result ?? 'null') : found.error_message
  const skipped = found.state === 'skipped' ? { skipped: true } : {}
  return textObject({ success, ...of, result, ...skipped })
}

export async function getUserLog(deps: HistoryDeps, principal: Principal, workflowId: string, query: Query) {
  if (query.itemKey === undefined) return getBlockUserLog(deps, principal, workflowId, query)
  const { found, of } = await getEnded(deps, principal, workflowId, query)
  return textObject({ ...of, result: new JsonText(found.log ?? '[]') })
}

/** An item has a copy whose changes are dropped, so it is what the block has. */
export async function getSession(deps: HistoryDeps, principal: Principal, workflowId: string, query: Query) {
  if (query.itemKey === undefined) return getBlockSession(deps, principal, workflowId, query)
  const { of } = await getEnded(deps, principal, workflowId, query)
  const run = await getRun(deps, principal, workflowId, query.runNumber)
  const { accountId } = scopeOf(principal)
  const key = { runId: run.id, blockId: query.uniqueBlockId, accountId }
  return textObject({ ...of, result: await readSession(deps, deps.database.forScope(scopeOf(principal)), key) })
}

export async function getCalls(deps: HistoryDeps, principal: Principal, workflowId: string, query: Query) {
  if (query.itemKey === undefined) return getBlockCalls(deps, principal, workflowId, query)
  const { found, of } = await getEnded(deps, principal, workflowId, query)
  const { calls, omitted } = readStored(found.calls)
  return { ...of, result: calls, omitted }
}

async function getEnded(
  deps: HistoryDeps,
  principal: Principal,
  workflowId: string,
  query: Query,
): Promise<{ found: FoundItem; of: { runNumber: number; uniqueBlockId: string; itemKey: string } }> {
  const { found, runNumber } = await getItem(deps, principal, workflowId, query)
  if (found.ended_at === null) throw notFound('result of the item in this run')
  return { found, of: { runNumber, uniqueBlockId: query.uniqueBlockId, itemKey: found.key } }
}
