// FailedItems: what failed and that nobody has seen to yet.
import type { AnswerOf, BodyOf, Operations } from '@patchbay/contract'
import { type Principal, reachOf } from '../../access/index.ts'
import type { Database } from '../../db/index.ts'
import { notFound } from '../../lib/app-error.ts'
import { hasWorkflow, listOpen } from './store.ts'

export async function listFailedItems(
  { database: { system } }: { database: Database },
  principal: Principal,
  { workflowId, searchTerm, acrossAccounts, page, size }: BodyOf<Operations['FailedItems']>,
): Promise<AnswerOf<Operations['FailedItems']>> {
  const reach = reachOf(principal, acrossAccounts)
  if (workflowId !== undefined && !(await hasWorkflow(system, reach, workflowId))) throw notFound('workflow')
  const { rows, total } = await listOpen(system, reach, { workflowId, searchTerm, page, size })
  const items = rows.map((row) => ({
    accountId: row.account_id,
    accountEmail: row.email,
    workflowId: row.workflow_id,
    workflowName: row.workflow_name,
    runNumber: row.run_number,
    uniqueBlockId: row.block_id,
    blockName: row.block_name,
    index: row.item_index,
    key: row.key,
    errorMessage: row.error_message,
    tries: row.tries,
    failedDateTimeUTC: row.failed_at.toISOString(),
    retriedByRunNumber: row.retry_run_number,
  }))
  return { items, total }
}
