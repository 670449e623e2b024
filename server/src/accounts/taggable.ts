import { roles } from '@patchbay/contract'
import { scopeOf } from '../access/index.ts'
import { type Database, sql } from '../db/index.ts'
import type { Taggable } from '../tags/index.ts'

/** Accounts, the organization and roles, as far as tags are concerned. */
export function accountTaggables(database: Database): { account: Taggable; organization: Taggable; role: Taggable } {
  return {
    account: {
      exists: async (principal, id) => {
        const { rowCount } = await database
          .forScope(scopeOf(principal))
          .query(sql`select from accounts where organization_id = ${principal.account.organizationId} and id = ${id}`)
        return rowCount > 0
      },
      lowestRole: (principal, id) => (id.toLowerCase() === principal.account.id ? 'User' : 'Manager'),
    },
    organization: {
      exists: (principal, id) => id.toLowerCase() === principal.account.organizationId,
      lowestRole: () => 'Manager',
    },
    role: {
      exists: (_principal, id) => roles.some((role) => role.id === id.toLowerCase()),
      lowestRole: () => 'DevPartner',
    },
  }
}
