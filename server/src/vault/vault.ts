// The vault as scripts and runs use it: who may reach a place was decided before, by the run. What a run changes is told by the run's
// own record, so nothing here writes to the audit log.

import type { Database, Scope, Tx } from '../db/index.ts'
import type { Json } from '../lib/json.ts'
import type { KeyRing } from '../secrets/index.ts'
import type { StorageLedger } from '../storage/index.ts'
import { type EntryId, entryId, sealPlace, type VaultPlace, writeValue } from './entry.ts'
import { deleteEntry, hasEntry, type SealedEntry, upsertEntries, upsertEntry } from './store.ts'
import { createValueReader } from './value-reader.ts'
import { writeToHolder } from './write-to-holder.ts'

export type Vault = {
  /** Null when there is no such entry. */
  get(scope: Scope, at: VaultPlace, key: string): Promise<Json>
  set(scope: Scope, at: VaultPlace, key: string, value: Json): Promise<void>
  remove(scope: Scope, at: VaultPlace, key: string): Promise<boolean>
  contains(scope: Scope, at: VaultPlace, key: string): Promise<boolean>
  /** Deferred writes, in the transaction of their caller. Of several values for one key the last counts. */
  writeAll(tx: Tx, scope: Scope, entries: { at: VaultPlace; key: string; value: Json }[]): Promise<void>
}

export type VaultDeps = { database: Database; keyRing: KeyRing; ledger: Pick<StorageLedger, 'add'> }

export function createVault(deps: VaultDeps): Vault {
  const { database, keyRing, ledger } = deps
  const readValue = createValueReader(database)
  return {
    async get(scope, at, key) {
      const id = entryId(scope, at, key)
      const sealed = await readValue(scope, id)
      return sealed === undefined ? null : JSON.parse(await openValue(keyRing, id, sealed))
    },
    async set(scope, at, key, value) {
      const entry = await sealValue(keyRing, entryId(scope, at, key), value)
      await writeToHolder(upsertEntry(database.forScope(scope), entry))
      ledger.add(scope.accountId, entry.sealedValue.length)
    },
    remove: async (scope, at, key) => deleteEntry(database.forScope(scope), entryId(scope, at, key)),
    contains: async (scope, at, key) => hasEntry(database.forScope(scope), entryId(scope, at, key)),
    async writeAll(tx, scope, entries) {
      const last = new Map<string, { id: EntryId; value: Json }>()
      for (const { at, key, value } of entries) {
        const id = entryId(scope, at, key)
        last.set(sealPlace(id).rowId, { id, value })
      }
      if (last.size === 0) return
      const sealed = await Promise.all([...last.values()].map(({ id, value }) => sealValue(keyRing, id, value)))
      await upsertEntries(tx, scope.accountId, sealed)
      const bytes = sealed.reduce((sum, { sealedValue }) => sum + sealedValue.length, 0)
      tx.afterCommit(() => ledger.add(scope.accountId, bytes))
    },
  }
}

export async function sealValue(keyRing: KeyRing, id: EntryId, value: unknown): Promise<SealedEntry> {
  return { ...id, sealedValue: await keyRing.seal(sealPlace(id), writeValue(value)) }
}

/** The JSON text, as `writeValue` made it. */
export async function openValue(keyRing: KeyRing, id: EntryId, sealed: Buffer): Promise<string> {
  return (await keyRing.open(sealPlace(id), sealed)).toString('utf8')
}
