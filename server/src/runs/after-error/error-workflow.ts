// ErrorWorkflow: which workflow runs after a run that failed.
import type { EventScope } from '@patchbay/contract'
import { type Principal, scopeOf } from '../../access/index.ts'
import { actorOf, recordAudit } from '../../audit/index.ts'
import { type Database, sql } from '../../db/index.ts'
import { notFound } from '../../lib/app-error.ts'
import { findWorkflowState } from '../start/start-store.ts'
import { notDeployed } from '../start/starter.ts'

type Chosen = { scope: EventScope; workflowId: string | null }

export async function getErrorWorkflow(
  { database }: { database: Database },
  principal: Principal,
  scope: EventScope = 'account',
): Promise<Chosen> {
  const { rows } = await database.forScope(scopeOf(principal)).query<{ workflow_id: string }>(sql`
    select workflow_id from error_workflows where account_id = ${principal.account.id} and scope = ${scope}`)
  return { scope, workflowId: rows[0]?.workflow_id ?? null }
}

export async function setErrorWorkflow(
  { database }: { database: Database },
  principal: Principal,
  { scope = 'account', workflowId }: { scope?: EventScope; workflowId: string | null },
): Promise<undefined> {
  const accountId = principal.account.id
  await database.forScope(scopeOf(principal)).transaction(async (tx) => {
    if (workflowId === null) {
      await tx.query(sql`delete from error_workflows where account_id = ${accountId} and scope = ${scope}`)
    } else {
      const state = await findWorkflowState(tx, accountId, workflowId)
      if (state === undefined) throw notFound('workflow')
      if (state !== 'deployed') throw notDeployed(state)
      await tx.query(sql`
        insert into error_workflows (account_id, scope, workflow_id) values (${accountId}, ${scope}, ${workflowId})
        on conflict (account_id, scope) do update set workflow_id = excluded.workflow_id`)
    }
    await recordAudit(tx, actorOf(principal), {
      action: 'errorWorkflow.changed',
      target: accountId,
      details: { scope, workflowId },
    })
  })
}
