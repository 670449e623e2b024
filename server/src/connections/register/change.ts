import { type Principal, scopeOf } from '../../access/index.ts'
import { actorOf, recordAudit } from '../../audit/index.ts'
import { notFound } from '../../lib/app-error.ts'
import type { Application } from '../application.ts'
import { firstCheckInMs } from '../care/check-interval.ts'
import { needsToken } from '../credentials/authentication.ts'
import { isStale, usableCredentials } from '../credentials/opened-connection.ts'
import { type CredentialValues, listKeptSecrets, readCredentials } from '../credentials/read-credentials.ts'
import { insertState } from '../sign-in/authorize.ts'
import { findConnection, lockConnection, updateCredentials, updateTagText } from '../store.ts'
import { replaceTokens } from '../tokens/token-store.ts'
import { refuseNewHost } from './refuse-new-host.ts'
import { type RegistrationDeps, tryCredentials } from './try-credentials.ts'

/** An empty string, or the address at which a person gives access. Until that happens, what was stored stays in use. */
export async function change(
  deps: RegistrationDeps,
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
  const { to, authorization, tested, sealedCredentials, tokens } = await tryCredentials(
    deps,
    { scope, id: stored.id },
    { application, credentials, isTested: body.credentialsJson !== undefined },
  )
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
  deps: RegistrationDeps,
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
