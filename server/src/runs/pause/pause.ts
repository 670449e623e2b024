import { type Principal, scopeOf } from '../../access/index.ts'
import { actorOf, recordAudit } from '../../audit/index.ts'
import type { Database } from '../../db/index.ts'
import { pauseByHand } from './pause-store.ts'

/** False when it is not deployed, or somebody has paused it already. */
export async function pauseWorkflow(
  { database }: { database: Database },
  principal: Principal,
  workflowId: string,
): Promise<boolean> {
  const scope = scopeOf(principal)
  return database.forScope(scope).transaction(async (tx) => {
    if (!(await pauseByHand(tx, scope.accountId, workflowId))) return false
    await recordAudit(tx, actorOf(principal), { action: 'workflow.paused', target: workflowId })
    return true
  })
}
