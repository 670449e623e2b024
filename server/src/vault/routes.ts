import type { HandlersOf } from '../http/index.ts'
import { JsonText } from '../lib/json-text.ts'
import { createEntryWriter, type WriterDeps } from './entry-writer.ts'
import { listVaultKeys } from './list-keys.ts'
import { containsEntry, getEntry, removeEntry, type ServiceDeps, setEntry } from './service.ts'
import { createValueReader } from './value-reader.ts'

type Names =
  | 'MyVaultSet'
  | 'MyVaultGet'
  | 'MyVaultRemove'
  | 'MyVaultContains'
  | 'MyVaultSetGlobal'
  | 'MyVaultGetGlobal'
  | 'MyVaultRemoveGlobal'
  | 'MyVaultContainsGlobal'
  | 'VaultKeys'

export function vaultRoutes(given: Omit<ServiceDeps, 'readValue' | 'writeEntry'> & WriterDeps): HandlersOf<Names> {
  const deps = { ...given, readValue: createValueReader(given.database), writeEntry: createEntryWriter(given) }
  return {
    MyVaultSet: ({ principal, params, body }) => setEntry(deps, principal, params, body.jsonData),
    MyVaultGet: async ({ principal, params }) => new JsonText(await getEntry(deps, principal, params, params.key)),
    MyVaultRemove: ({ principal, params }) => removeEntry(deps, principal, params, params.key),
    MyVaultContains: ({ principal, params }) => containsEntry(deps, principal, params, params.key),
    MyVaultSetGlobal: ({ principal, params, body }) => setEntry(deps, principal, params, body.jsonData),
    MyVaultGetGlobal: async ({ principal, params }) =>
      new JsonText(await getEntry(deps, principal, params, params.key)),
    MyVaultRemoveGlobal: ({ principal, params }) => removeEntry(deps, principal, params, params.key),
    VaultKeys: ({ principal, body }) => listVaultKeys(deps, principal, body),
    MyVaultContainsGlobal: ({ principal, params }) => containsEntry(deps, principal, params, params.key),
  }
}
