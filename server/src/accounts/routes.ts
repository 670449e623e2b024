import { roles } from '@patchbay/contract'
import { type AccountIdentity, scopeOf } from '../access/index.ts'
import type { HandlersOf } from '../http/index.ts'
import { type CreateDeps, createAccount } from './create.ts'
import { changeAccountState } from './state.ts'
import { listAccounts, searchAccounts } from './store.ts'

type Names = 'Authenticate' | 'Roles' | 'Accounts' | 'AccountsSearch' | 'AccountCreate' | 'AccountState'

export function accountRoutes(deps: CreateDeps): HandlersOf<Names> {
  const { database } = deps
  return {
    Authenticate: ({ principal }) =>
      principal.isManaging
        ? { myAccount: toAnswer(principal.caller), managedAccount: toAnswer(principal.account) }
        : { myAccount: toAnswer(principal.caller) },
    Roles: () => [...roles],
    Accounts: ({ principal }) => listAccounts(database.forScope(scopeOf(principal)), principal.account.organizationId),
    AccountsSearch: ({ principal, body }) =>
      searchAccounts(database.forScope(scopeOf(principal)), principal.account.organizationId, {
        page: body.page ?? 0,
        size: body.size ?? 50,
        searchTerm: body.searchTerm,
        states: body.accountState,
        tags: body.tags,
      }),
    AccountCreate: ({ principal, body }) => createAccount(deps, principal, body),
    AccountState: ({ principal, params, body }) => changeAccountState(deps, principal, params.id, body.accountState),
  }
}

function toAnswer({ id, email, organizationId, organizationName, role }: AccountIdentity) {
  return { id, email, organizationId, organizationName, role }
}
