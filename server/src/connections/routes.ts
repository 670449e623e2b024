import { readPage } from '@patchbay/contract'
import { scopeOf } from '../access/index.ts'
import type { Scope } from '../db/index.ts'
import type { HandlersOf } from '../http/index.ts'
import type { Taggable } from '../tags/index.ts'
import { listAuthenticated, searchConnections } from './list-store.ts'
import { change } from './register/change.ts'
import { register } from './register/register.ts'
import { remove } from './register/remove.ts'
import type { RegistrationDeps } from './register/try-credentials.ts'
import { exists } from './store.ts'

type Names =
  | 'RegApplications'
  | 'RegApplicationsSearch'
  | 'RegApplicationCreate'
  | 'RegApplicationUpdate'
  | 'DeleteRegApplication'

export function connectionRoutes(deps: RegistrationDeps): HandlersOf<Names> {
  const countUses = async <Item extends { id: string }>(scope: Scope, items: Item[]) => {
    const counts = await deps.workflows.countUsing(
      scope,
      items.map(({ id }) => id),
    )
    return items.map((item) => ({ ...item, workflowsCount: counts.get(item.id) ?? 0 }))
  }
  return {
    RegApplications: async ({ principal }) => {
      const scope = scopeOf(principal)
      return countUses(scope, await listAuthenticated(deps.database.forScope(scope), scope))
    },
    RegApplicationsSearch: async ({ principal, body }) => {
      const scope = scopeOf(principal)
      const { items, total } = await searchConnections(deps.database.forScope(scope), scope, {
        ...readPage(body),
        searchTerm: body.searchTerm,
        tags: body.tags,
        isFaulted: body.isFaulted,
        appIds: body.appIds,
      })
      return { regApplications: await countUses(scope, items), total }
    },
    RegApplicationCreate: ({ principal, body }) => register(deps, principal, body),
    RegApplicationUpdate: ({ principal, params, body }) => change(deps, principal, params.id, body),
    DeleteRegApplication: ({ principal, params }) => remove(deps, principal, params.id),
  }
}

/** Registered applications, as far as tags are concerned. */
export function connectionTaggable(deps: Pick<RegistrationDeps, 'database'>): Taggable {
  return {
    lowestRole: () => 'User',
    exists: (principal, id) => exists(deps.database.forScope(scopeOf(principal)), principal.account.id, id),
  }
}
