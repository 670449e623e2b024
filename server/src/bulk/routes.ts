import type { HandlersOf } from '../http/index.ts'
import { type BulkDeps, doInBulk } from './bulk-action.ts'

export function bulkRoutes(deps: BulkDeps): HandlersOf<'BulkAction'> {
  return { BulkAction: ({ principal, body }) => doInBulk(deps, principal, body) }
}
