// States of a workflow:
//   inDevelopment -> deployed   by deploy, when nothing is missing
//   any           -> archived   by archive; there is no way back
//   any           -> gone       by delete
// Repeating deploy or archive is harmless and leaves no trace.
import { type Principal, scopeOf } from '../access/index.ts'
import { actorOf, recordAudit } from '../audit/index.ts'
import type { Database } from '../db/index.ts'
import { AppError, notFound } from '../lib/app-error.ts'
import type { KeyRing } from '../secrets/index.ts'
import { findDeployProblems } from './deploy-problems.ts'
import type { WorkflowConnections, WorkflowRuns } from './ports.ts'
import { refuseFor } from './refuse.ts'
import { openDefinition } from './sealed-values.ts'
import { deleteWorkflow, findStateForUpdate, findWorkflow, hasWorkflow, setArchived, setDeployed } from './store.ts'

type DeployDeps = { database: Database; keyRing: KeyRing; connections: WorkflowConnections }

const attemptsMax = 20

export async function deploy(deps: DeployDeps, principal: Principal, id: string): Promise<string> {
  const scope = scopeOf(principal)
  const db = deps.database.forScope(scope)
  // Checked is one revision, so only that one is deployed: if another was stored meanwhile, the checks start over.
  for (let attempt = 0; attempt < attemptsMax; attempt++) {
    const found = await findWorkflow(db, scope.accountId, id)
    if (!found) throw notFound('workflow')
    if (found.state === 'deployed') return found.id
    if (found.state === 'archived') {
      throw new AppError('workflow_not_deployable', 'The workflow is archived, so it cannot be deployed.')
    }
    const key = { workflowId: found.id, accountId: found.accountId, revision: found.revision }
    const definition = await openDefinition(deps.keyRing, key, found)
    const ids = Object.values(definition.applications)
    const connections = ids.length === 0 ? [] : await deps.connections.list(scope, ids)
    refuseFor('workflow_not_deployable', findDeployProblems(definition, connections))
    const isDeployed = await db.transaction(async (tx) => {
      if (!(await setDeployed(tx, scope.accountId, found.id, found.revision))) return false
      await recordAudit(tx, actorOf(principal), 'workflow.deployed', found.id, { revision: found.revision })
      return true
    })
    if (isDeployed) return found.id
  }
  throw new AppError('not_ready', 'The workflow is being changed by too many at once. Try again.')
}

/** A run under way finishes; the schedule and the webhook take nothing more. */
export async function archive(deps: { database: Database }, principal: Principal, id: string): Promise<boolean> {
  const scope = scopeOf(principal)
  return deps.database.forScope(scope).transaction(async (tx) => {
    const state = await findStateForUpdate(tx, scope.accountId, id)
    if (!state) throw notFound('workflow')
    if (state === 'archived') return true
    await Promise.all([
      setArchived(tx, scope.accountId, id),
      recordAudit(tx, actorOf(principal), 'workflow.archived', id, { from: state }),
    ])
    return true
  })
}

/**
 * With everything that refers to it; the database takes along what names the workflow. Runs are taken away before it, in the order in which
 * a run that ends takes its locks, and once more after it: a run that was just starting is seen only then, and none can start any more.
 */
export async function remove(
  deps: { database: Database; runs: WorkflowRuns },
  principal: Principal,
  id: string,
): Promise<boolean> {
  const scope = scopeOf(principal)
  return deps.database.forScope(scope).transaction(async (tx) => {
    if (!(await hasWorkflow(tx, scope.accountId, id))) throw notFound('workflow')
    await deps.runs.stop(tx, id)
    if (!(await deleteWorkflow(tx, scope, id))) throw notFound('workflow')
    await Promise.all([deps.runs.stop(tx, id), recordAudit(tx, actorOf(principal), 'workflow.deleted', id)])
    return true
  })
}
