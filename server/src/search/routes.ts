import type { Database } from '../db/index.ts'
import type { HandlersOf } from '../http/index.ts'
import type { KeyRing } from '../secrets/index.ts'
import { searchRuns } from './finding/search-runs.ts'

export function searchRoutes(deps: { database: Database; keyRing: KeyRing }): HandlersOf<'SearchRuns'> {
  return { SearchRuns: ({ principal, body }) => searchRuns(deps, principal, body) }
}
