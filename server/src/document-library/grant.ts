// Access for a connector to one site, given with the rights of an administrator that are used once and not kept.
import type { BodyOf, Operations } from '@patchbay/contract'
import { type Principal, scopeOf } from '../access/index.ts'
import { actorOf, recordAudit } from '../audit/index.ts'
import type { Database } from '../db/index.ts'
import { invalid } from '../lib/app-error.ts'
import { type Guard, type OutboundClient, ownedBy } from '../outbound/index.ts'
import { addPermission, findSite, requestToken } from './grant-steps.ts'

export type GrantDeps = { database: Database; guard: Guard; outbound: Pick<OutboundClient, 'send'> }

export async function grantAccess(
  deps: GrantDeps,
  principal: Principal,
  body: BodyOf<Operations['DocumentLibraryGrant']>,
) {
  if (body.adminClientId.toLowerCase() === body.connectorClientId.toLowerCase()) {
    throw invalid(
      'The field adminClientId must differ from connectorClientId: the connector must not have admin rights to every site.',
    )
  }
  if (body.sitePath.split('/').some((part) => part === '.' || part === '..')) {
    throw invalid('The field sitePath must be a path of a site, such as /sites/team.')
  }
  const grant = {
    ...body,
    authUrl: readAddress(deps.guard, 'authUrl', body.authUrl ?? 'https://login.microsoftonline.com'),
    graphUrl: readAddress(deps.guard, 'graphUrl', body.graphUrl ?? 'https://graph.microsoft.com'),
  }
  const caller = { outbound: ownedBy(deps.outbound, scopeOf(principal)) }
  const token = await requestToken(caller, grant)
  const siteId = await findSite(caller, grant, token)
  const permissionId = await addPermission(caller, grant, token, siteId)
  const { host, sitePath, role, connectorClientId, adminClientId } = grant
  const details = { host, sitePath, role, connectorClientId, adminClientId, permissionId }
  await recordAudit(deps.database.forScope(scopeOf(principal)), actorOf(principal), {
    action: 'documentLibrary.granted',
    target: siteId,
    details,
  })
  return { siteId, permissionId, role }
}

/** Secrets travel under TLS. The operator may open an address inside the own network for plain http. */
function readAddress(guard: Guard, field: string, text: string): string {
  const verdict = guard.judgeUrl(text.trim())
  if (verdict.kind === 'malformed') throw invalid(`The field ${field} is wrong: ${verdict.sentence}`)
  const isPlain = /^http:/i.test(text.trim())
  if (isPlain && !(verdict.kind === 'open' && verdict.isNamed)) {
    throw invalid(`The field ${field} must be an https address: a secret is sent there.`)
  }
  const url = new URL(text.trim())
  if (url.search !== '' || url.hash !== '') throw invalid(`The field ${field} must be an address without a query.`)
  return url.href.replace(/\/+$/, '')
}
