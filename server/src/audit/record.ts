import type { AuditAction } from '@patchbay/contract'
import type { Principal } from '../access/index.ts'
import { type Queryable, sql } from '../db/index.ts'

export type Actor = {
  organizationId: string
  accountId: string | null
  managedAccountId: string | null
  keyId: string | null
  address: string | null
}

/** Nobody who signed in: the operator at the machine, or the service by itself. */
export function noAccount(organizationId: string): Actor {
  return { organizationId, accountId: null, managedAccountId: null, keyId: null, address: null }
}

export function actorOf(principal: Principal): Actor {
  return {
    organizationId: principal.account.organizationId,
    accountId: principal.caller.id,
    managedAccountId: principal.isManaging ? principal.account.id : null,
    keyId: principal.credential.kind === 'key' ? principal.credential.id : null,
    address: principal.address,
  }
}

/** What was done, and to what. `details` never holds a secret. */
type AuditedChange = { action: AuditAction; target: string | null; details?: object }

export type AuditRow = { actor: Actor } & Required<AuditedChange>

/** One row for one change, in the transaction of the change. */
export async function recordAudit(tx: Queryable, actor: Actor, change: AuditedChange): Promise<void> {
  await recordAudits(tx, [{ actor, action: change.action, target: change.target, details: change.details ?? {} }])
}

/** The rows of several changes that become final together, in their order. */
export async function recordAudits(tx: Queryable, rows: readonly AuditRow[]): Promise<void> {
  if (rows.length === 0) return
  await tx.query(sql`
    insert into audit_log (organization_id, account_id, managed_account_id, key_id, address, action, target, details)
    select * from unnest(
      ${rows.map(({ actor }) => actor.organizationId)}::uuid[], ${rows.map(({ actor }) => actor.accountId)}::uuid[],
      ${rows.map(({ actor }) => actor.managedAccountId)}::uuid[], ${rows.map(({ actor }) => actor.keyId)}::uuid[],
      ${rows.map(({ actor }) => actor.address)}::text[], ${rows.map(({ action }) => action)}::text[],
      ${rows.map(({ target }) => target)}::text[], ${rows.map(({ details }) => JSON.stringify(details))}::jsonb[])`)
}
