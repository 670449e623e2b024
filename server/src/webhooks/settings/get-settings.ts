import { noContent } from '@patchbay/contract'
import { type Principal, scopeOf } from '../../access/index.ts'
import type { Database } from '../../db/index.ts'
import { notFound } from '../../lib/app-error.ts'
import { findSettings } from './store.ts'

type Deps = { database: Database }

export async function getSettings({ database }: Deps, principal: Principal, workflowId: string) {
  const scope = scopeOf(principal)
  const found = await findSettings(database.forScope(scope), scope.accountId, workflowId)
  if (!found) throw notFound('workflow')
  if (!found.settings) return noContent
  const { sealedSecret: _, modifiedBy, modifiedAt, ...settings } = found.settings
  return {
    isActive: found.isActive,
    ...settings,
    modifyAccountId: modifiedBy,
    modifyDateTimeUTC: modifiedAt.toISOString(),
  }
}
