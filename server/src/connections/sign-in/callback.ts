// The browser comes back from the provider. Whatever happens is told on a page for people.
import { recordAudit } from '../../audit/index.ts'
import type { Tx } from '../../db/index.ts'
import { type Exchange, html, type Page, page } from '../../http/index.ts'
import { AppError, notFound } from '../../lib/app-error.ts'
import { ownedBy } from '../../outbound/index.ts'
import type { KeyRing } from '../../secrets/index.ts'
import type { ApplicationFinder } from '../application.ts'
import type { CallDeps } from '../call/call-target.ts'
import { testConnection } from '../call/test-connection.ts'
import { firstCheckInMs } from '../care/check-interval.ts'
import { chooseAuthentication } from '../credentials/authentication.ts'
import { type Callable, isStale, sealCredentials, sealTokens } from '../credentials/opened-connection.ts'
import { withDefaults } from '../credentials/read-credentials.ts'
import { mustBeGivenAgain } from '../credentials/withdrawn.ts'
import { findConnection, type StoredConnection, updateCredentials } from '../store.ts'
import { redeemCode, TokenRefused } from '../tokens/token-request.ts'
import { replaceTokens } from '../tokens/token-store.ts'
import { type TakenState, takeState } from './authorize.ts'
import type { TakeBackDeps } from './take-back.ts'
import { createTakeBackToken } from './take-back-link.ts'

type CallbackDeps = CallDeps &
  TakeBackDeps & {
    keyRing: KeyRing
    catalog: ApplicationFinder
    /** Whether the person whose browser this is may act for the account; true when nobody is signed in. */
    mayActFor(exchange: Exchange, accountId: string): Promise<boolean>
  }

export function callbackPage(deps: CallbackDeps): Page {
  return {
    method: 'GET',
    path: '/oauth/callback',
    render: async ({ query, exchange }) => {
      const taken = await takeState(deps.database.system, deps.keyRing, query['state'] ?? '')
      if (!taken) {
        return refusal(
          400,
          'This authorization is no longer valid: it was already used, is older than ten minutes, or was not started here. Start again.',
        )
      }
      if (!(await deps.mayActFor(exchange, taken.scope.accountId))) {
        return refusal(
          403,
          'You are signed in with an account that this authorization does not belong to. Nothing was connected.',
        )
      }
      if (query['error'] !== undefined) {
        const words = [query['error'], query['error_description']].filter((text) => text).join(': ')
        return refusal(400, `The provider refused access (${words.slice(0, 500)}). Nothing was changed.`)
      }
      try {
        const connected = await connect(deps, taken, new URLSearchParams(query), exchange.address)
        return { status: 200, html: resultPage(taken, connected) }
      } catch (error) {
        if (error instanceof TokenRefused) return refusal(400, `${error.message} Nothing was changed.`)
        if (error instanceof AppError && error.status < 500) return refusal(error.status, error.message)
        throw error
      }
    },
  }
}

type Connected = { name: string; takeBackToken: string }

async function connect(
  deps: CallbackDeps,
  taken: TakenState,
  query: URLSearchParams,
  address: string,
): Promise<Connected> {
  const { scope, regApplicationId: id, request } = taken
  const db = deps.database.forScope(scope)
  const stored = await findConnection(db, scope.accountId, id)
  const application = stored && (await deps.catalog.findApplication(scope.organizationId, stored.applicationId))
  if (!stored || !application) throw notFound('registered application')
  // States from before epochs were kept are of the first.
  const credentialEpoch = request.credentialEpoch ?? 0
  if (isStale({ credentialEpoch }, application)) {
    throw new AppError('application_not_authenticated', mustBeGivenAgain(application.shortName))
  }
  const values = withDefaults(application, request.credentials)
  const authentication = chooseAuthentication(application, values)
  if (authentication.type !== 'oauth2AuthorizationCode') throw notFound('application')
  const to: Callable = { application, authentication, values }
  const owned = { ...deps, outbound: ownedBy(deps.outbound, scope) }
  const given = await redeemCode(owned, authentication, values, {
    query,
    redirectUri: request.redirectUri,
    codeVerifier: request.codeVerifier,
  })
  const { grant = given, faultMessage } = await testConnection(owned, to, given)
  const [sealedCredentials, sealed] = await Promise.all([
    sealCredentials(deps.keyRing, scope.accountId, id, request.credentials),
    sealTokens(deps.keyRing, scope.accountId, id, { accessToken: grant.accessToken, refreshToken: grant.refreshToken }),
  ])
  const name = stored.tagText === '' ? stored.name : `${stored.name} (${stored.tagText})`
  const takeBackToken = await db.transaction(async (tx) => {
    const change = { sealedCredentials, credentialEpoch, faultMessage, isOAuth: true, checkInMs: firstCheckInMs(to) }
    if (!(await updateCredentials(tx, scope.accountId, id, change))) throw notFound('registered application')
    const actor = {
      organizationId: scope.organizationId,
      accountId: scope.accountId,
      managedAccountId: null,
      keyId: null,
      address,
    }
    await Promise.all([
      replaceTokens(tx, scope.accountId, id, { sealed, expiresInSeconds: grant.expiresInSeconds ?? null }),
      recordAudit(tx, actor, {
        action: 'registeredApplication.connected',
        target: id,
        details: { shortName: stored.shortName },
      }),
      tellOwner(deps, tx, { taken, stored, address }),
      (stored.faultMessage === null) === (faultMessage === null)
        ? undefined
        : deps.faults.tell(tx, scope.accountId, { connection: stored, message: faultMessage, isMailed: false }),
    ])
    return createTakeBackToken(tx, scope.accountId, id, stored.isAuthenticated)
  })
  deps.opened.forget({ scope, connection: stored })
  return { name, takeBackToken }
}

/** The owner may not be the one who gave access: an authorization address can be opened by anybody who gets it. */
async function tellOwner(
  deps: CallbackDeps,
  tx: Tx,
  { taken, stored, address }: { taken: TakenState; stored: StoredConnection; address: string },
): Promise<void> {
  await deps.outbox.enqueue(tx, taken.scope.accountId, {
    to: [taken.email],
    subject: `${stored.shortName} is connected`,
    text: `${stored.name} is now connected to your Patchbay account ${taken.email} (${taken.organizationName}).\n\nAccess was granted from the address ${address}. If you did not expect this, delete the connection and contact the person who manages your account.\n`,
  })
}

function resultPage({ email, organizationName }: TakenState, { name, takeBackToken }: Connected): string {
  return page(
    'Connected',
    html`<p>${name} is connected. The account <strong>${email}</strong> of <strong>${organizationName}</strong> can use it now. You can close this window.</p>
<p>Not what you wanted? You can revoke this access within the next 30 minutes.</p>
<form method="post" action="/oauth/take-back"><input type="hidden" name="token" value="${takeBackToken}"><button class="quiet">Revoke access</button></form>`,
  )
}

function refusal(status: number, words: string) {
  return {
    status,
    html: page(
      'Not connected',
      html`<p class="bad" role="alert">${words}</p><p class="beside"><a href="/connections">Go to Connections</a></p>`,
    ),
  }
}
