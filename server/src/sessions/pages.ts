// Activation, password and sign-in pages. They work without scripts; a link is used up by the form, not by looking at the page,
// because mail scanners look at links.
import { recordAudit } from '../audit/index.ts'
import { html, type Page, page } from '../http/index.ts'
import { AppError } from '../lib/app-error.ts'
import { type ForgottenDeps, forgottenPages } from './forgot-password.ts'
import { hashToken } from './link.ts'
import { checkPasswordStrength, hashPassword } from './password.ts'
import { currentSession, openSession, type SessionDeps, signIn } from './service.ts'
import { findLink, redeemLink } from './store.ts'

export function sessionPages(deps: ForgottenDeps): Page[] {
  return [
    ...forgottenPages(deps),
    ...linkPages(deps, '/activate', 'Activate your account'),
    ...linkPages(deps, '/set-password', 'Set your password'),
    { method: 'GET', path: '/sign-in', render: () => ({ status: 200, html: signInForm('') }) },
    {
      method: 'POST',
      path: '/sign-in',
      render: async ({ form, exchange }) => {
        try {
          await signIn(deps, exchange, (form['email'] ?? '').slice(0, 254), (form['password'] ?? '').slice(0, 1000))
          return { redirectTo: '/' }
        } catch (error) {
          if (error instanceof AppError) return { status: error.status, html: signInForm(error.message) }
          throw error
        }
      },
    },
    {
      method: 'GET',
      path: '/',
      render: async ({ exchange }) => {
        const session = await currentSession(deps, exchange).catch(() => undefined)
        const who = session
          ? html`<p>Signed in as ${session.myAccount.email}, ${session.myAccount.organizationName}.</p>`
          : html`<p><a href="/sign-in">Sign in</a></p>`
        return {
          status: 200,
          html: page(
            'Patchbay',
            html`${who}<p><a href="/reference">API reference</a> · <a href="/openapi.json">OpenAPI</a></p>`,
          ),
        }
      },
    },
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
        return link ? { status: 200, html: passwordForm(title, path, query['token'] ?? '', link.email, '') } : used
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
        if (complaint) return { status: 400, html: passwordForm(title, path, token, link.email, complaint) }
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
          await recordAudit(
            tx,
            actor,
            done.purpose === 'activate' ? 'account.activated' : 'account.passwordSet',
            done.account_id,
          )
          return done
        })
        if (!redeemed) return used
        if (redeemed.state === 'active')
          await openSession(deps, exchange, { id: redeemed.account_id, organizationId: redeemed.organization_id })
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

function passwordForm(title: string, path: string, token: string, email: string, complaint: string): string {
  return page(
    title,
    html`<p>Choose a password for ${email}.</p>${complaint ? html`<p class="bad" role="alert">${complaint}</p>` : html``}
<form method="post" action="${path}"><input type="hidden" name="token" value="${token}">
<label for="password">Password, at least 12 characters</label><input id="password" name="password" type="password" autocomplete="new-password" minlength="12" required>
<label for="repeated">Once more</label><input id="repeated" name="repeated" type="password" autocomplete="new-password" minlength="12" required>
<button>Set the password</button></form>`,
  )
}

function signInForm(complaint: string): string {
  return page(
    'Sign in',
    html`${complaint ? html`<p class="bad" role="alert">${complaint}</p>` : html``}
<form method="post" action="/sign-in"><label for="email">E-mail</label><input id="email" name="email" type="email" autocomplete="username" required>
<label for="password">Password</label><input id="password" name="password" type="password" autocomplete="current-password" required>
<button>Sign in</button></form><p><a href="/forgot-password">Forgot your password?</a></p>`,
  )
}
