// Registering, changing and removing instances of applications.
import { type Principal, scopeOf } from '../access/index.ts'
import { actorOf, recordAudit } from '../audit/index.ts'
import { type Database, inOrder, type Scope, violatedConstraint } from '../db/index.ts'
import { AppError, notFound } from '../lib/app-error.ts'
import { newId } from '../lib/id.ts'
import { ownedBy } from '../outbound/index.ts'
import type { KeyRing } from '../secrets/index.ts'
import type { Application, ApplicationFinder } from './application.ts'
import { checkAuthentication, chooseAuthentication, needsToken } from './authentication.ts'
import { type Authorization, insertState, prepareAuthorization } from './authorize.ts'
import type { CallDeps } from './call-target.ts'
import { firstCheckInMs } from './check-interval.ts'
import type { Faults } from './faults.ts'
import {
  type Callable,
  isStale,
  type OpenedConnections,
  sealCredentials,
  sealTokens,
  usableCredentials,
} from './opened-connection.ts'
import type { WorkflowUses } from './ports.ts'
import { type CredentialValues, listKeptSecrets, readCredentials, withDefaults } from './read-credentials.ts'
import { refuseNewHost } from './refuse-new-host.ts'
import {
  deleteConnection,
  findConnection,
  insertConnection,
  lockConnection,
  updateCredentials,
  updateTagText,
} from './store.ts'
import { baseAddress } from './target.ts'
import { type TestOutcome, testConnection } from './test-connection.ts'
import { replaceTokens } from './token-store.ts'

export type RegisterDeps = CallDeps & {
  database: Database
  keyRing: KeyRing
  catalog: ApplicationFinder
  opened: OpenedConnections
  faults: Faults
  workflows: WorkflowUses
  baseUrl: () => string
}

/** The id of the new instance, or the address at which a person gives access. */
export async function register(
  deps: RegisterDeps,
  principal: Principal,
  body: { applicationId: string; tagText?: string; credentialsJson?: string },
): Promise<string> {
  const scope = scopeOf(principal)
  const application = await deps.catalog.findApplication(scope.organizationId, body.applicationId.toLowerCase())
  if (!application) throw notFound('application')
  const credentials = readCredentials(application, body.credentialsJson)
  const to = prepare(application, credentials)
  const id = newId()
  const authorization = await authorizationFor(deps, to, credentials)
  const tested = authorization ? undefined : await testConnection(ownDeps(deps, scope), to)
  const [sealedCredentials, tokens] = await Promise.all([
    sealCredentials(deps.keyRing, scope.accountId, id, credentials),
    sealGrant(deps, scope, id, tested),
  ])
  await deps.database.forScope(scope).transaction(async (tx) => {
    if (!(await deps.catalog.holdApplication(tx, scope.organizationId, application.id))) throw notFound('application')
    // The other rows point at this one.
    await inOrder(tx, [
      (db) =>
        insertConnection(db, {
          id,
          scope,
          applicationId: application.id,
          shortName: application.shortName,
          name: application.name,
          tagText: body.tagText ?? '',
          isOAuth: authorization !== undefined,
          isAuthenticated: authorization === undefined,
          sealedCredentials,
          credentialEpoch: application.credentialEpoch ?? 0,
          faultMessage: tested?.faultMessage ?? null,
          checkInMs: authorization ? null : firstCheckInMs(to),
        }),
      (db) =>
        Promise.all([
          needsToken(to.authentication) ? replaceTokens(db, scope.accountId, id, tokens) : undefined,
          recordAudit(db, actorOf(principal), {
            action: 'registeredApplication.created',
            target: id,
            details: { shortName: application.shortName },
          }),
          authorization ? insertState(db, deps.keyRing, { scope, id }, authorization) : undefined,
          tested && tested.faultMessage !== null
            ? deps.faults.tell(db, scope.accountId, {
                connection: { id, name: application.name, tagText: body.tagText ?? '' },
                message: tested.faultMessage,
                isMailed: false,
              })
            : undefined,
        ]),
    ])
  })
  deps.opened.forget({ scope, connection: { id, shortName: application.shortName } })
  return authorization?.url ?? id
}

