// What registering and changing have in common: new credentials are tried out, or a person is asked for access, before anything is stored.
import type { Database, Scope } from '../../db/index.ts'
import { ownedBy } from '../../outbound/index.ts'
import type { KeyRing } from '../../secrets/index.ts'
import type { Application, ApplicationFinder } from '../application.ts'
import type { CallDeps } from '../call/call-target.ts'
import { baseAddress } from '../call/target.ts'
import { type TestOutcome, testConnection } from '../call/test-connection.ts'
import { checkAuthentication, chooseAuthentication } from '../credentials/authentication.ts'
import { type Callable, type OpenedConnections, sealCredentials, sealTokens } from '../credentials/opened-connection.ts'
import { type CredentialValues, withDefaults } from '../credentials/read-credentials.ts'
import type { Faults } from '../faults/faults.ts'
import type { WorkflowUses } from '../ports.ts'
import { type Authorization, prepareAuthorization, redirectUri } from '../sign-in/authorize.ts'

export type RegistrationDeps = CallDeps & {
  database: Database
  keyRing: KeyRing
  catalog: ApplicationFinder
  opened: OpenedConnections
  faults: Faults
  workflows: WorkflowUses
  baseUrl: () => string
}

type Given = { application: Application; credentials: CredentialValues; isTested: boolean }

/** Either an authorization, where a person must give access, or the outcome of a test, where one is wanted. */
export async function tryCredentials(
  deps: RegistrationDeps,
  { scope, id }: { scope: Scope; id: string },
  { application, credentials, isTested }: Given,
) {
  const to = prepare(application, credentials)
  const authorization = await authorizationFor(deps, to, credentials)
  const tested = authorization || !isTested ? undefined : await testConnection(ownDeps(deps, scope), to)
  const [sealedCredentials, tokens] = await Promise.all([
    sealCredentials(deps.keyRing, scope.accountId, id, credentials),
    sealGrant(deps, scope, id, tested),
  ])
  return { to, authorization, tested, sealedCredentials, tokens }
}

function prepare(application: Application, credentials: CredentialValues): Callable {
  const values = withDefaults(application, credentials)
  const authentication = chooseAuthentication(application, values)
  checkAuthentication(authentication, values)
  if ((application.transport ?? 'http') === 'http') baseAddress(application, values)
  return { application, authentication, values }
}

async function authorizationFor(
  deps: RegistrationDeps,
  { application, authentication, values }: Callable,
  credentials: CredentialValues,
): Promise<Authorization | undefined> {
  return authentication.type === 'oauth2AuthorizationCode'
    ? prepareAuthorization(authentication, values, {
        credentials,
        credentialEpoch: application.credentialEpoch ?? 0,
        redirectUri: redirectUri(deps.baseUrl()),
      })
    : undefined
}

async function sealGrant(deps: RegistrationDeps, scope: Scope, id: string, tested: TestOutcome | undefined) {
  const grant = tested?.grant
  if (!grant) return undefined
  const tokens = { accessToken: grant.accessToken, refreshToken: grant.refreshToken }
  return {
    sealed: await sealTokens(deps.keyRing, scope.accountId, id, tokens),
    expiresInSeconds: grant.expiresInSeconds ?? null,
  }
}

/** Calls to try credentials out are the account's own as well. */
function ownDeps(deps: RegistrationDeps, scope: Scope): RegistrationDeps {
  return { ...deps, outbound: ownedBy(deps.outbound, scope) }
}
