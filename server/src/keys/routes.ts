import { scopeOf } from '../access/index.ts'
import type { Database } from '../db/index.ts'
import type { HandlersOf } from '../http/index.ts'
import type { KeyRing } from '../secrets/index.ts'
import { changeKeyPair, createKeyPair, revealSecret, revokeKeyPair } from './service.ts'
import { listKeys } from './store.ts'

type Names = 'ApiKeys' | 'ApiKeyCreate' | 'ApiKeyUpdate' | 'DeleteApiKey' | 'RevealApiKey'

export function keyRoutes(deps: { database: Database; keyRing: KeyRing }): HandlersOf<Names> {
  return {
    ApiKeys: ({ principal }) => listKeys(deps.database.forScope(scopeOf(principal)), principal.account.id),
    ApiKeyCreate: ({ principal, body }) => createKeyPair(deps, principal, body),
    ApiKeyUpdate: ({ principal, params, body }) => changeKeyPair(deps, principal, params.id, body),
    DeleteApiKey: ({ principal, params }) => revokeKeyPair(deps, principal, params.id),
    RevealApiKey: ({ principal, params }) => revealSecret(deps, principal, params.id),
  }
}
