// What callers see of requests, of the queue and of the history.
import { noContent, readPage } from '@patchbay/contract'
import { type Principal, scopeOf } from '../../access/index.ts'
import type { Database } from '../../db/index.ts'
import { notFound } from '../../lib/app-error.ts'
import { textObject } from '../../lib/json-text.ts'
import type { KeyRing } from '../../secrets/index.ts'
import { findStored, openStored } from '../request/load-requests.ts'
import { readPayloadOf } from '../request/request-record.ts'
import {
  countHistory,
  countQueue,
  findLastMove,
  findWorkflowFlags,
  type ListedItem,
  listHistory,
  listQueue,
  type Search,
} from './list-store.ts'

type Deps = { database: Database; keyRing: KeyRing }
type GivenSearch = { page?: number; size?: number; searchFrom?: string; searchTo?: string }

export async function getQueue({ database }: Deps, principal: Principal, workflowId: string, given: GivenSearch) {
  const scope = scopeOf(principal)
  const db = database.forScope(scope)
  const search = readSearch(given)
  const [workflowSettings, items, length] = await Promise.all([
    findWorkflowFlags(db, scope.accountId, workflowId),
    listQueue(db, scope.accountId, workflowId, search),
    countQueue(db, scope.accountId, workflowId, search),
  ])
  if (!workflowSettings) throw notFound('workflow')
  return {
    items: items.map((item) => ({ ...toItem(item), status: item.status as 'Pending' | 'Processing' | 'Failed' })),
    length,
    isLast: isLast(search, length),
    workflowSettings,
  }
}

export async function getHistory({ database }: Deps, principal: Principal, workflowId: string, given: GivenSearch) {
  const scope = scopeOf(principal)
  const db = database.forScope(scope)
  const search = readSearch(given)
  const [workflowSettings, items, length] = await Promise.all([
    findWorkflowFlags(db, scope.accountId, workflowId),
    listHistory(db, scope.accountId, workflowId, search),
    countHistory(db, scope.accountId, workflowId, search),
  ])
  if (!workflowSettings) throw notFound('workflow')
  return {
    items: items.map((item) => ({
      ...toItem(item),
      status: item.status as 'Done' | 'Skipped',
      deleteFromQueueDateTimeUTC: item.leftAt.toISOString(),
    })),
    length,
    isLast: isLast(search, length),
    workflowSettings,
  }
}

function toItem(item: ListedItem) {
  return {
    webhookId: item.webhookId,
    createDateTimeUTC: item.createdAt.toISOString(),
    errorCounter: item.errorCounter,
    nextScheduleDateTimeUTC: item.dueAt.toISOString(),
    no: item.no,
    runNumber: item.runNumber,
    errorMessage: item.errorMessage,
  }
}

function isLast({ page, size }: Search, length: number): boolean {
  return (page + 1) * size >= length
}

function readSearch(given: GivenSearch): Search {
  return { ...readPage(given), ...readTimeRange(given) }
}

export function readTimeRange({ searchFrom, searchTo }: { searchFrom?: string; searchTo?: string }) {
  return { searchFrom: searchFrom ?? null, searchTo: searchTo ?? null }
}

export async function getWebhook({ database, keyRing }: Deps, principal: Principal, webhookId: string) {
  const scope = scopeOf(principal)
  const db = database.forScope(scope)
  const [[stored], lastMove] = await Promise.all([
    findStored(db, scope.accountId, [webhookId]),
    findLastMove(db, scope.accountId, webhookId),
  ])
  if (!stored) return noContent
  const request = await openStored(keyRing, stored)
  return textObject({
    id: stored.id,
    webhookValue: await readPayloadOf(scope.accountId, request),
    method: request.method,
    headers: request.headers,
    urlParameters: request.urlParameters,
    createDateTimeUTC: stored.createdAt.toISOString(),
    modifyDateTimeUTC: (lastMove ?? stored.createdAt).toISOString(),
    workflowId: stored.workflowId,
  })
}
