// Reading what runs did. A workflow shows at most so many runs as retention keeps, also before the rest is swept away.
import type { AnswerOf, Operations } from '@patchbay/contract'
import { type Principal, scopeOf } from '../../access/index.ts'
import type { Contents } from '../../contents/index.ts'
import type { Database, Db, Scope } from '../../db/index.ts'
import { notFound } from '../../lib/app-error.ts'
import { JsonText, textObject } from '../../lib/json-text.ts'
import { type BlockKey, contentPlace } from '../record/block-contents.ts'
import {
  type FoundRunItem,
  findBlock,
  findLastNumber,
  findRun,
  type HistorySearch,
  listBlockTimes,
  listRuns,
  type StoredResult,
} from './history-store.ts'

export type HistoryDeps = { database: Database; contents: Pick<Contents, 'read'>; runsKeptMax: number }

export async function getRunHistory(
  deps: HistoryDeps,
  principal: Principal,
  workflowId: string,
  search: HistorySearch,
): Promise<AnswerOf<Operations['GetRunHistory']>> {
  const db = deps.database.forScope(scopeOf(principal))
  const accountId = principal.account.id
  const numbers = await numbersOf(deps, db, accountId, workflowId)
  return listRuns(db, { accountId, workflowId, ...numbers }, search)
}

export type BlockQuery = { uniqueBlockId: string; runNumber?: number }

export async function getBlockResult(deps: HistoryDeps, principal: Principal, workflowId: string, query: BlockQuery) {
  const { runNumber, uniqueBlockId, block, key } = await getBlock(deps, principal, workflowId, query)
  const success = block.status !== 'Error'
  const result = success ? await stored(deps, key, 'result', block.result ?? 'null') : block.errorMessage
  const skipped = block.status === 'Skipped' ? { skipped: true } : {}
  return textObject({ success, runNumber, uniqueBlockId, result, ...skipped })
}

export async function getBlockUserLog(deps: HistoryDeps, principal: Principal, workflowId: string, query: BlockQuery) {
  const { runNumber, uniqueBlockId, block, key } = await getBlock(deps, principal, workflowId, query)
  return textObject({ runNumber, uniqueBlockId, result: await stored(deps, key, 'log', block.log ?? '[]') })
}

export async function getBlockSession(deps: HistoryDeps, principal: Principal, workflowId: string, query: BlockQuery) {
  const { runNumber, uniqueBlockId, block, key } = await getBlock(deps, principal, workflowId, query)
  return textObject({ runNumber, uniqueBlockId, result: await stored(deps, key, 'session', block.session ?? '{}') })
}

/** Of a block that is not recorded yet, nothing. */
export async function readSession(deps: HistoryDeps, db: Db, key: BlockKey): Promise<JsonText> {
  const block = await findBlock(db, key.accountId, key.runId, key.blockId)
  return stored(deps, key, 'session', block?.session ?? '{}')
}

/** What is stored is JSON and goes out as it is. */
async function stored(
  { contents }: HistoryDeps,
  key: BlockKey,
  column: 'result' | 'log' | 'session',
  text: string,
): Promise<JsonText> {
  return new JsonText(await contents.read(contentPlace(key, column), text))
}

/** For the detail of a workflow as of a run. */
export async function findRunDetail(deps: HistoryDeps, scope: Scope, workflowId: string, runNumber: number) {
  const db = deps.database.forScope(scope)
  const last = await findLastNumber(db, scope.accountId, workflowId)
  if (last === undefined || runNumber <= last - deps.runsKeptMax) return undefined
  const found = await findRun(db, scope.accountId, workflowId, runNumber)
  if (!found) return undefined
  return { revision: found.revision, run: found.item, blocks: await listBlockTimes(db, scope.accountId, found.id) }
}

async function getBlock(
  deps: HistoryDeps,
  principal: Principal,
  workflowId: string,
  query: BlockQuery,
): Promise<{ runNumber: number; uniqueBlockId: string; block: StoredResult; key: BlockKey }> {
  const db = deps.database.forScope(scopeOf(principal))
  const accountId = principal.account.id
  const uniqueBlockId = query.uniqueBlockId
  const run = await getRun(deps, principal, workflowId, query.runNumber)
  const block = await findBlock(db, accountId, run.id, uniqueBlockId)
  if (!block) throw notFound('result of the block in this run')
  const key = { runId: run.id, blockId: uniqueBlockId, accountId }
  return { runNumber: run.item.lockVersionNumber, uniqueBlockId, block, key }
}

/** The latest run unless a number is given. */
export async function getRun(
  deps: HistoryDeps,
  principal: Principal,
  workflowId: string,
  runNumber: number | undefined,
): Promise<FoundRunItem> {
  const db = deps.database.forScope(scopeOf(principal))
  const accountId = principal.account.id
  const { oldestNumber } = await numbersOf(deps, db, accountId, workflowId)
  const run = await findRun(db, accountId, workflowId, runNumber)
  if (!run || run.item.lockVersionNumber < oldestNumber) throw notFound('run')
  return run
}

async function numbersOf(deps: HistoryDeps, db: Db, accountId: string, workflowId: string) {
  const lastNumber = await findLastNumber(db, accountId, workflowId)
  if (lastNumber === undefined) throw notFound('workflow')
  return { lastNumber, oldestNumber: lastNumber - deps.runsKeptMax + 1 }
}
