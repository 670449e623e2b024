// Registered applications, and calls of them.
import { randomUUID } from 'node:crypto'
import type { ErrorCode } from '@patchbay/contract'
import { createAccount } from '../../harness/accounts.ts'
import type { Client } from '../../harness/client.ts'
import { createWorkflow } from '../../harness/workflows.ts'
import { applicationFile } from '../catalog-files.ts'
import { type Refusal, refusal, type Surroundings, shared } from './refusal.ts'

const http = 'e31040e1-1997-54d0-bfa6-43f910dc7be6'
const oauth = '79232e5e-3a65-505e-9ce0-69887e8819ac'
const shop = 'd67d072b-d997-5cbf-83c0-58e1808cf07a'

type Caller = 'ApiAuth' | 'ApiAppVault' | 'ApiGet' | 'ApiPost' | 'ApiSend'
type Call = { client: Client; shortName: string; path?: string; host?: string }

/** Credentials become a session, which is asked for again when it is used up. */
const ownApplication = (shortName: string) => ({
  id: randomUUID(),
  shortName,
  name: shortName,
  tag: 'Own',
  description: 'Made for a test.',
  baseUrl: '{baseUrl}',
  credentialFields: [
    { ShortName: 'baseUrl', DisplayName: 'Base', Type: 'url', Required: true },
    { ShortName: 'secret', DisplayName: 'Secret', Type: 'password', Required: true },
  ],
  authentication: {
    type: 'session',
    request: { method: 'PUT', url: '{baseUrl}/session', body: { password: '{secret}' } },
    tokenPath: 'token',
    lifetimeSeconds: 3600,
    apply: { type: 'bearer', token: '{$token}' },
  },
})

