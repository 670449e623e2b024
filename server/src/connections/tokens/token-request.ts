// Obtains tokens: the OAuth 2 grants through a certified client, and the session exchanges that some services have instead.
import * as oauth from 'oauth4webapi'
import type { OutboundClient } from '../../outbound/index.ts'
import { OutboundError } from '../../outbound/index.ts'
import { expandAddress, expandText, type OAuthAuthentication, type TemplateValues } from '../application.ts'
import { invalidCredentials } from '../credentials/read-credentials.ts'
import { excerptOf, isFinalRefusal, toTokenResponse } from './token-answer.ts'

export type Grant = {
  accessToken: string
  refreshToken: string | undefined
  /** Undefined: the provider did not say. */
  expiresInSeconds: number | undefined
}

/** No token was given. `isFinal`: asking again with the same credentials will not help. */
export class TokenRefused extends Error {
  readonly isFinal: boolean
  constructor(message: string, isFinal: boolean, cause?: unknown) {
    super(message, cause === undefined ? {} : { cause })
    this.name = 'TokenRefused'
    this.isFinal = isFinal
  }
}

export type TokenDeps = { outbound: Pick<OutboundClient, 'send'> }

export const tokenRequestMs = 20_000
export const tokenPauseMsMax = 5_000

export function refresh(
  deps: TokenDeps,
  how: OAuthAuthentication,
  values: TemplateValues,
  refreshToken: string,
): Promise<Grant> {
  return withTokenEndpoint(
    deps,
    { how, values, secrets: [refreshToken] },
    async ({ server, client, authentication, options }) => {
      const parameters = { additionalParameters: tokenParameters(how, values) }
      const answer = await oauth.refreshTokenGrantRequest(server, client, authentication, refreshToken, {
        ...options,
        ...parameters,
      })
      return oauth.processRefreshTokenResponse(server, client, answer)
    },
  )
}

export function requestByClientCredentials(
  deps: TokenDeps,
  how: OAuthAuthentication,
  values: TemplateValues,
): Promise<Grant> {
  return withTokenEndpoint(deps, { how, values, secrets: [] }, async ({ server, client, authentication, options }) => {
    const parameters = tokenParameters(how, values)
    const scope = scopesOf(how, values)
    if (scope !== '') parameters.set('scope', scope)
    const answer = await oauth.clientCredentialsGrantRequest(server, client, authentication, parameters, options)
    return oauth.processClientCredentialsResponse(server, client, answer)
  })
}

/** What came back with the browser, whose state has been judged before, and what was kept from the start of the authorization. */
type Redemption = { query: URLSearchParams; redirectUri: string; codeVerifier: string | undefined }

export function redeemCode(
  deps: TokenDeps,
  how: OAuthAuthentication,
  values: TemplateValues,
  { query, redirectUri, codeVerifier }: Redemption,
): Promise<Grant> {
  const secrets = [query.get('code') ?? '', codeVerifier ?? '']
  return withTokenEndpoint(deps, { how, values, secrets }, async (endpoint) => {
    // Applications are described by their addresses; the name a server gives itself is not among them and is taken as said.
    const server = { ...endpoint.server, issuer: query.get('iss') ?? endpoint.server.issuer }
    const judged = oauth.validateAuthResponse(server, endpoint.client, query, oauth.skipStateCheck)
    const answer = await oauth.authorizationCodeGrantRequest(
      server,
      endpoint.client,
      endpoint.authentication,
      judged,
      redirectUri,
      codeVerifier ?? oauth.nopkce,
      { ...endpoint.options, additionalParameters: tokenParameters(how, values) },
    )
    return oauth.processAuthorizationCodeResponse(server, endpoint.client, answer)
  })
}

export function scopesOf(how: OAuthAuthentication, values: TemplateValues): string {
  return how.scopes
    .map((scope) => expandText(scope, values).trim())
    .filter((scope) => scope !== '')
    .join(' ')
}

/** What came back, for the words of a refusal. */
type Seen = { answer?: { status: number; text: string } }