/** An empty string, or the address at which a person gives access. Until that happens, what was stored stays in use. */
export async function change(
  deps: RegisterDeps,
  principal: Principal,
  id: string,
  body: { tagText?: string; credentialsJson?: string },
): Promise<string> {
  const scope = scopeOf(principal)
  const db = deps.database.forScope(scope)
  const stored = await findConnection(db, scope.accountId, id)
  if (!stored) throw notFound('registered application')
  const application = await deps.catalog.findApplication(scope.organizationId, stored.applicationId)
  if (!application) throw notFound('application')
  if (body.credentialsJson === undefined && isStale(stored, application)) return rename(deps, principal, stored, body)
  const before = await usableCredentials(deps.keyRing, stored, application)
  const credentials =
    body.credentialsJson === undefined ? before : changeCredentials(application, body.credentialsJson, before)
  const to = prepare(application, credentials)
  const authorization = await authorizationFor(deps, to, credentials)
  const tested =
    authorization || body.credentialsJson === undefined ? undefined : await testConnection(ownDeps(deps, scope), to)
  const [sealedCredentials, tokens] = await Promise.all([
    sealCredentials(deps.keyRing, scope.accountId, stored.id, credentials),
    sealGrant(deps, scope, stored.id, tested),
  ])
  await db.transaction(async (tx) => {
    if (!(await lockConnection(tx, scope.accountId, stored.id))) throw notFound('registered application')
    const isNew = tested !== undefined
    await Promise.all([
      body.tagText === undefined ? undefined : updateTagText(tx, scope.accountId, stored.id, body.tagText),
      tested
        ? updateCredentials(tx, scope.accountId, stored.id, {
            sealedCredentials,
            credentialEpoch: application.credentialEpoch ?? 0,
            isOAuth: false,
            faultMessage: tested.faultMessage,
            checkInMs: firstCheckInMs(to),
          })
        : undefined,
      isNew && needsToken(to.authentication) ? replaceTokens(tx, scope.accountId, stored.id, tokens) : undefined,
      authorization ? insertState(tx, deps.keyRing, { scope, id: stored.id }, authorization) : undefined,
      recordAudit(tx, actorOf(principal), {
        action: 'registeredApplication.changed',
        target: stored.id,
        details: { fields: Object.keys(body) },
      }),
      // Whoever changed it knows it, so nobody is mailed.
      tested && (stored.faultMessage === null) !== (tested.faultMessage === null)
        ? deps.faults.tell(tx, scope.accountId, { connection: stored, message: tested.faultMessage, isMailed: false })
        : undefined,
    ])
  })
  deps.opened.forget({ scope, connection: stored })
  return authorization?.url ?? ''
}

function changeCredentials(application: Application, credentialsJson: string, before: CredentialValues) {
  const after = readCredentials(application, credentialsJson, before)
  refuseNewHost(application, listKeptSecrets(application, credentialsJson, before), before, after)
  return after
}

/** All that can change while the stored credentials are not to be used. */
async function rename(
  deps: RegisterDeps,
  principal: Principal,
  stored: { id: string; shortName: string },
  { tagText }: { tagText?: string },
): Promise<string> {
  const scope = scopeOf(principal)
  await deps.database.forScope(scope).transaction(async (tx) => {
    if (tagText !== undefined) await updateTagText(tx, scope.accountId, stored.id, tagText)
    await recordAudit(tx, actorOf(principal), {
      action: 'registeredApplication.changed',
      target: stored.id,
      details: { fields: ['tagText'] },
    })
  })
  deps.opened.forget({ scope, connection: stored })
  return ''
}

export async function remove(deps: RegisterDeps, principal: Principal, id: string): Promise<boolean> {
  const scope = scopeOf(principal)
  const stored = await findConnection(deps.database.forScope(scope), scope.accountId, id)
  if (!stored) throw notFound('registered application')
  await refuseWhileUsed(deps, scope, stored.id)
  try {
    await deps.database.forScope(scope).transaction(async (tx) => {
      if (!(await deleteConnection(tx, scope, stored.id))) throw notFound('registered application')
      await recordAudit(tx, actorOf(principal), {
        action: 'registeredApplication.deleted',
        target: stored.id,
        details: { shortName: stored.shortName },
      })
    })
  } catch (error) {
    // A workflow that began to use it a moment ago shows as a broken reference.
    if (violatedConstraint(error) !== undefined) await refuseWhileUsed(deps, scope, stored.id)
    throw error
  }
  deps.opened.forget({ scope, connection: stored })
  return true
}

async function refuseWhileUsed(deps: RegisterDeps, scope: Scope, id: string): Promise<void> {
  const users = await deps.workflows.using(scope, id)
  if (users.length > 0) {
    throw new AppError(
      'registered_application_in_use',
      `The registered application is used by workflows that are not archived: ${users.join(', ')}.`,
    )
  }
}

function prepare(application: Application, credentials: CredentialValues): Callable {
  const values = withDefaults(application, credentials)
  const authentication = chooseAuthentication(application, values)
  checkAuthentication(authentication, values)
  if ((application.transport ?? 'http') === 'http') baseAddress(application, values)
  return { application, authentication, values }
}

async function authorizationFor(
  deps: RegisterDeps,
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

export function redirectUri(baseUrl: string): string {
  return `${baseUrl}/oauth/callback`
}

async function sealGrant(deps: RegisterDeps, scope: Scope, id: string, tested: TestOutcome | undefined) {
  const grant = tested?.grant
  if (!grant) return undefined
  const tokens = { accessToken: grant.accessToken, refreshToken: grant.refreshToken }
  return {
    sealed: await sealTokens(deps.keyRing, scope.accountId, id, tokens),
    expiresInSeconds: grant.expiresInSeconds ?? null,
  }
}

/** Calls to try credentials out are the account's own as well. */
function ownDeps(deps: RegisterDeps, scope: Scope): RegisterDeps {
  return { ...deps, outbound: ownedBy(deps.outbound, scope) }
}
