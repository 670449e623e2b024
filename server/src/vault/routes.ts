import type { HandlersOf } from '../http/index.ts'
import { containsEntry, getEntry, removeEntry, type ServiceDeps, setEntry } from './service.ts'

type Names =
  | 'MyVaultSet'
  | 'MyVaultGet'
  | 'MyVaultRemove'
  | 'MyVaultContains'
  | 'MyVaultSetGlobal'
  | 'MyVaultGetGlobal'
  | 'MyVaultRemoveGlobal'
  | 'MyVaultContainsGlobal'

export function vaultRoutes(deps: ServiceDeps): HandlersOf<Names> {
  return {
    MyVaultSet: ({ principal, params, body }) => setEntry(deps, principal, params, params.key, body.jsonData),
    MyVaultGet: ({ principal, params }) => getEntry(deps, principal, params, params.key),
    MyVaultRemove: ({ principal, params }) => removeEntry(deps, principal, params, params.key),
    MyVaultContains: ({ principal, params }) => containsEntry(deps, principal, params, params.key),
    MyVaultSetGlobal: ({ principal, params, body }) => setEntry(deps, principal, params, params.key, body.jsonData),
    MyVaultGetGlobal: ({ principal, params }) => getEntry(deps, principal, params, params.key),
    MyVaultRemoveGlobal: ({ principal, params }) => removeEntry(deps, principal, params, params.key),
    MyVaultContainsGlobal: ({ principal, params }) => containsEntry(deps, principal, params, params.key),
  }
}
