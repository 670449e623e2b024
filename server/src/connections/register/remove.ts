import { type Principal, scopeOf } from '../../access/index.ts'
import { actorOf, recordAudit } from '../../audit/index.ts'
import type { Database, Queryable, Scope } from '../../db/index.ts'
import { AppError, notFound } from '../../lib/app-error.ts'
import type { OpenedConnections } from '../credentials/opened-connection.ts'
import type { WorkflowUses } from '../ports.ts'
import { deleteConnection, findConnection, lockConnection } from '../store.ts'

type RemoveDeps = { database: Database; opened: OpenedConnections; workflows: WorkflowUses }

export async function remove(deps: RemoveDeps, principal: Principal, id: string): Promise<boolean> {
  const scope = scopeOf(principal)
  const stored = await findConnection(deps.database.forScope(scope), scope.accountId, id)
  if (!stored) throw notFound('registered application')
  await deps.database.forScope(scope).transaction(async (tx) => {
    // Whoever gives it to a workflow at this moment holds it: that one is waited for and then seen, or finds it gone.
    if (!(await lockConnection(tx, scope.accountId, stored.id))) throw notFound('registered application')
    await refuseWhileUsed(deps, tx, scope, stored.id)
    if (!(await deleteConnection(tx, scope, stored.id))) throw notFound('registered application')
    await recordAudit(tx, actorOf(principal), {
      action: 'registeredApplication.deleted',
      target: stored.id,
      details: { shortName: stored.shortName },
    })
  })
  deps.opened.forget({ scope, connection: stored })
  return true
}

async function refuseWhileUsed(deps: RemoveDeps, tx: Queryable, scope: Scope, id: string): Promise<void> {
  const users = await deps.workflows.using(tx, scope, id)
  if (users.length > 0) {
    throw new AppError(
      'registered_application_in_use',
      `The registered application is used by workflows that are not archived: ${users.join(', ')}.`,
    )
  }
}
