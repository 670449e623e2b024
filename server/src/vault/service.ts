// The vault as callers of the interface use it: a place that is not theirs does not exist, and every change is in the audit log.
import type { Principal } from '../access/index.ts'
import { actorOf, recordAudit } from '../audit/index.ts'
import { type Queryable, type Scope, violatedConstraint } from '../db/index.ts'
import { notFound } from '../lib/app-error.ts'
import { type EntryId, entryId, type Json, type VaultPlace } from './entry.ts'
import { deleteEntry, findValue, hasEntry, upsertEntry } from './store.ts'
import { openValue, sealValue, type VaultDeps } from './vault.ts'

export type ServiceDeps = VaultDeps & {
  /** Whether the workflow is one of the account; on the connection it is given, so that it costs no round trip of its own. */
  workflowExists(db: Queryable, scope: Scope, workflowId: string): Promise<boolean>
}

type Target = { scope: Scope; at: VaultPlace; id: EntryId }

export async function setEntry(
  deps: ServiceDeps,
  principal: Principal,
  at: VaultPlace,
  key: string,
  value: unknown,
): Promise<boolean> {
  const target = targetOf(principal, at, key)
  const entry = await sealValue(deps.keyRing, target.id, value)
  await deps.database.forScope(target.scope).transaction(async (tx) => {
    // All three travel together; when the workflow turns out not to exist, the transaction takes the others back.
    const [exists, ...writes] = await Promise.allSettled([
      holderExists(deps, tx, target),
      upsertEntry(tx, entry),
      recordAudit(tx, actorOf(principal), 'vault.set', target.id.holderId, { key: shownKey(key) }),
    ])
    if (exists.status === 'fulfilled' && !exists.value) throw notFound('workflow')
    const failed = [exists, ...writes].find((outcome) => outcome.status === 'rejected')
    if (failed) throw asNotFound(failed.reason)
  })
  return true
}

export async function getEntry(deps: ServiceDeps, principal: Principal, at: VaultPlace, key: string): Promise<Json> {
  const target = targetOf(principal, at, key)
  const db = deps.database.forScope(target.scope)
  const sealed = await findValue(db, target.id)
  if (sealed !== undefined) return openValue(deps.keyRing, target.id, sealed)
  await requireHolder(deps, db, target)
  return null
}

export async function containsEntry(
  deps: ServiceDeps,
  principal: Principal,
  at: VaultPlace,
  key: string,
): Promise<boolean> {
  const target = targetOf(principal, at, key)
  const db = deps.database.forScope(target.scope)
  if (await hasEntry(db, target.id)) return true
  await requireHolder(deps, db, target)
  return false
}

export async function removeEntry(
  deps: ServiceDeps,
  principal: Principal,
  at: VaultPlace,
  key: string,
): Promise<boolean> {
  const target = targetOf(principal, at, key)
  return deps.database.forScope(target.scope).transaction(async (tx) => {
    if (await deleteEntry(tx, target.id)) {
      await recordAudit(tx, actorOf(principal), 'vault.removed', target.id.holderId, { key: shownKey(key) })
      return true
    }
    await requireHolder(deps, tx, target)
    return false
  })
}

/** Account entries belong to the managed account or to the caller itself; workflows are looked for in the managed account only. */
function targetOf(principal: Principal, at: VaultPlace, key: string): Target {
  const wanted = 'accountId' in at ? at.accountId.toLowerCase() : principal.account.id
  const account = [principal.account, principal.caller].find((identity) => identity.id === wanted)
  if (!account) throw notFound('account')
  const scope = { organizationId: account.organizationId, accountId: account.id }
  return { scope, at, id: entryId(scope, at, key) }
}

async function holderExists(deps: ServiceDeps, db: Queryable, target: Target): Promise<boolean> {
  return 'accountId' in target.at || deps.workflowExists(db, target.scope, target.id.holderId)
}

/** Asked only when nothing was found: an entry cannot outlive its workflow. */
async function requireHolder(deps: ServiceDeps, db: Queryable, target: Target): Promise<void> {
  if (!(await holderExists(deps, db, target))) throw notFound('workflow')
}

/** A workflow that was deleted in this very moment is a workflow that does not exist. */
function asNotFound(error: unknown): unknown {
  return violatedConstraint(error) === 'vault_entries_workflow' ? notFound('workflow') : error
}

/** For the audit log, which cannot hold NUL and should not hold novels. */
function shownKey(key: string): string {
  const text = key.toWellFormed().replaceAll('\u0000', '\ufffd')
  return text.length > 200 ? `${text.slice(0, 200).toWellFormed()}…` : text
}
