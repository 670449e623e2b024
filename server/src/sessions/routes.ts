import type { HandlersOf } from '../http/index.ts'
import { currentSession, type SessionDeps, signIn, signOut } from './service.ts'

export function sessionRoutes(deps: SessionDeps): HandlersOf<'SignIn' | 'Session' | 'SignOut'> {
  return {
    SignIn: ({ body, exchange }) => signIn(deps, exchange, body.email, body.password),
    Session: ({ exchange }) => currentSession(deps, exchange),
    SignOut: ({ exchange }) => signOut(deps, exchange),
  }
}
