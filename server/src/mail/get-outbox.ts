import { type BodyOf, type Operations, readPage } from '@patchbay/contract'
import { type Principal, requireRank, scopeOf } from '../access/index.ts'
import type { Database } from '../db/index.ts'
import { listMails, listMailsOfOrganization } from './store.ts'

/** Mails of the account, or of the whole organization for those who manage it. */
export function getOutbox(
  { database }: { database: Database },
  principal: Principal,
  body: BodyOf<Operations['GetOutbox']>,
) {
  const query = {
    ...readPage(body),
    statuses: body.status,
    from: body.searchFrom,
    to: body.searchTo,
  }
  if (!body.allAccounts) return listMails(database.forScope(scopeOf(principal)), principal.account.id, query)
  requireRank(principal, 'Manager')
  return listMailsOfOrganization(database.system, principal.caller.organizationId, query)
}
