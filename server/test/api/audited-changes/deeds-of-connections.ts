// Access that people give and take back, and connections that stop working.
import { randomUUID } from 'node:crypto'
import { expect } from 'vitest'
import { createAccount } from '../../harness/accounts.ts'
import type { Client } from '../../harness/client.ts'
import { eventually } from '../../harness/eventually.ts'
import { tokenPath } from '../../harness/oauth-provider.ts'
import { applications } from '../../harness/registered-applications.ts'
import { applicationFile } from '../catalog-files.ts'
import { type Deed, person, type Surroundings, sendForm, serviceFor, strangerAt } from './deed.ts'

const oauth2 = '79232e5e-3a65-505e-9ce0-69887e8819ac'

export function deedsOfConnections(at: Surroundings): Deed[] {
  const account = () => createAccount(at.service, at.service.manager, 'User')
  async function register(client: Client, applicationId: string, credentials: object): Promise<string> {
    const body = { applicationId, credentialsJson: JSON.stringify(credentials) }
    const answer = await client.post('/api/RegApplication', body)
    expect(answer.status, answer.text).toBe(200)
    return answer.body
  }
  const only = async (client: Client) => (await client.post('/api/RegApplications', {})).body.regApplications[0]

  /** The address to which the provider sends the browser back. */
  async function agreed() {
    const { id, client } = await account()
    const url = await register(client, oauth2, {
      baseUrl: `${at.provider.issuer}/v1.0`,
      authorizationUrl: `${at.provider.issuer}/auth`,
      tokenUrl: `${at.provider.issuer}${tokenPath}`,
      clientId: at.provider.client.id,
      clientSecret: at.provider.client.secret,
      scopes: 'openid orders',
    })
    return { id, connectionId: (await only(client)).id as string, callback: await at.provider.visit(url) }
  }

  /** What the shop's target does not accept at the moment. */
  const revoked = new Set<string>()
  /** The next check finds that the target thinks otherwise now. */
  async function checked({ client, connectionId, consumerKey }: Awaited<ReturnType<typeof shop>>, isFaulted: boolean) {
    if (isFaulted) revoked.add(consumerKey)
    else revoked.delete(consumerKey)
    await eventually(async () => {
      await at.service.asOwner('update registered_applications set next_check_at = now() where id = $1', [connectionId])
      return (await only(client)).isFaulted === isFaulted
    })
  }
  async function shop() {
    const { id, client } = await account()
    const consumerKey = randomUUID()
    at.target.answer = ({ headers }) => {
      const [key = ''] = Buffer.from(headers.authorization?.split(' ')[1] ?? '', 'base64')
        .toString()
        .split(':')
      return revoked.has(key) ? { status: 401, json: { message: 'revoked' } } : { json: [] }
    }
    const keys = { storeUrl: at.target.origin, consumerKey, consumerSecret: 'cs' }
    return { id, client, consumerKey, connectionId: await register(client, applications.shop, keys) }
  }

  /** A connection to an application that was then brought again with another address. */
  async function entrusted() {
    const [applicationId, shortName] = [randomUUID(), `OWN${randomUUID().slice(0, 6).toUpperCase()}`]
    const file = applicationFile(applicationId, shortName)
    const bring = async (content: string) => {
      const answer = await at.service.manager.post('/api/CatalogImport', { files: [{ ...file, content }] })
      expect(answer.status, answer.text).toBe(200)
    }
    await bring(file.content)
    const connectionId = await register(at.service.manager, applicationId, { token: 't' })
    return { connectionId, move: () => bring(file.content.replace('api.example.com', 'elsewhere.example.com')) }
  }

  return [
    {
      action: 'registeredApplication.connected',
      name: 'the page to which the provider sends people back',
      prepare: async () => {
        const { id, connectionId, callback } = await agreed()
        return async () => {
          expect((await fetch(callback)).status).toBe(200)
          return { target: connectionId, actor: person(id) }
        }
      },
    },
    {
      action: 'registeredApplication.takenBack',
      name: 'the page on which access is revoked',
      prepare: async () => {
        const { id, connectionId, callback } = await agreed()
        const token = /name="token" value="([^"]+)"/.exec(await (await fetch(callback)).text())?.[1] ?? ''
        return async () => {
          expect((await sendForm(`${at.service.baseUrl}/oauth/take-back`, { token })).status).toBe(200)
          return { target: connectionId, actor: strangerAt(id) }
        }
      },
    },
    {
      action: 'registeredApplication.faulted',
      name: 'a check that is refused',
      prepare: async () => {
        const connected = await shop()
        return async () => {
          await checked(connected, true)
          return { target: connected.connectionId, actor: serviceFor(connected.id) }
        }
      },
    },
    {
      action: 'registeredApplication.recovered',
      name: 'a check that succeeds again',
      prepare: async () => {
        const connected = await shop()
        await checked(connected, true)
        return async () => {
          await checked(connected, false)
          return { target: connected.connectionId, actor: serviceFor(connected.id) }
        }
      },
    },
    {
      action: 'registeredApplication.faulted',
      name: 'an application that would send credentials elsewhere',
      prepare: async () => {
        const { connectionId, move } = await entrusted()
        return async () => {
          await move()
          return {
            target: connectionId,
            actor: serviceFor(at.service.firstAccount.accountId),
            also: ['catalog.imported'],
          }
        }
      },
    },
    {
      action: 'registeredApplication.changed',
      name: 'a new name for a connection whose credentials are withdrawn',
      prepare: async () => {
        const { connectionId, move } = await entrusted()
        await move()
        return async () => {
          const answer = await at.service.manager.post(`/api/RegApplication/${connectionId}`, { tagText: 'another' })
          expect(answer.status, answer.text).toBe(200)
          return {
            target: connectionId,
            actor: { ...person(at.service.firstAccount.accountId), keyId: expect.any(String) },
          }
        }
      },
    },
  ]
}
