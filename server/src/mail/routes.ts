import { scopeOf } from '../access/index.ts'
import { actorOf } from '../audit/index.ts'
import type { HandlersOf } from '../http/index.ts'
import { getOutbox } from './get-outbox.ts'
import { type EmailDeps, sendEmail } from './proxy-email.ts'

export function mailRoutes(deps: EmailDeps): HandlersOf<'ApiProxyEmail' | 'GetOutbox'> {
  return {
    ApiProxyEmail: ({ principal, body }) =>
      sendEmail(deps, { scope: scopeOf(principal), email: principal.account.email, actor: actorOf(principal) }, body),
    GetOutbox: ({ principal, body }) => getOutbox(deps, principal, body),
  }
}
