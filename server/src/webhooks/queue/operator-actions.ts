// What an operator can do with the queue by hand.
import type { AuditAction } from '@patchbay/contract'
import { type Principal, scopeOf } from '../../access/index.ts'
import { actorOf, recordAudit } from '../../audit/index.ts'
import { type Database, sql, type Tx } from '../../db/index.ts'
import { AppError, notFound } from '../../lib/app-error.ts'
import { lockWorkflow } from '../settings/store.ts'
import { lockLanes, shareOrder } from './locks.ts'
import { leaveQueue } from './settle-store.ts'

export type VerbDeps = { database: Database; wake(accountId: string): void }

export function skipRequest(deps: VerbDeps, principal: Principal, webhookId: string): Promise<boolean> {
  return withItem(deps, principal, { webhookId, action: 'webhook.skipped' }, async (tx, { status }) => {
    if (status === 'Processing') return false
    await leaveQueue(tx, [{ webhookId, status: 'Skipped', errorMessage: 'Skipped by hand.' }])
    return true
  })
}

export function retryRequest(deps: VerbDeps, principal: Principal, webhookId: string): Promise<boolean> {
  return withItem(deps, principal, { webhookId, action: 'webhook.retried' }, async (tx, { status }) => {
    if (status !== 'Failed') return false
    await tx.query(
      sql`update webhook_queue set due_at = now(), modified_at = now() where account_id = ${principal.account.id} and webhook_id = ${webhookId}`,
    )
    return true
  })
}

/** What somebody has in hand at this moment is being processed, as far as an operator is concerned. */
async function withItem(
  deps: VerbDeps,
  principal: Principal,
  { webhookId, action }: { webhookId: string; action: AuditAction },
  work: (tx: Tx, item: { status: string }) => Promise<boolean>,
): Promise<boolean> {
  const scope = scopeOf(principal)
  const { accountId } = scope
  const isDone = await deps.database.forScope(scope).transaction(async (tx) => {
    const found = await tx.query<{ workflow_id: string }>(sql`
      select workflow_id from webhook_queue where account_id = ${accountId} and webhook_id = ${webhookId}
      union all select workflow_id from webhook_history where account_id = ${accountId} and webhook_id = ${webhookId}`)
    const workflowId = found.rows[0]?.workflow_id
    if (workflowId === undefined) throw notFound('webhook request')
    await shareOrder(tx, [workflowId])
    await lockLanes(tx, [workflowId])
    const item = await tx.query<{ status: string }>(sql`
      select status from webhook_queue where account_id = ${accountId} and webhook_id = ${webhookId} for update skip locked`)
    if (!item.rows[0] || !(await work(tx, item.rows[0]))) return false
    await recordAudit(tx, actorOf(principal), { action, target: workflowId, details: { webhookId } })
    return true
  })
  if (isDone) deps.wake(accountId)
  return isDone
}

export async function setHeld(
  deps: VerbDeps,
  principal: Principal,
  workflowId: string,
  isHeld: boolean,
): Promise<string> {
  const scope = scopeOf(principal)
  await deps.database.forScope(scope).transaction(async (tx) => {
    if (!(await lockWorkflow(tx, scope.accountId, workflowId))) throw notFound('workflow')
    const { rows } = await tx.query<{ is_held: boolean }>(sql`
      select is_held from webhooks where account_id = ${scope.accountId} and workflow_id = ${workflowId} for no key update`)
    if (!rows[0]) throw notConfigured()
    if (rows[0].is_held === isHeld) return
    await tx.query(sql`
      update webhooks set is_held = ${isHeld}, modified_at = now(), modified_by = ${principal.caller.id}
      where account_id = ${scope.accountId} and workflow_id = ${workflowId}`)
    await recordAudit(tx, actorOf(principal), {
      action: isHeld ? 'webhook.held' : 'webhook.released',
      target: workflowId,
    })
  })
  if (!isHeld) deps.wake(scope.accountId)
  return isHeld ? 'The queue is held. Requests are accepted and wait.' : 'The queue is released.'
}

export function notConfigured(): AppError {
  return new AppError('webhook_not_configured', 'The webhook of this workflow is not configured.')
}
