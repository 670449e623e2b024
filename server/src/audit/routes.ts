import { readPage } from '@patchbay/contract'
import { scopeOf } from '../access/index.ts'
import type { Database } from '../db/index.ts'
import type { HandlersOf } from '../http/index.ts'
import { listAudit } from './store.ts'

export function auditRoutes(deps: { database: Database }): HandlersOf<'GetAuditLog'> {
  return {
    GetAuditLog: ({ body, principal }) =>
      listAudit(deps.database.forScope(scopeOf(principal)), principal.account.organizationId, {
        ...readPage(body),
        from: body.searchFrom,
        to: body.searchTo,
      }),
  }
}
