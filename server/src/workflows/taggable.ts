import { scopeOf } from '../access/index.ts'
import type { Database } from '../db/index.ts'
import type { Taggable } from '../tags/index.ts'
import { hasWorkflow } from './store.ts'

/** Whoever reaches the account may tag its workflows. */
export function workflowTaggable(database: Database): Taggable {
  return {
    exists: (principal, id) =>
      hasWorkflow(database.forScope(scopeOf(principal)), principal.account.id, id.toLowerCase()),
    lowestRole: () => 'User',
  }
}
