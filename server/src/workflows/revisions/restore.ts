import type { Principal } from '../../access/index.ts'
import { notFound } from '../../lib/app-error.ts'
import { openDefinition } from '../definition/sealed-values.ts'
import { findWorkflow } from '../store.ts'
import { type SaveDeps, saveRevision } from './save-revision.ts'

/** A new revision with the content of an old one, secrets and bond to the template included. Returns its number. */
export async function restoreRevision(
  deps: SaveDeps,
  principal: Principal,
  workflowId: string,
  revision: number,
): Promise<number> {
  return saveRevision(deps, principal, {
    workflowId,
    reason: 'Restored',
    expectedRevisions: undefined,
    decide: async (_current, { accountId, organizationId }) => {
      const db = deps.database.forScope({ accountId, organizationId })
      const old = await findWorkflow(db, accountId, workflowId, revision)
      if (!old) throw notFound('revision')
      const definition = await openDefinition(deps.keyRing, { workflowId: old.id, accountId, revision }, old)
      return { definition, templateVersion: old.templateVersion, baseDigest: old.baseDigest }
    },
  })
}
