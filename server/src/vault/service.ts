// The vault as callers of the interface use it: a place that is not theirs does not exist, and every change is in the audit log.
import type { Principal } from '../access/index.ts'
import { actorOf, recordAudit } from '../audit/index.ts'
import type { Queryable, Scope } from '../db/index.ts'
import { notFound } from '../lib/app-error.ts'
import type { StorageLedger } from '../storage/index.ts'
import { type EntryId, entryId, type VaultPlace } from './entry.ts'
import type { EntryWriter } from './entry-writer.ts'
import { deleteEntry, hasEntry } from './store.ts'
import type { ValueReader } from './value-reader.ts'
import { openValue, sealValue, type VaultDeps } from './vault.ts'

export type ServiceDeps = VaultDeps & {
  ledger: Pick<StorageLedger, 'add' | 'requireRoom'>
  readValue: ValueReader
  writeEntry: EntryWriter
  /** Whether the workflow is one of the account. */
  workflowExists(db: Queryable, scope: Scope, workflowId: string): Promise<boolean>
}

type Target = { scope: Scope; at: VaultPlace; id: EntryId }

export async function setEntry(
  deps: ServiceDeps,
  principal: Principal,
  at: VaultPlace & { key: string },
  value: unknown,
): Promise<boolean> {
  const { scope, id } = targetOf(principal, at, at.key)
  deps.ledger.requireRoom(scope.accountId)
  const entry = await sealValue(deps.keyRing, id, value)
  const audit = {
    actor: actorOf(principal),
    action: 'vault.set' as const,
    target: id.holderId,
    details: { key: shownKey(at.key) },
  }
  const isWritten = await deps.writeEntry(scope, { entry, audit })
  deps.ledger.add(scope.accountId, entry.sealedValue.length)
  return isWritten
}

/** The JSON text of the value, which is null when there is none. */
export async function getEntry(deps: ServiceDeps, principal: Principal, at: VaultPlace, key: string): Promise<string> {
  const target = targetOf(principal, at, key)
  const sealed = await deps.readValue(target.scope, target.id)
  if (sealed !== undefined) {
    await auditPersonsRead(deps, principal, target, key)
    return openValue(deps.keyRing, target.id, sealed)
  }
  await requireHolder(deps, deps.database.forScope(target.scope), target)
  return 'null'
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
  const db = deps.database.forScope(target.scope)
  const isRemoved = await db.transaction(async (tx) => {
    if (!(await deleteEntry(tx, target.id))) return false
    await recordAudit(tx, actorOf(principal), {
      action: 'vault.removed',
      target: target.id.holderId,
      details: { key: shownKey(key) },
    })
    return true
  })
  if (isRemoved) return true
  await requireHolder(deps, db, target)
  return false
}

/** Programs read values as their daily work; that a person looked at a secret is worth a row. */
async function auditPersonsRead(deps: ServiceDeps, principal: Principal, target: Target, key: string): Promise<void> {
  if (principal.credential.kind !== 'session') return
  const db = deps.database.forScope(target.scope)
  await recordAudit(db, actorOf(principal), {
    action: 'vault.read',
    target: target.id.holderId,
    details: { key: shownKey(key) },
  })
}

/** Account entries belong to the managed account or to the caller itself; workflows are looked for in the managed account only. */
function targetOf(principal: Principal, at: VaultPlace, key: string): Target {
  const wanted = 'accountId' in at ? at.accountId : principal.account.id
  const account = [principal.account, principal.caller].find((identity) => identity.id === wanted)
  if (!account) throw notFound('account')
  const scope = { organizationId: account.organizationId, accountId: account.id }
  return { scope, at, id: entryId(scope, at, key) }
}

async function requireHolder(deps: ServiceDeps, db: Queryable, { at, scope, id }: Target): Promise<void> {
  if ('workflowId' in at && !(await deps.workflowExists(db, scope, id.holderId))) throw notFound('workflow')
}

/** For the audit log, which cannot hold NUL and should not hold novels. */
function shownKey(key: string): string {
  const text = key.toWellFormed().replaceAll('\u0000', '\ufffd')
  return text.length > 200 ? `${text.slice(0, 200).toWellFormed()}…` : text
}