export function refusalsOfConnections(at: Surroundings): Refusal[] {
  const newUser = async () => (await createAccount(at.service, at.manager, 'User')).client
  const register = (client: Client, applicationId: string, credentials: object) =>
    client.post('/api/RegApplication', { applicationId, credentialsJson: JSON.stringify(credentials) })
  const withHttp = async (origin: string, count = 1) => {
    const client = await newUser()
    for (let made = 0; made < count; made++) await register(client, http, { baseUrl: origin })
    return client
  }
  const shopAt = (password: string) => ({
    storeUrl: at.target.origin,
    consumerKey: 'ck_of_the_shop',
    consumerSecret: password,
  })
  const withShop = async () => {
    at.target.answer = () => ({ json: [] })
    const client = await newUser()
    return { client, id: (await register(client, shop, shopAt('cs_of_the_shop'))).body as string }
  }
  const plain = shared(() => withHttp(at.target.origin))
  const double = shared(() => withHttp(at.target.origin, 2))
  const away = shared(() => withHttp('http://127.0.0.1:9'))
  const unauthorized = shared(async () => {
    const client = await newUser()
    const [authorizationUrl, tokenUrl] = ['auth', 'token'].map((path) => `${at.target.origin}/${path}`)
    const app = { clientId: 'id', clientSecret: 'a-client-secret', scopes: 'all' }
    await register(client, oauth, { baseUrl: at.target.origin, authorizationUrl, tokenUrl, ...app })
    return client
  })
  /** Its session is used up, and asking for another one is answered with a status. */
  async function withoutSession(status: number): Promise<Call> {
    const [client, shortName] = [await newUser(), `Own${randomUUID().slice(0, 8)}`]
    const application = ownApplication(shortName)
    const path = `applications/${shortName.toLowerCase()}/application.yaml`
    await at.manager.post('/api/CatalogImport', { files: [{ path, content: JSON.stringify(application) }] })
    at.target.answer = () => ({ json: { token: 'a-session' } })
    const { body: id } = await register(client, application.id, { baseUrl: at.target.origin, secret: 'a-password' })
    const age = "obtained_at = now() - interval '2 hours', expires_at = now() - interval '1 hour'"
    await at.service.asOwner(`update connection_tokens set ${age} where registered_application_id = $1`, [id])
    // What is known of it in memory is read anew when it has changed.
    await client.post(`/api/RegApplication/${id}`, { tagText: 'aged' })
    at.target.answer = () => ({ status, body: 'no session' })
    return { client, shortName }
  }
  const faulted = shared(() => withoutSession(403))

  const callers: { readonly [Name in Caller]: (call: Call) => ReturnType<Client['get']> } = {
    ApiAuth: ({ client, shortName }) => client.get(`/api/ApiAuth?shortName=${shortName}`),
    ApiAppVault: ({ client, shortName }) => client.get(`/api/ApiAppVault?shortName=${shortName}`),
    ApiGet: ({ client, ...call }) => client.get(`/api/ApiGet?${addressOf(call)}`),
    ApiPost: ({ client, ...call }) => client.post(`/api/ApiPost?${addressOf(call)}`, { jsonData: {} }),
    ApiSend: ({ client, shortName, path = 'orders', host }) =>
      client.post(`/api/ApiSend/${shortName}`, { verb: 'GET', requestUrl: path, ...(host ? { baseUrl: host } : {}) }),
  }
  const each = (names: readonly Caller[], code: ErrorCode, says: string, call: () => Promise<Call>) =>
    names.map((name) => refusal(name, code, says, async () => callers[name](await call())))
  const sending = ['ApiGet', 'ApiPost', 'ApiSend'] as const

  return [
    refusal('RegApplicationCreate', 'credentials_invalid', 'The field baseUrl in credentialsJson is required.', () =>
      register(at.manager, http, {}),
    ),
    refusal('RegApplicationUpdate', 'credentials_invalid', 'is not a credential field of WooCommerce.', async () => {
      const { client, id } = await withShop()
      return client.post(`/api/RegApplication/${id}`, { credentialsJson: '{"invented":"x"}' })
    }),
    refusal('RegApplicationCreate', 'credentials_refused', 'The application refuses these credentials.', async () => {
      const { client } = await withShop()
      at.target.answer = () => ({ status: 401, body: 'no' })
      return register(client, shop, shopAt('cs_wrong_secret'))
    }),
    refusal('RegApplicationUpdate', 'credentials_refused', 'The application refuses these credentials.', async () => {
      const { client, id } = await withShop()
      at.target.answer = () => ({ status: 401, body: 'no' })
      return client.post(`/api/RegApplication/${id}`, { credentialsJson: JSON.stringify(shopAt('cs_wrong_secret')) })
    }),
    refusal('DeleteRegApplication', 'registered_application_in_use', 'workflows that are not archived: ', async () => {
      const { client, id } = await withShop()
      await createWorkflow(client, ['return 1'], { applications: { WOOCOMMERCE: id } })
      return client.get(`/api/DeleteRegApplication/${id}`)
    }),
    ...each(
      ['ApiAuth', 'ApiAppVault', ...sending],
      'application_ambiguous',
      'There are several registered applications HTTP.',
      async () => ({ client: await double(), shortName: 'HTTP' }),
    ),
    ...each(
      ['ApiAuth', 'ApiAppVault', ...sending],
      'application_not_authenticated',
      'is not authorized yet.',
      async () => ({ client: await unauthorized(), shortName: 'OAUTH2' }),
    ),
    ...each(['ApiAuth', ...sending], 'connection_faulted', 'is not authorized: ', faulted),
    ...each(sending, 'host_not_allowed', 'does not allow calls to https://elsewhere.example.', async () => ({
      client: await plain(),
      shortName: 'HTTP',
      host: 'https://elsewhere.example',
    })),
    ...each(sending, 'target_refused', 'answered 404: no orders', async () => {
      at.target.answer = () => ({ status: 404, body: 'no orders' })
      return { client: await plain(), shortName: 'HTTP' }
    }),
    ...each(sending, 'target_unreachable', '127.0.0.1:9', async () => ({ client: await away(), shortName: 'HTTP' })),
    ...each(['ApiAuth'], 'target_unreachable', 'No token could be obtained for the registered application', () =>
      withoutSession(503),
    ),
    refusal('ApiGet', 'invalid_request', 'The address must have the form <short name>/<endpoint>.', () =>
      at.manager.get('/api/ApiGet?url=/'),
    ),
    refusal(
      'RegApplicationCreate',
      'credentials_invalid',
      'The field baseUrl in credentialsJson must be a string.',
      () => register(at.manager, http, { baseUrl: 5 }),
    ),
    refusal('RegApplicationCreate', 'credentials_invalid', '(Base address of ', async () => {
      const [id, name] = [randomUUID(), `own${randomUUID().slice(0, 8)}`]
      const { path, content } = applicationFile(id, name)
      const field = '  - { ShortName: host, DisplayName: Host, Type: text, Required: true }\n'
      const own = content.replace('https://api.example.com', 'https://{host}') + field
      await at.manager.post('/api/CatalogImport', { files: [{ path, content: own }] })
      return register(at.manager, id, { token: 'secret-token', host: 'not a host' })
    }),
  ]
}

function addressOf({ shortName, path = 'orders', host }: Omit<Call, 'client'>): URLSearchParams {
  return new URLSearchParams({ url: `${shortName}/${path}`, ...(host ? { srv: host } : {}) })
}
