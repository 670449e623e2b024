import type { HandlersOf } from '../http/index.ts'
import { type GrantDeps, grantAccess } from './grant.ts'

export function documentLibraryRoutes(deps: GrantDeps): HandlersOf<'DocumentLibraryGrant'> {
  return { DocumentLibraryGrant: ({ principal, body }) => grantAccess(deps, principal, body) }
}
