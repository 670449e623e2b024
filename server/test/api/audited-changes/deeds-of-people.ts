// Passwords, links and sessions: what people do on pages, and the operator for them.
import { expect } from 'vitest'
import { makeSignInLink, unlockAccount } from '../../../src/accounts/index.ts'
import { createAccount, createOrganization, uniqueEmail } from '../../harness/accounts.ts'
import { type Deed, onDatabase, operator, person, type Surroundings, sendForm } from './deed.ts'

const password = 'correct horse battery'

export function deedsOfPeople(at: Surroundings): Deed[] {
  const account = () => createAccount(at.service, at.service.manager, 'User')
  async function invited() {
    const email = uniqueEmail()
    const body = { email, firstName: 'Ivy', lastName: 'Invited', roleName: 'User' }
    return { email, id: (await at.service.manager.post('/api/Account', body)).body as string }
  }
  async function linkFor(email: string): Promise<string> {
    const link = await onDatabase(at.service, (database) => makeSignInLink(database, at.service.baseUrl, email))
    return link?.url ?? ''
  }
  async function setPassword(link: string): Promise<void> {
    const { origin, pathname, searchParams } = new URL(link)
    const token = searchParams.get('token') ?? ''
    const answer = await sendForm(`${origin}${pathname}`, { token, password, repeated: password })
    expect(answer.status, answer.text).toBe(303)
  }

  return [
    {
      action: 'account.activated',
      name: 'the page of the activation link',
      prepare: async () => {
        const { id, email } = await invited()
        const link = await linkFor(email)
        return async () => {
          await setPassword(link)
          return { target: id, actor: person(id), also: ['session.started'] }
        }
      },
    },
    {
      action: 'account.passwordSet',
      name: 'the page of the link for a new password',
      prepare: async () => {
        const { id, email } = await account()
        const link = await linkFor(email)
        return async () => {
          await setPassword(link)
          return { target: id, actor: person(id), also: ['session.started'] }
        }
      },
    },
    {
      action: 'account.passwordForgotten',
      name: 'the page for a forgotten password',
      prepare: async () => {
        const { id, email } = await account()
        return async () => {
          expect((await sendForm(`${at.service.baseUrl}/forgot-password`, { email })).status).toBe(200)
          return { target: id, actor: person(id) }
        }
      },
    },
    {
      action: 'session.refused',
      name: 'a wrong password',
      prepare: async () => {
        const { id, email } = await account()
        await setPassword(await linkFor(email))
        return async () => {
          const answer = await at.service
            .client(undefined)
            .post('/api/SignIn', { email, password: 'not the right one' })
          expect(answer.status, answer.text).toBe(401)
          return { target: id, actor: person(id) }
        }
      },
    },
    {
      action: 'account.signInLinkCreated',
      name: 'sign-in-link for an active account',
      prepare: async () => {
        const { id, email } = await account()
        return async () => {
          expect(await linkFor(email)).toContain('/set-password?')
          return { target: id, actor: operator }
        }
      },
    },
    {
      action: 'account.signInLinkCreated',
      name: 'sign-in-link for an invited account',
      prepare: async () => {
        const { id, email } = await invited()
        return async () => {
          expect(await linkFor(email)).toContain('/activate?')
          return { target: id, actor: operator }
        }
      },
    },
    {
      action: 'account.unlocked',
      name: 'unlock-account',
      prepare: async () => {
        const { id, email } = await account()
        await at.service.manager.post(`/api/AccountState/${id}`, { accountState: 'locked' })
        return async () => {
          expect(await onDatabase(at.service, (database) => unlockAccount(database, email))).toBe(true)
          return { target: id, actor: operator }
        }
      },
    },
    {
      action: 'organization.created',
      name: 'create-organization',
      prepare: async () => async () => {
        const { organizationId } = await createOrganization(at.service)
        return { target: organizationId, actor: operator }
      },
    },
  ]
}