type Endpoint = {
  server: oauth.AuthorizationServer
  client: oauth.Client
  authentication: oauth.ClientAuth
  options: oauth.TokenEndpointRequestOptions
}

async function withTokenEndpoint(
  deps: TokenDeps,
  { how, values, secrets }: { how: OAuthAuthentication; values: TemplateValues; secrets: readonly string[] },
  ask: (endpoint: Endpoint) => Promise<oauth.TokenEndpointResponse>,
): Promise<Grant> {
  const tokenUrl = addressOf(how.tokenUrl, values)
  const clientSecret = how.clientSecret === undefined ? '' : expandText(how.clientSecret, values)
  const authentication =
    clientSecret === ''
      ? oauth.None()
      : how.clientAuthentication === 'basic'
        ? oauth.ClientSecretBasic(clientSecret)
        : oauth.ClientSecretPost(clientSecret)
  const hidden = [clientSecret, ...secrets].filter((secret) => secret.length >= 6)
  const seen: Seen = {}
  try {
    const answer = await ask({
      server: { issuer: new URL(tokenUrl).origin, token_endpoint: tokenUrl },
      client: { client_id: expandText(how.clientId, values) },
      authentication,
      options: {
        // The guard of the outbound client decides what may be called, and the customer chose the address.
        [oauth.allowInsecureRequests]: true,
        [oauth.customFetch]: (url, options) => fetchToken(deps, { url, options, secrets: hidden }, seen),
      },
    })
    return {
      accessToken: answer.access_token,
      refreshToken: answer.refresh_token,
      expiresInSeconds: answer.expires_in,
    }
  } catch (error) {
    throw toRefusal(error, tokenUrl, seen, hidden)
  }
}

type TokenFetch = { url: string; options: oauth.CustomFetchOptions<string, unknown>; secrets: readonly string[] }

async function fetchToken(deps: TokenDeps, { url, options, secrets }: TokenFetch, seen: Seen): Promise<Response> {
  const { authorization, ...headers } = options.headers
  const answer = await deps.outbound.send({
    method: options.method,
    url,
    headers,
    body: String(options.body ?? ''),
    credentials: {
      allowedHosts: [new URL(url).origin],
      isBodySecret: true,
      ...(authorization === undefined ? {} : { headers: { authorization } }),
    },
    secrets,
    followRedirects: false,
    timeoutMs: tokenRequestMs,
    pauseMsMax: tokenPauseMsMax,
    responseBytesMax: 1024 * 1024,
  })
  seen.answer = { status: answer.status, text: answer.body.toString() }
  return toTokenResponse(answer.status, seen.answer.text)
}

function toRefusal(error: unknown, tokenUrl: string, seen: Seen, hidden: readonly string[]): TokenRefused {
  if (error instanceof TokenRefused) return error
  if (error instanceof OutboundError) return new TokenRefused(error.message, false, error)
  if (error instanceof oauth.ResponseBodyError) {
    const said = [error.error, error.error_description].filter((part) => part !== undefined && part !== '').join(': ')
    const words = excerptOf(said, hidden)
    return new TokenRefused(
      `The token endpoint ${tokenUrl} refused: ${words}`,
      isFinalRefusal(error.status, error.error),
      error,
    )
  }
  if (!seen.answer) return new TokenRefused(`The token endpoint ${tokenUrl} did not answer.`, false, error)
  const { status, text } = seen.answer
  const words = excerptOf(text, hidden)
  return new TokenRefused(
    `The token endpoint ${tokenUrl} did not return a token (status ${status})${words === '' ? '.' : `: ${words}`}`,
    isFinalRefusal(status),
    error,
  )
}

function tokenParameters(how: OAuthAuthentication, values: TemplateValues): URLSearchParams {
  const parameters = new URLSearchParams()
  for (const [name, text] of Object.entries(how.tokenParameters ?? {})) parameters.set(name, expandText(text, values))
  return parameters
}

export function addressOf(template: string, values: TemplateValues): string {
  try {
    return expandAddress(template, values)
  } catch (error) {
    throw invalidCredentials((error as Error).message)
  }
}
