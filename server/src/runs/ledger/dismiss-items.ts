// DismissItems: somebody has seen to failed items in another way than by a retry.
import type { BodyOf, Operations } from '@patchbay/contract'
import { type Principal, reachOf, scopeOf } from '../../access/index.ts'
import { actorOf, recordAudit } from '../../audit/index.ts'
import type { Database } from '../../db/index.ts'
import { AppError, notFound } from '../../lib/app-error.ts'
import { closeDismissed, findRunState, hasWorkflow } from './store.ts'

/** As many keys as a line of the audit log has room for. */
const keysAudited = 20

export async function dismissItems(
  { database: { system } }: { database: Database },
  principal: Principal,
  body: BodyOf<Operations['DismissItems']>,
): Promise<number> {
  const { accountId } = scopeOf(principal)
  const { workflowId, runNumber, uniqueBlockId, keys, comment } = body
  if (!(await hasWorkflow(system, reachOf(principal, false), workflowId))) throw notFound('workflow')
  return system.transaction(async (tx) => {
    const state = await findRunState(tx, { accountId, workflowId, runNumber })
    if (state === undefined) throw notFound('run')
    // Its end counts what failed.
    if (state === 'underWay')
      throw new AppError(
        'items_not_open',
        `Run ${runNumber} is still in progress. Dismiss its items once it has ended.`,
      )
    const count = await closeDismissed(tx, {
      accountId,
      workflowId,
      runNumber,
      uniqueBlockId,
      ...(keys ? { keys } : {}),
    })
    await recordAudit(tx, actorOf(principal), {
      action: 'items.dismissed',
      target: workflowId,
      details: { runNumber, uniqueBlockId, count, comment, ...(keys ? { keys: keys.slice(0, keysAudited) } : {}) },
    })
    return count
  })
}
