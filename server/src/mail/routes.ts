import { requireRank, scopeOf } from '../access/index.ts'
import { actorOf } from '../audit/index.ts'
import type { HandlersOf } from '../http/index.ts'
import { type EmailDeps, sendEmail } from './proxy-email.ts'
import { listMails, listMailsOfOrganization } from './store.ts'

export function mailRoutes(deps: EmailDeps): HandlersOf<'ApiProxyEmail' | 'GetOutbox'> {
  return {
    ApiProxyEmail: ({ principal, body }) =>
      sendEmail(deps, { scope: scopeOf(principal), email: principal.account.email, actor: actorOf(principal) }, body),
    GetOutbox: ({ principal, body }) => {
      const query = {
        page: body.page ?? 0,
        size: body.size ?? 50,
        statuses: body.status,
        from: body.searchFrom,
        to: body.searchTo,
      }
      if (!body.allAccounts) return listMails(deps.database.forScope(scopeOf(principal)), principal.account.id, query)
      requireRank(principal, 'Manager')
      return listMailsOfOrganization(deps.database.system, principal.caller.organizationId, query)
    },
  }
}
