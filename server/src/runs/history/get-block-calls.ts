// The calls of a block: what was recorded with it, and before that what workers noted that died on it.
import type { AnswerOf, Operations } from '@patchbay/contract'
import { type Principal, scopeOf } from '../../access/index.ts'
import { notFound } from '../../lib/app-error.ts'
import type { BlockCall, StoredCalls } from '../execute/block-calls.ts'
import { contentPlace } from '../record/block-contents.ts'
import { findBlockCalls, listWrites, type StoredWrite } from './block-calls-store.ts'
import { type BlockQuery, getRun, type HistoryDeps } from './history.ts'

export async function getBlockCalls(
  deps: HistoryDeps,
  principal: Principal,
  workflowId: string,
  query: BlockQuery,
): Promise<AnswerOf<Operations['GetBlockCalls']>> {
  const db = deps.database.forScope(scopeOf(principal))
  const accountId = principal.account.id
  const uniqueBlockId = query.uniqueBlockId
  const run = await getRun(deps, principal, workflowId, query.runNumber)
  const [recorded, writes] = await Promise.all([
    findBlockCalls(db, accountId, run.id, uniqueBlockId),
    listWrites(db, accountId, run.id, uniqueBlockId),
  ])
  if (!recorded && writes.length === 0) throw notFound('result of the block in this run')
  const place = contentPlace({ runId: run.id, blockId: uniqueBlockId, accountId }, 'calls')
  const { calls, omitted } = readStored(await deps.contents.read(place, recorded?.calls ?? null))
  const known = new Set(calls.map(({ attempt, idempotencyKey }) => `${attempt} ${idempotencyKey}`))
  const unfinished = writes
    .filter(({ attempt, idempotencyKey }) => !known.has(`${attempt + 1} ${idempotencyKey}`))
    .map(toUnknown)
  const result = [...unfinished, ...calls].sort(
    (a, b) => Date.parse(a.startDateTimeUTC) - Date.parse(b.startDateTimeUTC),
  )
  return { runNumber: run.item.lockVersionNumber, uniqueBlockId, result, omitted }
}

export function readStored(text: string | null): StoredCalls {
  return text === null ? { calls: [], omitted: 0 } : (JSON.parse(text) as StoredCalls)
}

function toUnknown({ method, url, sentAt, idempotencyKey, attempt }: StoredWrite): BlockCall {
  return {
    method,
    url,
    outcome: 'Unknown',
    statusCode: null,
    errorMessage: null,
    startDateTimeUTC: sentAt.toISOString(),
    durationInMilliSec: null,
    requestBytes: null,
    responseBytes: null,
    idempotencyKey,
    attempt: attempt + 1,
    requestBody: null,
    responseBody: null,
  }
}
