// E-mail and password sign-in for the console: a random session token in an HttpOnly cookie, and a second token, derived from it, that
// only the console's own pages can read and must send along (so that no other site can use the cookie).

import { createHmac, timingSafeEqual } from 'node:crypto'
import type { AccountIdentity } from '../access/index.ts'
import { recordAudit } from '../audit/index.ts'
import type { Database } from '../db/index.ts'
import type { Credential, Exchange } from '../http/index.ts'
import { refuseForeignOrigin, sessionCookie } from '../http/index.ts'
import { AppError } from '../lib/app-error.ts'
import { counted } from '../lib/counted.ts'
import { hashToken, newRoutedToken } from '../lib/token.ts'
import type { KeyRing } from '../secrets/index.ts'
import { lockAfterFailures, lockMinutes, type SignInAttempts } from './attempts.ts'
import { beginAttempt, forgiveAttempts } from './attempts-store.ts'
import { findDevice, rememberDevice } from './device.ts'
import { verifyPassword } from './password.ts'
import { deleteSession, findSession, findSignInCandidate, holdSignIn, insertSession } from './store.ts'

export type SessionDeps = { database: Database; keyRing: KeyRing; isSecure: boolean; attempts: SignInAttempts }

const sessionHours = 24 * 7

export async function signIn(deps: SessionDeps, exchange: Exchange, email: string, password: string) {
  refuseForeignOrigin(exchange)
  const { address } = exchange
  const { system } = deps.database
  const device = findDevice(deps, exchange, email)
  refuseUntil(exchange, deps.attempts.begin(address, email, device))
  const attempt = await beginAttempt(system, address, email, device)
  if (attempt.waitSeconds > 0) deps.attempts.forget(address, email, device)
  refuseUntil(exchange, attempt.waitSeconds)
  const candidate = await findSignInCandidate(deps.database, email)
  const isRight = await verifyPassword(password, candidate?.passwordHash ?? null)
  if (!candidate?.passwordHash || !isRight || candidate.state !== 'active') {
    deps.attempts.fail(address, email, device)
    const isLocked = attempt.failures >= lockAfterFailures
    if (candidate?.passwordHash && candidate.state === 'active' && !isRight)
      await noteFailure(deps, exchange, candidate.account, isLocked)
    throw signInFailed()
  }
  deps.attempts.forget(address, email, device)
  await forgiveAttempts(system, address, email, device)
  const { passwordHash } = candidate
  const csrfToken = await openSession(deps, exchange, { ...candidate.account, passwordHash })
  if (csrfToken === undefined) throw signInFailed()
  return { myAccount: candidate.account, csrfToken }
}

function signInFailed(): AppError {
  return new AppError('sign_in_failed', 'The e-mail address or the password is wrong, or the account is not active.')
}

/** Starts a session and sets its cookie, unless the account has another password by now or is no longer active. */
export async function openSession(
  deps: SessionDeps,
  exchange: Exchange,
  account: Pick<AccountIdentity, 'id' | 'organizationId' | 'email'> & { passwordHash: string },
): Promise<string | undefined> {
  const token = newRoutedToken('pbn')
  const isOpen = await deps.database.system.transaction(async (tx) => {
    if (!(await holdSignIn(tx, account.id, account.passwordHash))) return false
    await Promise.all([
      insertSession(tx, account.id, hashToken(token), sessionHours),
      recordAudit(tx, actorAt(exchange, account), { action: 'session.started', target: account.id }),
    ])
    return true
  })
  if (!isOpen) return undefined
  setCookie(deps, exchange, token, sessionHours * 3600)
  rememberDevice(deps, exchange, account.email)
  return csrfTokenFor(deps.keyRing, token)
}

export async function currentSession(deps: SessionDeps, exchange: Exchange) {
  const token = exchange.cookie(sessionCookie)
  const account = token === undefined ? undefined : await findSession(deps.database, hashToken(token))
  if (!token || !account) throw new AppError('session_invalid', 'Nobody is signed in, or the session has ended.')
  return { myAccount: account, csrfToken: csrfTokenFor(deps.keyRing, token) }
}

export async function signOut(deps: SessionDeps, exchange: Exchange): Promise<undefined> {
  const token = exchange.cookie(sessionCookie)
  if (token === undefined) return
  checkCsrf(deps.keyRing, token, exchange.header('x-csrf-token'))
  setCookie(deps, exchange, '', 0)
  await deps.database.system.transaction(async (tx) => {
    const ended = await deleteSession(tx, hashToken(token))
    if (ended)
      await recordAudit(tx, actorAt(exchange, { id: ended.accountId, organizationId: ended.organizationId }), {
        action: 'session.ended',
        target: ended.accountId,
      })
  })
}

/** A request of the console: the cookie says who, the token says that our own page sent it. */
export async function authenticateSession(
  deps: SessionDeps,
  token: string,
  csrfToken: string | undefined,
  needsNoToken = false,
): Promise<Credential> {
  const account = await findSession(deps.database, hashToken(token))
  if (!account) throw new AppError('session_invalid', 'The session has ended. Sign in again.')
  if (!needsNoToken) checkCsrf(deps.keyRing, token, csrfToken)
  return { account, kind: 'session', id: account.id }
}

function checkCsrf(keyRing: KeyRing, token: string, given: string | undefined): void {
  const wanted = Buffer.from(csrfTokenFor(keyRing, token))
  const actual = Buffer.from(given ?? '')
  if (actual.length !== wanted.length || !timingSafeEqual(actual, wanted)) {
    throw new AppError('session_invalid', 'The header X-CSRF-Token is missing or wrong.')
  }
}

function csrfTokenFor(keyRing: KeyRing, token: string): string {
  return createHmac('sha256', keyRing.systemKey('session')).update(token).digest('base64url')
}

async function noteFailure(
  deps: SessionDeps,
  exchange: Exchange,
  account: AccountIdentity,
  isLocked: boolean,
): Promise<void> {
  const details = isLocked ? { signInLockedMinutes: lockMinutes } : {}
  await recordAudit(deps.database.system, actorAt(exchange, account), {
    action: 'session.refused',
    target: account.id,
    details,
  })
}

function refuseUntil(exchange: Exchange, waitSeconds: number): void {
  if (waitSeconds <= 0) return
  exchange.setHeader('Retry-After', String(waitSeconds))
  throw new AppError('too_many_requests', `Too many failed sign-ins. Try again in ${inWords(waitSeconds)}.`)
}

function inWords(seconds: number): string {
  const [count, unit] = seconds < 60 ? [seconds, 'second'] : [Math.ceil(seconds / 60), 'minute']
  return counted(count, unit)
}

export function actorAt(exchange: Exchange, account: Pick<AccountIdentity, 'id' | 'organizationId'>) {
  return {
    organizationId: account.organizationId,
    accountId: account.id,
    managedAccountId: null,
    keyId: null,
    address: exchange.address,
  }
}

function setCookie(deps: SessionDeps, exchange: Exchange, value: string, maxAgeSeconds: number): void {
  exchange.setHeader(
    'Set-Cookie',
    `${sessionCookie}=${value}; Path=/; HttpOnly; SameSite=Strict; Max-Age=${maxAgeSeconds}${deps.isSecure ? '; Secure' : ''}`,
  )
}
