// ManagedAccountId: which other accounts a caller may act for. One refusal for everything out of reach, so that ids cannot be probed.
import { isGuid, rankOf } from '@patchbay/contract'
import { type Database, sql } from '../db/index.ts'
import { AppError, invalid } from '../lib/app-error.ts'
import { TimedCache } from '../lib/timed-cache.ts'
import { type AccountRow, toIdentity } from './identity-row.ts'
import type { AccountIdentity } from './principal.ts'

// Below one second together with the time a request takes: a changed reach holds everywhere within a second.
const cacheMs = 500
const cacheEntriesMax = 20_000

type Candidate = { identity: AccountIdentity; createdBy: string | null }

/** Whether the caller may act for an account of its organization. */
export function mayActFor(caller: AccountIdentity, account: { id: string; createdBy: string | null }): boolean {
  if (account.id === caller.id || rankOf(caller.role) >= rankOf('SuperPartner')) return true
  return caller.role === 'DevPartner' && account.createdBy === caller.id
}

export function managedAccounts(database: Database): (caller: AccountIdentity, id: string) => Promise<AccountIdentity> {
  const cache = new TimedCache<Candidate | undefined>(cacheMs, cacheEntriesMax)

  const find = async (organizationId: string, id: string): Promise<Candidate | undefined> => {
    const { rows } = await database.system.query<AccountRow & { created_by: string | null }>(sql`
      select a.id, a.email, a.organization_id, o.name as organization_name, a.role, a.permissions, a.country_key, a.created_by
      from accounts a join organizations o on o.id = a.organization_id
      where a.id = ${id} and a.organization_id = ${organizationId}`)
    return rows[0] && { identity: toIdentity(rows[0]), createdBy: rows[0].created_by }
  }

  return async (caller, id) => {
    if (!isGuid(id)) throw invalid('The header ManagedAccountId must be a GUID.')
    const wanted = id.toLowerCase()
    if (wanted === caller.id) return caller
    const candidate = await cache.get(`${caller.organizationId} ${wanted}`, () => find(caller.organizationId, wanted))
    if (!candidate || !mayActFor(caller, { id: wanted, createdBy: candidate.createdBy })) {
      throw new AppError(
        'managed_account_unreachable',
        'The account in the header ManagedAccountId is not one you may act for.',
      )
    }
    return candidate.identity
  }
}
