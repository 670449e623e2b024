import { Type } from 'typebox'
import { Email } from './accounts.ts'
import { AuthenticatedAccount } from './authentication.ts'
import { operation } from './operation.ts'

const Session = Type.Object({
  myAccount: AuthenticatedAccount,
  csrfToken: Type.String({ description: 'To be sent as header X-CSRF-Token with every request of the session.' }),
})

export const signIn = operation({
  name: 'SignIn',
  method: 'POST',
  path: '/api/SignIn',
  description: 'Sign in with e-mail and password; sets the session cookie.',
  access: 'public',
  changesState: true,
  bodyBytesMax: 16 * 1024,
  body: Type.Object(
    { email: Email, password: Type.String({ minLength: 1, maxLength: 1000 }) },
    { additionalProperties: false },
  ),
  answers: { 200: Session },
  refuses: ['sign_in_failed', 'too_many_requests', 'foreign_origin'],
})

export const getSession = operation({
  name: 'Session',
  method: 'GET',
  path: '/api/Session',
  description: 'The signed-in account and the token that its requests carry.',
  access: 'public',
  answers: { 200: Session },
  refuses: ['session_invalid'],
})

export const signOut = operation({
  name: 'SignOut',
  method: 'POST',
  path: '/api/SignOut',
  description: 'End the session.',
  access: 'public',
  changesState: true,
  answers: { 200: null },
  refuses: ['session_invalid'],
})
