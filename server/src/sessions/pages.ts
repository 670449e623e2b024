// Activation, password and sign-in pages. They work without scripts; a link is used up by the form, not by looking at the page,
// because mail scanners look at links.
import { recordAudit } from '../audit/index.ts'
import { html, type Page, page } from '../http/index.ts'
import { AppError } from '../lib/app-error.ts'
import { hashToken } from '../lib/token.ts'
import { type ForgottenDeps, forgottenPages } from './forgot-password.ts'
import { checkPasswordStrength, hashPassword } from './password.ts'
import { openSession, type SessionDeps, signIn } from './service.ts'
import { findLink, isFirstVisitOpen, redeemLink } from './store.ts'

export function sessionPages(deps: ForgottenDeps): Page[] {
  return [
    ...forgottenPages(deps),
    ...linkPages(deps, '/activate', 'Activate your account'),
    ...linkPages(deps, '/set-password', 'Set a password'),
    {
      method: 'GET',
      path: '/signin',
      render: async ({ query }) => {
        const hint = (await isFirstVisitOpen(deps.database)) ? firstVisitHint : html``
        return { status: 200, html: signInForm('', placeAfter(query['next']), '', hint) }
      },
    },
    {
      method: 'POST',
      path: '/signin',
      render: async ({ form, exchange }) => {
        const next = placeAfter(form['next'])
        const email = (form['email'] ?? '').slice(0, 254)
        try {
          await signIn(deps, exchange, email, (form['password'] ?? '').slice(0, 1000))
          return { redirectTo: next }
        } catch (error) {
          if (error instanceof AppError) return { status: error.status, html: signInForm(error.message, next, email) }
          throw error
        }
      },
    },
    // The address that older links name.
    { method: 'GET', path: '/sign-in', render: () => ({ redirectTo: '/signin' }) },
  ]
}

function linkPages(deps: SessionDeps, path: string, title: string): Page[] {
  const used = {
    status: 404,
    html: page(
      title,
      html`<p>This link is no longer valid: it was used already, or it has expired. <a href="/forgot-password">Send me a new one</a></p>`,
    ),
  }
  return [
    {
      method: 'GET',
      path,
      render: async ({ query }) => {
        const link = await findLink(deps.database, hashToken(query['token'] ?? ''))
        return link
          ? { status: 200, html: passwordForm({ title, path, token: query['token'] ?? '', email: link.email }) }
          : used
      },
    },
    {
      method: 'POST',
      path,
      render: async ({ form, exchange }) => {
        const token = form['token'] ?? ''
        const password = form['password'] ?? ''
        const link = await findLink(deps.database, hashToken(token))
        if (!link) return used
        const complaint = password === form['repeated'] ? weakness(password) : 'The two passwords differ.'
        if (complaint) return { status: 400, html: passwordForm({ title, path, token, email: link.email, complaint }) }
        const passwordHash = await hashPassword(password)
        const redeemed = await deps.database.system.transaction(async (tx) => {
          const done = await redeemLink(tx, hashToken(token), passwordHash)
          if (!done) return undefined
          const actor = {
            organizationId: done.organization_id,
            accountId: done.account_id,
            managedAccountId: null,
            keyId: null,
            address: exchange.address,
          }
          await recordAudit(tx, actor, {
            action: done.purpose === 'activate' ? 'account.activated' : 'account.passwordSet',
            target: done.account_id,
          })
          return done
        })
        if (!redeemed) return used
        if (redeemed.state === 'active')
          await openSession(deps, exchange, {
            id: redeemed.account_id,
            organizationId: redeemed.organization_id,
            email: redeemed.email,
            passwordHash,
          })
        return { redirectTo: '/' }
      },
    },
  ]
}

function weakness(password: string): string {
  try {
    checkPasswordStrength(password)
    return ''
  } catch (error) {
    return (error as Error).message
  }
}

type PasswordForm = { title: string; path: string; token: string; email: string; complaint?: string }

function passwordForm({ title, path, token, email, complaint = '' }: PasswordForm): string {
  return page(
    title,
    html`<p>Choose a password for ${email}.</p>${complaint ? html`<p class="bad" role="alert">${complaint}</p>` : html``}
<form method="post" action="${path}"><input type="hidden" name="token" value="${token}">
<label for="password">Password</label><input id="password" name="password" type="password" autocomplete="new-password" minlength="12" aria-describedby="rule" required>
<small id="rule">At least 12 characters.</small>
<label for="repeated">Repeat password</label><input id="repeated" name="repeated" type="password" autocomplete="new-password" minlength="12" required>
<button>Set password</button></form>`,
  )
}

/** Where a person wanted to go: a path of this service, never an address of another one. */
function placeAfter(next: string | undefined): string {
  return next !== undefined && /^\/(?![/\\])[^\\\s]{0,2000}$/.test(next) ? next : '/'
}

const firstVisitHint = html`<p>First visit? Open the link that Patchbay printed when it started: it lets you set a password.</p>`

function signInForm(complaint: string, next: string, email = '', hint = html``): string {
  return page(
    'Sign in',
    html`${hint}${complaint ? html`<p class="bad" role="alert">${complaint}</p>` : html``}
<form method="post" action="/signin"><input type="hidden" name="next" value="${next}">
<label for="email">E-mail</label><input id="email" name="email" type="email" autocomplete="username" value="${email}" required>
<label for="password">Password</label><input id="password" name="password" type="password" autocomplete="current-password" required>
<button>Sign in</button></form>
<p class="beside"><a href="/forgot-password">Forgot password?</a></p>`,
  )
}
