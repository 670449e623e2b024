import { readPage } from '@patchbay/contract'
import { type Principal, scopeOf } from '../../access/index.ts'
import type { Database } from '../../db/index.ts'
import { notFound } from '../../lib/app-error.ts'
import { listRevisions as listRows } from './store.ts'

export async function listRevisions(
  { database }: { database: Database },
  principal: Principal,
  workflowId: string,
  paging: { page?: number; size?: number },
) {
  const scope = scopeOf(principal)
  const found = await listRows(database.forScope(scope), scope.accountId, workflowId, readPage(paging))
  if (found.total === 0) throw notFound('workflow')
  return found
}
