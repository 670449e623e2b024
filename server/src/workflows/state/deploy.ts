// States of a workflow:
//   inDevelopment -> deployed   by deploy, when nothing is missing
//   any           -> archived   by archive; there is no way back
//   any           -> gone       by delete
// Repeating deploy or archive is harmless. Deploying again takes the organization's library functions as they are now; where none has
// changed since, it leaves no trace.
import { type Principal, scopeOf } from '../../access/index.ts'
import { actorOf, recordAudit } from '../../audit/index.ts'
import type { Database, Scope } from '../../db/index.ts'
import { AppError, notFound } from '../../lib/app-error.ts'
import type { KeyRing } from '../../secrets/index.ts'
import type { Definition } from '../definition/definition.ts'
import { findDeployProblems } from '../definition/deploy-problems.ts'
import { refuseFor } from '../definition/refuse.ts'
import { openDefinition } from '../definition/sealed-values.ts'
import { callsOthers, lockWhereCalling, refuseCircle } from '../definition/sub-workflows.ts'
import type { WorkflowConnections } from '../ports.ts'
import { findWorkflow, renewFunctions, type StoredWorkflow, setDeployed } from '../store.ts'

type DeployDeps = { database: Database; keyRing: KeyRing; connections: WorkflowConnections }

const attemptsMax = 20

export async function deployWorkflow(deps: DeployDeps, principal: Principal, id: string): Promise<string> {
  const scope = scopeOf(principal)
  const db = deps.database.forScope(scope)
  // Checked is one revision, so only that one is deployed: if another was stored meanwhile, the checks start over.
  for (let attempt = 0; attempt < attemptsMax; attempt++) {
    const found = await findWorkflow(db, scope.accountId, id)
    if (!found) throw notFound('workflow')
    if (found.state === 'deployed') {
      await db.transaction(async (tx) => {
        if (!(await renewFunctions(tx, scope.accountId, found.id))) return
        await recordAudit(tx, actorOf(principal), {
          action: 'workflow.deployed',
          target: found.id,
          details: { revision: found.revision },
        })
      })
      return found.id
    }
    if (found.state === 'archived') {
      throw new AppError('workflow_not_deployable', 'The workflow is archived, so it cannot be deployed.')
    }
    const definition = await requireDeployable(deps, scope, found)
    const isDeployed = await db.transaction(async (tx) => {
      await lockWhereCalling(tx, scope.accountId, definition)
      if (!(await setDeployed(tx, scope.accountId, found.id, found.revision))) return false
      if (callsOthers(definition)) await refuseCircle(tx, scope.accountId, found.id)
      await recordAudit(tx, actorOf(principal), {
        action: 'workflow.deployed',
        target: found.id,
        details: { revision: found.revision },
      })
      return true
    })
    if (isDeployed) return found.id
  }
  throw new AppError('not_ready', 'The workflow keeps being changed by other requests. Try again.')
}

async function requireDeployable(deps: DeployDeps, scope: Scope, found: StoredWorkflow): Promise<Definition> {
  const key = { workflowId: found.id, accountId: found.accountId, revision: found.revision }
  const definition = await openDefinition(deps.keyRing, key, found)
  const ids = Object.values(definition.applications)
  const connections = ids.length === 0 ? [] : await deps.connections.list(scope, ids)
  refuseFor('workflow_not_deployable', findDeployProblems(definition, connections))
  return definition
}

/** The sentence that deploying it would be refused with; undefined when it would not. */
export async function findDeployRefusal(
  deps: DeployDeps,
  principal: Principal,
  id: string,
): Promise<string | undefined> {
  const scope = scopeOf(principal)
  const found = await findWorkflow(deps.database.forScope(scope), scope.accountId, id)
  try {
    if (found) await requireDeployable(deps, scope, found)
    return undefined
  } catch (error) {
    if (error instanceof AppError) return error.message
    throw error
  }
}
