import { type Principal, scopeOf } from '../../access/index.ts'
import { actorOf, recordAudit } from '../../audit/index.ts'
import { type Database, transactDespiteDeadlock } from '../../db/index.ts'
import { notFound } from '../../lib/app-error.ts'
import type { WorkflowRuns } from '../ports.ts'
import { deleteWorkflowRow, hasWorkflow } from '../store.ts'

/**
 * With everything that refers to it; the database takes along what names the workflow. Runs are taken away before it, in the order in which
 * a run that ends takes its locks, and once more after it: a run that was just starting is seen only then, and none can start any more. Should
 * that one end at the same moment, it holds its run and waits for the workflow, while this waits for the run.
 */
export async function deleteWorkflow(
  deps: { database: Database; runs: WorkflowRuns },
  principal: Principal,
  id: string,
): Promise<boolean> {
  const scope = scopeOf(principal)
  return transactDespiteDeadlock(deps.database.forScope(scope), async (tx) => {
    if (!(await hasWorkflow(tx, scope.accountId, id))) throw notFound('workflow')
    await deps.runs.stop(tx, id)
    if (!(await deleteWorkflowRow(tx, scope, id))) throw notFound('workflow')
    await Promise.all([
      deps.runs.stop(tx, id),
      recordAudit(tx, actorOf(principal), { action: 'workflow.deleted', target: id }),
    ])
    return true
  })
}
