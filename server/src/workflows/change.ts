// Changes of a workflow. Scripts are compiled between reading and writing, so nothing is locked meanwhile: the write is fenced by the
// revision and the state that were read, and whoever loses the race starts over from what the other one stored.
import { isDeepStrictEqual } from 'node:util'
import { type Principal, scopeOf } from '../access/index.ts'
import { actorOf, recordAudit } from '../audit/index.ts'
import type { Db } from '../db/index.ts'
import { AppError, notFound } from '../lib/app-error.ts'
import { applyChanges, type WorkflowInput } from './apply-changes.ts'
import { checkStorable } from './check-storable.ts'
import type { CreateDeps } from './create.ts'
import type { Definition } from './definition.ts'
import { findDeployProblems } from './deploy-problems.ts'
import type { WorkflowConnections } from './ports.ts'
import { refuseFor } from './refuse.ts'
import { openDefinition, sealDefinition } from './sealed-values.ts'
import { deleteUses, findWorkflow, insertRevision, insertUses, type StoredWorkflow, updateWorkflow } from './store.ts'

export type ChangeDeps = CreateDeps & { connections: WorkflowConnections }

const attemptsMax = 20

export async function changeWorkflow(
  deps: ChangeDeps,
  principal: Principal,
  id: string,
  given: WorkflowInput,
): Promise<undefined> {
  checkStorable(given)
  const db = deps.database.forScope(scopeOf(principal))
  const checked = new Set<string>()
  for (let attempt = 0; attempt < attemptsMax; attempt++) {
    const found = await findWorkflow(db, principal.account.id, id)
    if (!found) throw notFound('workflow')
    const key = { workflowId: found.id, accountId: found.accountId, revision: found.revision }
    const current = await openDefinition(deps.keyRing, key, found)
    const wanted = await applyChanges(deps, found.organizationId, current, given, false, checked)
    // What is compared is what would be read back: JSON knows no undefined and no negative zero.
    const next = JSON.parse(JSON.stringify(wanted)) as Definition
    if (isDeepStrictEqual(next, JSON.parse(JSON.stringify(current)))) return
    if (found.state === 'deployed') await refuseUndeployable(deps, principal, current, next)
    if (await store(deps, db, principal, found, current, next)) return
  }
  throw new AppError('not_ready', 'The workflow is being changed by too many at once. Try again.')
}

/** Only what this change would break: a workflow whose application was lost meanwhile can still be mended. */
async function refuseUndeployable(
  deps: ChangeDeps,
  principal: Principal,
  current: Definition,
  next: Definition,
): Promise<void> {
  const ids = [current, next].flatMap(({ applications }) => Object.values(applications))
  const connections = ids.length === 0 ? [] : await deps.connections.list(scopeOf(principal), [...new Set(ids)])
  const known = new Set(findDeployProblems(current, connections).map((problem) => problem.message))
  refuseFor(
    'workflow_not_deployable',
    findDeployProblems(next, connections).filter((problem) => !known.has(problem.message)),
  )
}

/** False when somebody else stored a revision or changed the state since it was read. */
async function store(
  deps: ChangeDeps,
  db: Db,
  principal: Principal,
  found: StoredWorkflow,
  current: Definition,
  next: Definition,
): Promise<boolean> {
  const { accountId, id } = found
  const key = { workflowId: id, accountId, revision: found.revision + 1 }
  const sealed = await sealDefinition(deps.keyRing, key, next)
  const changed = Object.keys(next).filter(
    (field) => !isDeepStrictEqual(next[field as keyof Definition], current[field as keyof Definition]),
  )
  return db.transaction(async (tx) => {
    if (!(await updateWorkflow(tx, accountId, id, found, next))) return false
    await Promise.all([
      insertRevision(tx, key, sealed, principal.caller.id),
      deleteUses(tx, accountId, id),
      insertUses(tx, accountId, id, next),
      recordAudit(tx, actorOf(principal), 'workflow.changed', id, { revision: key.revision, changed }),
    ])
    return true
  })
}
