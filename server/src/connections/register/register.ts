import { type Principal, scopeOf } from '../../access/index.ts'
import { actorOf, recordAudit } from '../../audit/index.ts'
import { inOrder } from '../../db/index.ts'
import { notFound } from '../../lib/app-error.ts'
import { newId } from '../../lib/id.ts'
import { firstCheckInMs } from '../care/check-interval.ts'
import { needsToken } from '../credentials/authentication.ts'
import { readCredentials } from '../credentials/read-credentials.ts'
import { insertState } from '../sign-in/authorize.ts'
import { insertConnection } from '../store.ts'
import { replaceTokens } from '../tokens/token-store.ts'
import { type RegistrationDeps, tryCredentials } from './try-credentials.ts'

/** The id of the new instance, or the address at which a person gives access. */
export async function register(
  deps: RegistrationDeps,
  principal: Principal,
  body: { applicationId: string; tagText?: string; credentialsJson?: string },
): Promise<string> {
  const scope = scopeOf(principal)
  const application = await deps.catalog.findApplication(scope.organizationId, body.applicationId)
  if (!application) throw notFound('application')
  const credentials = readCredentials(application, body.credentialsJson)
  const id = newId()
  const { to, authorization, tested, sealedCredentials, tokens } = await tryCredentials(
    deps,
    { scope, id },
    { application, credentials, isTested: true },
  )
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
