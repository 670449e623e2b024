import type { HandlersOf } from '../http/index.ts'
import { type SearchDeps, searchRuns } from './finding/search-runs.ts'

export function searchRoutes(deps: SearchDeps): HandlersOf<'SearchRuns'> {
  return { SearchRuns: ({ principal, body }) => searchRuns(deps, principal, body) }
}
