import { type Principal, scopeOf } from '../../access/index.ts'
import { actorOf, recordAudit } from '../../audit/index.ts'
import type { Database, Tx } from '../../db/index.ts'
import type { PublishEvents } from '../../events/index.ts'
import { notFound } from '../../lib/app-error.ts'
import { type Resumed, resume } from './pause-store.ts'

export type ResumeDeps = { database: Database; publish: PublishEvents }

/** Whether the workflow was paused. */
export async function resumeWorkflow(deps: ResumeDeps, principal: Principal, workflowId: string): Promise<boolean> {
  const scope = scopeOf(principal)
  return deps.database.forScope(scope).transaction(async (tx) => {
    const resumed = await resumeByHand(deps.publish, tx, scope.accountId, workflowId)
    if (!resumed) throw notFound('workflow')
    if (resumed.hadFailed) await recordAudit(tx, actorOf(principal), { action: 'workflow.resumed', target: workflowId })
    return resumed.wasPaused
  })
}

/** Also where somebody enables the schedule or the webhook. Whoever did it knows it, so nobody is mailed. */
export async function resumeByHand(
  publish: PublishEvents,
  tx: Tx,
  accountId: string,
  workflowId: string,
): Promise<Resumed | undefined> {
  const resumed = await resume(tx, accountId, workflowId)
  if (resumed?.hadFailed)
    await publish(tx, [{ accountId, type: 'workflow.resumed', data: { workflowId, workflowName: resumed.name } }])
  return resumed
}
