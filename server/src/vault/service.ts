// The vault as callers of the interface use it: a place that is not theirs does not exist, and every change is in the audit log.
import type { Principal } from '../access/index.ts'
import { actorOf } from '../audit/index.ts'
import type { Queryable, Scope } from '../db/index.ts'
import { notFound } from '../lib/app-error.ts'
import { TimedCache } from '../lib/timed-cache.ts'
import { type EntryId, entryId, type VaultPlace } from './entry.ts'
import { deleteEntryAudited, hasEntry, upsertEntryAudited } from './store.ts'
import type { ValueReader } from './value-reader.ts'
import { openValue, sealValue, type VaultDeps, writeToHolder } from './vault.ts'

export type ServiceDeps = VaultDeps & {
  readValue: ValueReader
  /** Whether the workflow is one of the account. */
  workflowExists(db: Queryable, scope: Scope, workflowId: string): Promise<boolean>
}

type Target = { scope: Scope; at: VaultPlace; id: EntryId }

// Before a write, a workflow that was just seen is not looked for again. Should it be gone by then, the database refuses: entries refer to it.
const seenMs = 500
const seenMax = 20_000
const seen = new TimedCache<true>(seenMs, seenMax)

export async function setEntry(
  deps: ServiceDeps,
  principal: Principal,
  at: VaultPlace,
  key: string,
  value: unknown,
): Promise<boolean> {
  const target = targetOf(principal, at, key)
  const db = deps.database.forScope(target.scope)
  const entry = await sealValue(deps.keyRing, target.id, value)
  if (!seen.peek(placeOf(target))) await seen.get(placeOf(target), () => requireHolder(deps, db, target))
  const change = { actor: actorOf(principal), action: 'vault.set', details: { key: shownKey(key) } }
  await writeToHolder(upsertEntryAudited(db, entry, change))
  return true
}

/** The JSON text of the value, which is null when there is none. */
export async function getEntry(deps: ServiceDeps, principal: Principal, at: VaultPlace, key: string): Promise<string> {
  const target = targetOf(principal, at, key)
  const sealed = await deps.readValue(target.scope, target.id)
  if (sealed !== undefined) return openValue(deps.keyRing, target.id, sealed)
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
  const change = { actor: actorOf(principal), action: 'vault.removed', details: { key: shownKey(key) } }
  if (await deleteEntryAudited(db, target.id, change)) return true
  await requireHolder(deps, db, target)
  return false
}

/** Account entries belong to the managed account or to the caller itself; workflows are looked for in the managed account only. */
function targetOf(principal: Principal, at: VaultPlace, key: string): Target {
  const wanted = 'accountId' in at ? at.accountId.toLowerCase() : principal.account.id
  const account = [principal.account, principal.caller].find((identity) => identity.id === wanted)
  if (!account) throw notFound('account')
  const scope = { organizationId: account.organizationId, accountId: account.id }
  return { scope, at, id: entryId(scope, at, key) }
}

const placeOf = ({ id }: Target) => `${id.accountId} ${id.holderId}`

async function requireHolder(deps: ServiceDeps, db: Queryable, { at, scope, id }: Target): Promise<true> {
  if ('workflowId' in at && !(await deps.workflowExists(db, scope, id.holderId))) throw notFound('workflow')
  return true
}

/** For the audit log, which cannot hold NUL and should not hold novels. */
function shownKey(key: string): string {
  const text = key.toWellFormed().replaceAll('\u0000', '\ufffd')
  return text.length > 200 ? `${text.slice(0, 200).toWellFormed()}…` : text
}
