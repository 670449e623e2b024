// `acrossAccounts`: everything a caller may act for, as one thing. The same rule as `mayActFor`, for statements about many accounts.
import { rankOf } from '@patchbay/contract'
import { type Sql, sql } from '../db/index.ts'
import type { Principal } from './principal.ts'

export type Reach =
  | { kind: 'account'; organizationId: string; accountId: string }
  /** The account itself and those it created. */
  | { kind: 'created'; organizationId: string; accountId: string }
  | { kind: 'organization'; organizationId: string }

/** A managed account that is named narrows the reach to itself. */
export function reachOf(principal: Principal, acrossAccounts: boolean | undefined): Reach {
  const { caller, account } = principal
  const { organizationId } = account
  if (!acrossAccounts || principal.isManaging) return { kind: 'account', organizationId, accountId: account.id }
  if (rankOf(caller.role) >= rankOf('SuperPartner')) return { kind: 'organization', organizationId }
  const kind = caller.role === 'DevPartner' ? 'created' : 'account'
  return { kind, organizationId, accountId: caller.id }
}

/** What the row `a` of an account is called: people know their customers by name. */
export const accountName: Sql = sql`coalesce(nullif(trim(a.first_name || ' ' || a.last_name), ''), a.email)`

/** A condition on the row `a` of an account. */
export function accountsInReach(reach: Reach): Sql {
  const ofOrganization = sql`a.organization_id = ${reach.organizationId}`
  if (reach.kind === 'organization') return ofOrganization
  if (reach.kind === 'account') return sql`${ofOrganization} and a.id = ${reach.accountId}`
  return sql`${ofOrganization} and (a.id = ${reach.accountId} or a.created_by = ${reach.accountId})`
}
