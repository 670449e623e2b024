import { Type } from 'typebox'
import { Email } from './accounts.ts'
import { AuthenticatedAccount } from './authentication.ts'
import { operation } from './operation.ts'

export const Session = Type.Object({
  myAccount: AuthenticatedAccount,
  csrfToken: Type.String({ description: 'Send it as the header X-CSRF-Token with every request of the session.' }),
})

export const signIn = operation({
  name: 'SignIn',
  feature: 'Authentication',
  method: 'POST',
  path: '/api/SignIn',
  description: 'Sign in with e-mail address and password; sets the session cookie.',
  access: 'public',
  changesState: true,
  audit: 'session.started',
  bodyBytesMax: 16 * 1024,
  body: Type.Object(
    { email: Email, password: Type.String({ minLength: 1, maxLength: 1000 }) },
    { additionalProperties: false },
  ),
  answerHeaders: { 'Set-Cookie': Type.String({ description: 'The session cookie. It is HttpOnly.' }) },
  answers: { 200: Session },
  refuses: ['sign_in_failed', 'too_many_requests', 'foreign_origin'],
})

export const getSession = operation({
  name: 'Session',
  feature: 'Authentication',
  method: 'GET',
  path: '/api/Session',
  description: 'The signed-in account, and the token to send with its requests.',
  access: 'public',
  answers: { 200: Session },
  refuses: ['session_invalid'],
})

export const signOut = operation({
  name: 'SignOut',
  feature: 'Authentication',
  method: 'POST',
  path: '/api/SignOut',
  description: 'End the session.',
  access: 'public',
  changesState: true,
  audit: 'session.ended',
  answers: { 200: null },
  refuses: ['session_invalid'],
})
