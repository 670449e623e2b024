// A real OAuth 2 server with a small API behind it, and the browser of a person who signs in there.
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
// @ts-expect-error The package brings no types.
import Provider from 'oidc-provider'

export type TokenCall = { grantType: string; status: number }

export type OAuthProvider = AsyncDisposable & {
  issuer: string
  client: { id: string; secret: string }
  /** Answered requests to the token endpoint, in order. */
  tokenCalls: TokenCall[]
  /** What the person says when asked for access. */
  consent: 'give' | 'deny'
  /** The token endpoint answers 503. */
  isDown: boolean
  /** Makes every request to the token endpoint wait, until the returned function is called. */
  holdTokens(): { release(): void; waiting(): number }
  /** Takes back everything that was given so far. */
  revokeGrants(): Promise<void>
  /** Access tokens are no longer accepted by the API, although they have not expired. */
  distrustAccessTokens(): void
  apiCalls: { path: string; status: number }[]
  /** Opens an authorization URL and goes on until the browser is sent back; gives the address it is sent to. */
  visit(authorizationUrl: string): Promise<string>
}

export const tokenPath = '/tenant/oauth2/v2.0/token'

export async function startOAuthProvider(redirectUri: string, accessTokenSeconds = 3600): Promise<OAuthProvider> {
  const server = createServer()
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const client = { id: 'patchbay-tests', secret: 'a-client-secret-that-nobody-may-see' }
  const provider = quietly(
    () =>
      new Provider(issuer, {
        clients: [
          {
            client_id: client.id,
            client_secret: client.secret,
            redirect_uris: [redirectUri],
            grant_types: ['authorization_code', 'refresh_token', 'client_credentials'],
            token_endpoint_auth_method: 'client_secret_post',
          },
        ],
        scopes: ['openid', 'orders'],
        routes: { token: tokenPath },
        features: { clientCredentials: { enabled: true }, devInteractions: { enabled: false } },
        interactions: { url: (_ctx: unknown, interaction: { uid: string }) => `/interaction/${interaction.uid}` },
        findAccount: (_ctx: unknown, id: string) => ({ accountId: id, claims: () => ({ sub: id }) }),
        pkce: { required: () => true },
        issueRefreshToken: () => true,
        rotateRefreshToken: () => true,
        cookies: { keys: ['only for tests'] },
        ttl: {
          AccessToken: accessTokenSeconds,
          ClientCredentials: accessTokenSeconds,
          IdToken: 3600,
          RefreshToken: 86_400,
          Grant: 86_400,
          Session: 86_400,
          Interaction: 600,
        },
      }),
  )
  const grantIds = new Set<string>()
  let distrusted = new Set<string>()
  const known = new Set<string>()
  let held: { promise: Promise<void>; waiting: number } | undefined

  const self: OAuthProvider = {
    issuer,
    client,
    tokenCalls: [],
    apiCalls: [],
    consent: 'give',
    isDown: false,
    holdTokens() {
      const { promise, resolve } = Promise.withResolvers<void>()
      const hold = { promise, waiting: 0 }
      held = hold
      return {
        waiting: () => hold.waiting,
        release: () => {
          held = undefined
          resolve()
        },
      }
    },
    async revokeGrants() {
      for (const id of grantIds) {
        await (await provider.Grant.find(id))?.destroy()
        await provider.RefreshToken.revokeByGrantId(id)
        await provider.AccessToken.revokeByGrantId(id)
      }
    },
    distrustAccessTokens() {
      distrusted = new Set(known)
    },
    visit: (url) => visit(url, redirectUri),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
    },
  }

  async function interact(ctx: Ctx): Promise<void> {
    const { prompt, params, session } = await provider.interactionDetails(ctx.req, ctx.res)
    let result: object
    if (self.consent === 'deny') {
      result = { error: 'access_denied', error_description: 'The person said no' }
    } else if (prompt.name === 'login') {
      result = { login: { accountId: 'a-person' } }
    } else {
      const grant = new provider.Grant({ accountId: session.accountId, clientId: params.client_id })
      grant.addOIDCScope(params.scope)
      const grantId = await grant.save()
      grantIds.add(grantId)
      result = { consent: { grantId } }
    }
    ctx.respond = false
    await provider.interactionFinished(ctx.req, ctx.res, result, { mergeWithLastSubmission: true })
  }

  async function answerApi(ctx: Ctx): Promise<void> {
    const token = /^Bearer (.+)$/.exec(ctx.get('authorization'))?.[1] ?? ''
    known.add(token)
    const found =
      !distrusted.has(token) &&
      ((await provider.AccessToken.find(token)) ?? (await provider.ClientCredentials.find(token)))
    const isGood = Boolean(found) && !found.isExpired
    ctx.status = isGood ? 200 : 401
    ctx.body = isGood ? { path: ctx.path, by: found.accountId ?? found.clientId } : { error: 'token is not valid' }
    self.apiCalls.push({ path: ctx.path, status: ctx.status })
  }

  provider.use(async (ctx: Ctx, next: () => Promise<void>) => {
    if (ctx.path.startsWith('/interaction/')) return interact(ctx)
    if (ctx.path.startsWith('/v1.0/')) return answerApi(ctx)
    if (ctx.path !== tokenPath) return next()
    if (held) {
      held.waiting += 1
      await held.promise
    }
    if (self.isDown) ctx.status = 503
    else await next()
    self.tokenCalls.push({ grantType: ctx.oidc?.params?.grant_type ?? '', status: ctx.status })
  })
  server.on('request', provider.callback())
  return self
}

type Ctx = {
  path: string
  req: unknown
  res: unknown
  status: number
  body: unknown
  respond: boolean
  get(name: string): string
  oidc?: { params?: { grant_type?: string } }
}

/** The package warns about keys and addresses that are fit for tests only. */
function quietly<Result>(make: () => Result): Result {
  const { warn, info } = console
  console.warn = () => {}
  console.info = () => {}
  try {
    return make()
  } finally {
    Object.assign(console, { warn, info })
  }
}

async function visit(authorizationUrl: string, until: string): Promise<string> {
  const cookies = new Map<string, string>()
  let url = authorizationUrl
  for (let step = 0; step < 20; step++) {
    const answer = await fetch(url, {
      redirect: 'manual',
      headers: { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
    })
    for (const line of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      cookies.set(name, value)
    }
    const location = answer.headers.get('location')
    if (location === null) throw new Error(`The provider answered ${answer.status}: ${await answer.text()}`)
    url = new URL(location, url).href
    if (url.startsWith(until)) return url
  }
  throw new Error('The provider sends the browser round in circles.')
}
