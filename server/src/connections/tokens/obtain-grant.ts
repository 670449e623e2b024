import { secretValues } from '../credentials/mask-secrets.ts'
import type { Callable } from '../credentials/opened-connection.ts'
import { requestSession } from './session-request.ts'
import { type Grant, refresh, requestByClientCredentials, type TokenDeps, TokenRefused } from './token-request.ts'

/** A new token in the way of the application; the refresh token is needed where a person once gave access. */
export async function obtainGrant(deps: TokenDeps, to: Callable, refreshToken: string | undefined): Promise<Grant> {
  const how = to.authentication
  switch (how.type) {
    case 'oauth2AuthorizationCode':
      if (refreshToken === undefined) {
        throw new TokenRefused('Access has expired and the provider issued no refresh token.', true)
      }
      return refresh(deps, how, to.values, refreshToken)
    case 'oauth2ClientCredentials':
      return requestByClientCredentials(deps, how, to.values)
    case 'session':
      return requestSession(deps, how, to.values, secretValues(to.application, to.values, []))
    default:
      throw new Error(`The authentication ${how.type} has no tokens.`)
  }
}
