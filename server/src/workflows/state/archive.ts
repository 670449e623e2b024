import { type Principal, scopeOf } from '../../access/index.ts'
import { actorOf, recordAudit } from '../../audit/index.ts'
import type { Database } from '../../db/index.ts'
import { notFound } from '../../lib/app-error.ts'
import { refuseWhileUsed } from '../definition/sub-workflows.ts'
import { findStateForUpdate, setArchived } from '../store.ts'

/** A run under way finishes; the schedule and the webhook take nothing more. */
export async function archiveWorkflow(
  deps: { database: Database },
  principal: Principal,
  id: string,
): Promise<boolean> {
  const scope = scopeOf(principal)
  return deps.database.forScope(scope).transaction(async (tx) => {
    const state = await findStateForUpdate(tx, scope.accountId, id)
    if (!state) throw notFound('workflow')
    if (state === 'archived') return true
    await refuseWhileUsed(tx, scope.accountId, id)
    await Promise.all([
      setArchived(tx, scope.accountId, id),
      recordAudit(tx, actorOf(principal), { action: 'workflow.archived', target: id, details: { from: state } }),
    ])
    return true
  })
}
