// Items of a block in a run: where each of them is, what it was given, and what became of it.
import type { AnswerOf, BodyOf, Operations } from '@patchbay/contract'
import { type Principal, scopeOf } from '../../access/index.ts'
import { invalid, notFound } from '../../lib/app-error.ts'
import { JsonText, textObject } from '../../lib/json-text.ts'
import { countStates, type FoundItem, findItem, findList, type ItemRow, listItems } from './block-items-store.ts'
import { type BlockQuery, getRun, type HistoryDeps } from './history.ts'

type Answer = AnswerOf<Operations['GetBlockItems']>

export async function getBlockItems(
  deps: HistoryDeps,
  principal: Principal,
  workflowId: string,
  body: BodyOf<Operations['GetBlockItems']>,
): Promise<Answer> {
  const db = deps.database.forScope(scopeOf(principal))
  const run = await getRun(deps, principal, workflowId, body.runNumber)
  const at = { accountId: principal.account.id, runId: run.id, blockId: body.uniqueBlockId }
  const list = await findList(db, at)
  if (!list) throw notFound('list of items of the block in this run')
  const [states, { rows, total }] = await Promise.all([
    countStates(db, at),
    listItems(db, at, {
      status: body.status ?? null,
      searchTerm: body.searchTerm || null,
      from: body.page * body.size,
      size: body.size,
      list,
    }),
  ])
  const of = (state: string) => states.get(state) ?? 0
  const ended = { succeeded: of('succeeded'), failed: of('failed'), skipped: of('skipped') }
  const open = Math.max(0, list.total - ended.succeeded - ended.failed - ended.skipped - of('waiting'))
  const ahead =
    list.reached === null ? open : Math.max(0, list.reached - ended.succeeded - ended.failed - of('waiting'))
  const processing = Math.min(open, ahead, list.lanes)
  return {
    items: rows.map(toItem),
    total,
    counts: { pending: open - processing, processing, waiting: of('waiting'), ...ended },
  }
}

export async function getBlockItem(
  deps: HistoryDeps,
  principal: Principal,
  workflowId: string,
  query: BlockQuery & { itemKey?: string },
) {
  const { found } = await getItem(deps, principal, workflowId, query)
  return textObject({
    ...toItem(found),
    item: new JsonText(found.item),
    result: new JsonText(found.result ?? 'null'),
  })
}

export async function getItem(
  deps: HistoryDeps,
  principal: Principal,
  workflowId: string,
  { itemKey, ...query }: BlockQuery & { itemKey?: string },
): Promise<{ found: FoundItem; runNumber: number }> {
  if (itemKey === undefined) throw invalid('The query parameter itemKey is required.')
  const db = deps.database.forScope(scopeOf(principal))
  const run = await getRun(deps, principal, workflowId, query.runNumber)
  const at = { accountId: principal.account.id, runId: run.id, blockId: query.uniqueBlockId }
  const list = await findList(db, at)
  if (!list) throw invalid('The block has no items in this run.')
  const found = await findItem(db, at, { key: itemKey, list })
  if (!found) throw notFound('item')
  return { found, runNumber: run.item.lockVersionNumber }
}

function toItem(row: ItemRow): Answer['items'][number] {
  return {
    index: row.item_index,
    key: row.key,
    status: row.state,
    errorMessage: row.error_message,
    tries: row.tries,
    startDateTimeUTC: row.started_at?.toISOString() ?? null,
    endDateTimeUTC: row.ended_at?.toISOString() ?? null,
    nextTryDateTimeUTC: row.due_at?.toISOString() ?? null,
    childRun: row.child_run,
    retriedByRunNumber: row.retried_by,
  }
}
