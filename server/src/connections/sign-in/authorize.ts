// An authorization begins: a person is sent to the provider with a state that works once and belongs to one account.
import * as oauth from 'oauth4webapi'
import { type Queryable, type Scope, sql } from '../../db/index.ts'
import { dottedCell } from '../../lib/cell.ts'
import { hashToken } from '../../lib/token.ts'
import type { KeyRing, Place } from '../../secrets/index.ts'
import { expandText, type OAuthAuthentication, type TemplateValues } from '../application.ts'
import type { CredentialValues } from '../credentials/read-credentials.ts'
import { addressOf, scopesOf } from '../tokens/token-request.ts'

const stateMinutes = 10

/** What the callback needs to finish. The credentials become the connection's only then. */
export type AuthorizationRequest = {
  codeVerifier: string | undefined
  redirectUri: string
  credentials: CredentialValues
  /** Of the application when they were given. */
  credentialEpoch: number
}

type AuthorizationCode = Extract<OAuthAuthentication, { type: 'oauth2AuthorizationCode' }>

export type Authorization = { url: string; stateHash: Buffer; request: AuthorizationRequest }

export function redirectUri(baseUrl: string): string {
  return `${baseUrl}/oauth/callback`
}

export async function prepareAuthorization(
  how: AuthorizationCode,
  values: TemplateValues,
  given: Omit<AuthorizationRequest, 'codeVerifier'>,
): Promise<Authorization> {
  const state = dottedCell(oauth.generateRandomState())
  const codeVerifier = how.pkce === false ? undefined : oauth.generateRandomCodeVerifier()
  const url = new URL(addressOf(how.authorizationUrl, values))
  // Checked now, so that a broken address is told to the one who gave it and not to the one who signs in.
  addressOf(how.tokenUrl, values)
  for (const [name, text] of Object.entries(how.authorizationParameters ?? {})) {
    url.searchParams.set(name, expandText(text, values))
  }
  const scope = scopesOf(how, values)
  if (scope !== '') url.searchParams.set('scope', scope)
  url.searchParams.set('response_type', 'code')
  url.searchParams.set('client_id', expandText(how.clientId, values))
  url.searchParams.set('redirect_uri', given.redirectUri)
  url.searchParams.set('state', state)
  if (codeVerifier !== undefined) {
    url.searchParams.set('code_challenge', await oauth.calculatePKCECodeChallenge(codeVerifier))
    url.searchParams.set('code_challenge_method', 'S256')
  }
  return { url: url.href, stateHash: hashToken(state), request: { ...given, codeVerifier } }
}

export async function insertState(
  tx: Queryable,
  keyRing: KeyRing,
  { scope, id }: { scope: Scope; id: string },
  { stateHash, request }: Authorization,
): Promise<void> {
  const sealed = await keyRing.seal(statePlace(scope.accountId, stateHash), Buffer.from(JSON.stringify(request)))
  await tx.query(sql`
    insert into oauth_states (state_hash, account_id, registered_application_id, sealed_request, expires_at)
    values (${stateHash}, ${scope.accountId}, ${id}, ${sealed}, now() + ${stateMinutes}::integer * interval '1 minute')`)
}

/** With the names of those who get access, for the person who gives it. */
export type TakenState = {
  scope: Scope
  email: string
  organizationName: string
  regApplicationId: string
  request: AuthorizationRequest
}

/** Uses the state up. Undefined when it is unknown, used or expired, or its account is not active. */
export async function takeState(db: Queryable, keyRing: KeyRing, state: string): Promise<TakenState | undefined> {
  const stateHash = hashToken(state)
  const { rows } = await db.query<{
    organization_id: string
    account_id: string
    email: string
    organization_name: string
    registered_application_id: string
    sealed_request: Buffer
    is_valid: boolean
  }>(sql`
    with taken as (delete from oauth_states where state_hash = ${stateHash} returning *)
    select a.organization_id, t.account_id, a.email, o.name as organization_name, t.registered_application_id, t.sealed_request, t.expires_at > now() as is_valid
    from taken t join accounts a on a.id = t.account_id and a.state = 'active' join organizations o on o.id = a.organization_id`)
  const row = rows[0]
  if (!row?.is_valid) return undefined
  const opened = await keyRing.open(statePlace(row.account_id, stateHash), row.sealed_request)
  return {
    scope: { organizationId: row.organization_id, accountId: row.account_id },
    email: row.email,
    organizationName: row.organization_name,
    regApplicationId: row.registered_application_id,
    request: JSON.parse(opened.toString()),
  }
}

function statePlace(accountId: string, stateHash: Buffer): Place {
  return { table: 'oauth_states', column: 'sealed_request', rowId: stateHash.toString('hex'), accountId }
}
