import type { Principal } from '../access/index.ts'
import { type Queryable, sql } from '../db/index.ts'

export type Actor = {
  organizationId: string
  accountId: string | null
  managedAccountId: string | null
  keyId: string | null
  address: string | null
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

/** One row for one change, in the transaction of the change. `details` never holds a secret. */
export async function recordAudit(
  tx: Queryable,
  actor: Actor,
  action: string,
  target: string | null,
  details: object = {},
): Promise<void> {
  await recordAudits(tx, [{ actor, action, target, details }])
}

export type AuditEntry = { actor: Actor; action: string; target: string | null; details?: object }

/** The same for many changes of one transaction. */
export async function recordAudits(tx: Queryable, entries: readonly AuditEntry[]): Promise<void> {
  if (entries.length === 0) return
  await tx.query(sql`
    insert into audit_log (organization_id, account_id, managed_account_id, key_id, address, action, target, details)
    select * from unnest(
      ${entries.map(({ actor }) => actor.organizationId)}::uuid[],
      ${entries.map(({ actor }) => actor.accountId)}::uuid[],
      ${entries.map(({ actor }) => actor.managedAccountId)}::uuid[],
      ${entries.map(({ actor }) => actor.keyId)}::uuid[],
      ${entries.map(({ actor }) => actor.address)}::text[],
      ${entries.map(({ action }) => action)}::text[],
      ${entries.map(({ target }) => target)}::text[],
      ${entries.map(({ details }) => JSON.stringify(details ?? {}))}::jsonb[])`)
}
