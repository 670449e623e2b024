// Who is signed in. A session that ends while somebody works is renewed in place: calls wait for it and then go on.
import { type AnswerOf, createClient, type Operations } from '@patchbay/sdk'
import { createStore } from '../ui/store.ts'
import { forgetBrowserData } from './browser-data.ts'

export type Session = AnswerOf<Operations['Session']>

export const session = createStore<Session | undefined>(undefined)
/** True while the sign-in panel lies over the page. */
export const isRenewing = createStore(false)

const client = createClient({ baseUrl: '' })
let waiting: { done: Promise<void>; resolve: () => void } | undefined

export function sessionToken(): string | undefined {
  return session.get()?.csrfToken
}

/** The session of the cookie, or undefined when there is none. */
export async function loadSession(): Promise<Session | undefined> {
  session.set(await client.call('Session', {}).catch(() => undefined))
  return session.get()
}

/** Settles once there is a session with another token than the one that was refused. */
export function renewSession(refused: string | undefined): Promise<void> {
  if (refused === undefined) {
    leaveToSignIn()
    return new Promise(() => {})
  }
  if (sessionToken() !== refused) return Promise.resolve()
  if (!waiting) {
    let resolve = () => {}
    const done = new Promise<void>((settle) => {
      resolve = settle
    })
    waiting = { done, resolve }
    isRenewing.set(true)
  }
  return waiting.done
}

export async function signInAgain(email: string, password: string): Promise<void> {
  session.set(await client.call('SignIn', { body: { email, password } }))
  isRenewing.set(false)
  waiting?.resolve()
  waiting = undefined
}

export async function signOut(): Promise<void> {
  const token = sessionToken()
  await createClient({ baseUrl: '', headers: token === undefined ? {} : { 'X-CSRF-Token': token } }).call('SignOut', {})
  forgetBrowserData()
  window.location.assign('/signin')
}

/** The sign-in page is the service's own; it comes back to where one was. */
export function leaveToSignIn(): void {
  const here = window.location.pathname + window.location.search
  window.location.assign(here === '/' ? '/signin' : `/signin?next=${encodeURIComponent(here)}`)
}
