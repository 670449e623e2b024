import { type Principal, scopeOf } from '../../access/index.ts'
import { actorOf, recordAudit } from '../../audit/index.ts'
import type { Database } from '../../db/index.ts'
import { notFound } from '../../lib/app-error.ts'
import { templateNames } from '../read/read-templates.ts'
import { deleteDraft, raiseStamp, type TemplateKind } from '../shelves/store.ts'
import { requireOwner } from './owners.ts'

type Deps = { database: Database }

export async function discardDraft(deps: Deps, principal: Principal, kind: TemplateKind, id: string): Promise<boolean> {
  const { organizationId } = principal.account
  return deps.database.forScope(scopeOf(principal)).transaction(async (tx) => {
    await raiseStamp(tx, organizationId)
    await requireOwner(tx, principal, { kind, id }, templateNames[kind])
    if (!(await deleteDraft(tx, organizationId, kind, id))) throw notFound(`draft of the ${templateNames[kind]}`)
    await recordAudit(tx, actorOf(principal), { action: `${kind}.draftDeleted`, target: id })
    return true
  })
}
