import { scopeOf } from '../../access/index.ts'
import type { Database, Queryable, Scope, Tx } from '../../db/index.ts'
import type { Taggable } from '../../tags/index.ts'
import { hasWorkflow, holdWorkflow as hold } from '../store.ts'

/** Whoever reaches the account may tag its workflows. */
export function workflowTaggable(database: Database): Taggable {
  return {
    exists: (principal, id) => hasWorkflow(database.forScope(scopeOf(principal)), principal.account.id, id),
    lowestRole: () => 'User',
  }
}

/** For others whose entries belong to a workflow. */
export function workflowExists(db: Queryable, scope: Scope, id: string): Promise<boolean> {
  return hasWorkflow(db, scope.accountId, id)
}

/** The same for those who are about to write such entries: it cannot be deleted before they are done. */
export function holdWorkflow(tx: Tx, scope: Scope, id: string): Promise<boolean> {
  return hold(tx, scope.accountId, id)
}
