// Samples: what a workflow in development received, for building it against real payloads.
import { noContent } from '@patchbay/contract'
import { type Principal, scopeOf } from '../../access/index.ts'
import { actorOf, recordAudit } from '../../audit/index.ts'
import { type Database, sql } from '../../db/index.ts'
import { notFound } from '../../lib/app-error.ts'
import type { KeyRing } from '../../secrets/index.ts'
import { findStored, openStored } from '../request/load-requests.ts'
import { readPayloadOf } from '../request/request-record.ts'
import { findSampleId, findWorkflowFlags, listSamples } from './list-store.ts'

type Deps = { database: Database; keyRing: KeyRing }

export async function getSandboxValue({ database, keyRing }: Deps, principal: Principal, workflowId: string) {
  const scope = scopeOf(principal)
  const db = database.forScope(scope)
  const id = await findSampleId(db, scope.accountId, workflowId)
  const [stored] = id === undefined ? [] : await findStored(db, scope.accountId, [id])
  return stored ? readPayloadOf(scope.accountId, await openStored(keyRing, stored)) : noContent
}

/** Newest first. */
export async function listSandbox({ database }: Deps, principal: Principal, workflowId: string) {
  const scope = scopeOf(principal)
  const db = database.forScope(scope)
  if (!(await findWorkflowFlags(db, scope.accountId, workflowId))) throw notFound('workflow')
  return listSamples(db, scope.accountId, workflowId)
}

export async function pinSandbox(
  { database }: Deps,
  principal: Principal,
  workflowId: string,
  webhookId: string | null,
): Promise<undefined> {
  const scope = scopeOf(principal)
  await database.forScope(scope).transaction(async (tx) => {
    await tx.query(sql`
      update webhook_samples set is_pinned = false where account_id = ${scope.accountId} and workflow_id = ${workflowId} and is_pinned`)
    if (webhookId !== null) {
      const pinned = await tx.query(sql`
        update webhook_samples set is_pinned = true
        where account_id = ${scope.accountId} and workflow_id = ${workflowId} and id = ${webhookId}`)
      if (pinned.rowCount === 0) throw notFound('webhook request')
    } else if (!(await findWorkflowFlags(tx, scope.accountId, workflowId))) throw notFound('workflow')
    await recordAudit(tx, actorOf(principal), {
      action: 'webhook.samplePinned',
      target: workflowId,
      details: { webhookId },
    })
  })
}
