// A link by mail for whoever forgot a password. The page says the same for every address and takes the same time, so that it tells nobody
// who has an account here.
import { setTimeout as wait } from 'node:timers/promises'
import { recordAudit } from '../audit/index.ts'
import { html, type Page, page } from '../http/index.ts'
import { networkOf } from '../lib/address-network.ts'
import { AppError } from '../lib/app-error.ts'
import { createTokenBuckets } from '../lib/token-bucket.ts'
import { type InviteDeps, resendInvitation } from './invitation.ts'
import { createLink, forgottenHours } from './link.ts'
import { actorAt, type SessionDeps } from './service.ts'
import { findSignInCandidate } from './store.ts'

export type ForgottenDeps = SessionDeps & InviteDeps

const title = 'Forgot password'
/** Longer than the work takes. */
const answerMs = 300
const mailsPerHour = 5
const requestsPerMinute = 20

export function forgottenPages(deps: ForgottenDeps): Page[] {
  const byEmail = createTokenBuckets({ perSecond: mailsPerHour / 3600, burst: mailsPerHour })
  const byAddress = createTokenBuckets({ perSecond: requestsPerMinute / 60, burst: requestsPerMinute })
  return [
    { method: 'GET', path: '/forgot-password', render: () => ({ status: 200, html: emailForm() }) },
    {
      method: 'POST',
      path: '/forgot-password',
      render: async ({ form, exchange }) => {
        if (byAddress(networkOf(exchange.address)).refused)
          throw new AppError('too_many_requests', 'Too many requests from your address. Try again in a minute.')
        const email = (form['email'] ?? '').trim().slice(0, 254)
        // Nobody's mailbox is filled by others who know its address.
        const isMailed = !byEmail(email.toLowerCase()).refused
        await Promise.all([wait(answerMs), isMailed ? mailLink(deps, exchange, email) : undefined])
        return { status: 200, html: page(title, sent) }
      },
    },
  ]
}

const sent = html`<p>If there is an account with this e-mail address, a link is on its way to it. The link works once and expires in one hour.</p>
<p><a href="/signin">Sign in</a></p>`

function emailForm(): string {
  return page(
    title,
    html`<p>Enter your e-mail address. We will send you a link to choose a new password.</p>
<form method="post" action="/forgot-password"><label for="email">E-mail</label><input id="email" name="email" type="email" autocomplete="username" required>
<button>Send the link</button></form>`,
  )
}

async function mailLink(deps: ForgottenDeps, exchange: Parameters<typeof actorAt>[0], email: string): Promise<void> {
  // The database cannot look for a text with NUL, and nobody has such an address.
  const found = email.includes('\0') ? undefined : await findSignInCandidate(deps.database, email)
  if (!found || (found.state !== 'active' && found.state !== 'inActive')) return
  const { account, firstName, state } = found
  await deps.database.system.transaction(async (tx) => {
    await recordAudit(tx, actorAt(exchange, account), { action: 'account.passwordForgotten', target: account.id })
    if (state === 'inActive')
      return resendInvitation(deps, tx, { id: account.id, email: account.email, firstName, isActive: false })
    const baseUrl = deps.baseUrl()
    const link = createLink(tx, { baseUrl, accountId: account.id, purpose: 'setPassword', hours: forgottenHours })
    const mail = {
      to: [account.email],
      subject: 'Reset your Patchbay password',
      text: `Hello ${firstName},\n\nSomeone asked to reset the password of your Patchbay account. To choose a new one, open:\n\n${link.url}\n\nThe link works once and expires in one hour. If it was not you, ignore this email: your password stays as it is.\n`,
    }
    await Promise.all([link.stored, deps.outbox.enqueue(tx, account.id, mail)])
  })
}
