import { type BodyOf, type Operations, rankOf, readPage, roles } from '@patchbay/contract'
import { type AccountIdentity, scopeOf } from '../access/index.ts'
import type { HandlersOf } from '../http/index.ts'
import { listTags } from '../tags/index.ts'
import { type CreateDeps, createAccount } from './create.ts'
import { activationResender } from './resend-activation.ts'
import { changeAccountState } from './state.ts'
import { listAccounts, searchAccounts } from './store.ts'
import { changeAccount } from './update.ts'

type Names =
  | 'Authenticate'
  | 'Roles'
  | 'Organization'
  | 'Accounts'
  | 'AccountsSearch'
  | 'ManagedAccounts'
  | 'AccountCreate'
  | 'AccountUpdate'
  | 'AccountState'
  | 'ResendActivation'

export function accountRoutes(deps: CreateDeps): HandlersOf<Names> {
  const { database } = deps
  const resend = activationResender(deps)
  return {
    Authenticate: ({ principal }) =>
      principal.isManaging
        ? { myAccount: toAnswer(principal.caller), managedAccount: toAnswer(principal.account) }
        : { myAccount: toAnswer(principal.caller) },
    Roles: async ({ principal }) => {
      const ids = roles.map(({ id }) => id)
      const tags = await listTags(database.forScope(scopeOf(principal)), principal.account.organizationId, 'role', ids)
      return roles.map((role) => ({ ...role, tags: tags.get(role.id) ?? [] }))
    },
    Organization: async ({ principal }) => {
      const { organizationId: id, organizationName: name } = principal.account
      const tags = await listTags(database.forScope(scopeOf(principal)), id, 'organization', [id])
      return { id, name, tags: tags.get(id) ?? [] }
    },
    Accounts: ({ principal }) => listAccounts(database.forScope(scopeOf(principal)), principal.account.organizationId),
    AccountsSearch: ({ principal, body }) =>
      searchAccounts(database.forScope(scopeOf(principal)), principal.account.organizationId, wanted(body)),
    // Whoever calls, also while acting for another.
    ManagedAccounts: ({ principal: { caller }, body }) =>
      searchAccounts(
        database.forScope({ organizationId: caller.organizationId, accountId: caller.id }),
        caller.organizationId,
        { ...wanted(body), reachedBy: reachOf(caller) },
      ),
    AccountCreate: ({ principal, body }) => createAccount(deps, principal, body),
    AccountUpdate: ({ principal, params, body }) => changeAccount(deps, principal, params.id, body),
    ResendActivation: ({ principal, params }) => resend(principal, params.id),
    AccountState: ({ principal, params, body }) => changeAccountState(deps, principal, params.id, body.accountState),
  }
}

function wanted(body: BodyOf<Operations['AccountsSearch']>) {
  return {
    ...readPage(body),
    searchTerm: body.searchTerm,
    states: body.accountState,
    tags: body.tags,
  }
}

/** Undefined: everybody of the organization. As `mayActFor` says of one account. */
function reachOf({ id, role }: AccountIdentity): { id: string; withCreated: boolean } | undefined {
  return rankOf(role) >= rankOf('SuperPartner') ? undefined : { id, withCreated: role === 'DevPartner' }
}

function toAnswer({ id, email, organizationId, organizationName, role }: AccountIdentity) {
  return { id, email, organizationId, organizationName, role }
}
