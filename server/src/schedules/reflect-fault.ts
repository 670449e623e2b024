import { type Database, sql } from '../db/index.ts'
import { autoFailuresMax } from '../runs/index.ts'

/** Workflows show at once that their automatic runs wait for an application, or wait no longer. What decides is looked at again at each tick. */
export async function reflectFault(
  database: Database,
  change: { accountId: string; regApplicationId: string; isFaulted: boolean },
): Promise<void> {
  await database.system.query(sql`
    update workflows w set is_auto_run_paused = ${change.isFaulted}::boolean or w.auto_failures >= ${autoFailuresMax}
    from workflow_uses u
    where u.account_id = ${change.accountId} and u.kind = 'registeredApplication' and u.target = ${change.regApplicationId}
      and w.id = u.workflow_id and w.account_id = u.account_id and w.state = 'deployed'`)
}
