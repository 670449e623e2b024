// How every revision after the first is stored. What a change needs is read, checked and compiled without a lock: the write is fenced by
// the revision and the state that were read, and whoever loses the race starts over from what the other one stored.
import { isDeepStrictEqual } from 'node:util'
import type { AuditAction, RevisionReason } from '@patchbay/contract'
import { type Principal, scopeOf } from '../../access/index.ts'
import { actorOf, recordAudit } from '../../audit/index.ts'
import { type Database, inOrder, type Tx } from '../../db/index.ts'
import { AppError, notFound } from '../../lib/app-error.ts'
import type { KeyRing } from '../../secrets/index.ts'
import type { Definition } from '../definition/definition.ts'
import { findDeployProblems } from '../definition/deploy-problems.ts'
import { holdApplications } from '../definition/hold-applications.ts'
import { refuseFor } from '../definition/refuse.ts'
import { openDefinition, sealDefinition } from '../definition/sealed-values.ts'
import { callsOthers, holdSubWorkflows, lockWhereCalling, refuseCircle } from '../definition/sub-workflows.ts'
import type { WorkflowConnections } from '../ports.ts'
import { deleteUses, findWorkflow, insertRevision, insertUses, type StoredWorkflow, updateWorkflow } from '../store.ts'
import { changedMeanwhile } from './if-match.ts'

export type SaveDeps = { database: Database; keyRing: KeyRing; connections: WorkflowConnections }

export type Save = {
  workflowId: string
  reason: RevisionReason
  /** What the caller takes for the newest revision; anything else is refused. Undefined when it does not care. */
  expectedRevisions: readonly number[] | undefined
  /** Called once per attempt, with the newest revision. */
  decide(current: Definition, stored: StoredWorkflow): Promise<Bond & { definition: Definition }>
}

/** What ties a revision to its template. */
type Bond = Pick<StoredWorkflow, 'templateVersion' | 'baseDigest'>

const attemptsMax = 20

/** The number of the newest revision afterwards: a new one, or the one that is there when nothing would change. */
export async function saveRevision(deps: SaveDeps, principal: Principal, save: Save): Promise<number> {
  const db = deps.database.forScope(scopeOf(principal))
  for (let attempt = 0; attempt < attemptsMax; attempt++) {
    const { revision, store } = await prepareRevision(deps, principal, save)
    if (!store || (await db.transaction(store))) return revision
  }
  throw new AppError('not_ready', 'The workflow keeps being changed by other requests. Try again.')
}

/** The newest revision after `store`, which is absent where nothing would change, and false when somebody else was faster. */
export type PreparedRevision = { revision: number; store?: (tx: Tx) => Promise<boolean> }

/** One attempt, up to the writing. */
export async function prepareRevision(deps: SaveDeps, principal: Principal, save: Save): Promise<PreparedRevision> {
  const db = deps.database.forScope(scopeOf(principal))
  const found = await findWorkflow(db, principal.account.id, save.workflowId)
  if (!found) throw notFound('workflow')
  if (save.expectedRevisions && !save.expectedRevisions.includes(found.revision)) {
    throw await changedMeanwhile(db, found, save.expectedRevisions)
  }
  const key = { workflowId: found.id, accountId: found.accountId, revision: found.revision }
  const current = await openDefinition(deps.keyRing, key, found)
  const { definition: wanted, ...bond } = await save.decide(current, found)
  // What is compared is what would be read back: JSON knows no undefined and no negative zero.
  const next = JSON.parse(JSON.stringify(wanted)) as Definition
  const isSame =
    isDeepStrictEqual(next, JSON.parse(JSON.stringify(current))) && valuesText(next) === valuesText(current)
  if (isSame && isSameBond(bond, found)) return { revision: found.revision }
  if (found.state === 'deployed') await refuseUndeployable(deps, principal, current, next)
  const store = await prepareStore(deps, principal, { found, current, next, bond, reason: save.reason })
  return { revision: found.revision + 1, store }
}

/** Only what this change would break: a workflow whose application was lost meanwhile can still be mended. */
async function refuseUndeployable(
  deps: SaveDeps,
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

type NextRevision = {
  found: StoredWorkflow
  current: Definition
  next: Definition
  bond: Bond
  reason: RevisionReason
}

/** What it returns is false when somebody else stored a revision or changed the state since it was read. */
async function prepareStore(
  deps: SaveDeps,
  principal: Principal,
  { found, current, next, bond, reason }: NextRevision,
): Promise<(tx: Tx) => Promise<boolean>> {
  const { accountId, id } = found
  const key = { workflowId: id, accountId, revision: found.revision + 1 }
  const sealed = await sealDefinition(deps.keyRing, key, next)
  const changed = Object.keys(next).filter(
    (field) => !isDeepStrictEqual(next[field as keyof Definition], current[field as keyof Definition]),
  )
  return async (tx) => {
    await lockWhereCalling(tx, accountId, next)
    if (
      !(await updateWorkflow(tx, { accountId, id }, found, { definition: next, templateVersion: bond.templateVersion }))
    )
      return false
    await holdSubWorkflows(tx, accountId, next)
    // What an earlier revision or a newer template had is no choice of this request.
    if (reason === 'Updated')
      await holdApplications(deps.connections, tx, accountId, {
        before: current.applications,
        next: next.applications,
      })
    await inOrder(tx, [
      (db) => insertRevision(db, key, sealed, { createdBy: principal.caller.id, reason, ...bond }),
      (db) => deleteUses(db, accountId, id),
      (db) => insertUses(db, accountId, id, next),
      (db) =>
        recordAudit(db, actorOf(principal), {
          action: auditActions[reason],
          target: id,
          details: { revision: key.revision, changed },
        }),
    ])
    if (found.state === 'deployed' && callsOthers(next)) await refuseCircle(tx, accountId, id)
    return true
  }
}

function isSameBond(a: Bond, b: Bond): boolean {
  return a.templateVersion === b.templateVersion && isDeepStrictEqual(a.baseDigest, b.baseDigest)
}

export const auditActions: Record<RevisionReason, AuditAction> = {
  Created: 'workflow.created',
  Updated: 'workflow.changed',
  Restored: 'workflow.restored',
  Upgraded: 'workflow.upgraded',
  RolledBack: 'workflow.rolledBack',
}

/** For comparing: another order of the keys of a value is another value. */
function valuesText({ variables, chain }: Definition): string {
  return JSON.stringify([
    variables.map(({ value }) => value ?? null),
    chain.map((block) => Object.values(block.variables)),
  ])
}
