// The three requests of the assistant. Each failure says which step it was and what a person can do about it.
import type { BodyOf, Operations } from '@patchbay/contract'
import { maskJson, maskSecrets } from '../connections/index.ts'
import { AppError } from '../lib/app-error.ts'
import { type OutboundClient, OutboundError, type OutboundRequest, type OutboundResponse } from '../outbound/index.ts'
import { rolesOf } from './token-roles.ts'

export type GrantRequest = BodyOf<Operations['DocumentLibraryGrant']> & { authUrl: string; graphUrl: string }

type Deps = { outbound: Pick<OutboundClient, 'send'> }
type Step = { name: string; advise: (answer: OutboundResponse) => string; secrets: readonly string[] }

const stepMsMax = 20_000
const pauseMsMax = 20_000
const answerBytesMax = 1024 * 1024
/** Ids and tokens go on into addresses, headers and the audit log. */
const printable = /^[\x21-\x7e]{1,20000}$/

export async function requestToken(deps: Deps, grant: GrantRequest): Promise<string> {
  const url = `${grant.authUrl}/${encodeURIComponent(grant.tenantId)}/oauth2/v2.0/token`
  const step: Step = { name: 'Step 1 of 3 (token of the admin app)', advise: adviseToken, secrets: secretsOf(grant) }
  const body = new URLSearchParams({
    client_id: grant.adminClientId,
    client_secret: grant.adminClientSecret,
    scope: `${grant.graphUrl}/.default`,
    grant_type: 'client_credentials',
  })
  const answer = await ask(deps, step, {
    method: 'POST',
    url,
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: body.toString(),
    credentials: { allowedHosts: [new URL(url).origin], isBodySecret: true },
    followRedirects: false,
  })
  return textField(step, answer, 'access_token')
}

export async function findSite(deps: Deps, grant: GrantRequest, token: string): Promise<string> {
  const path = grant.sitePath
    .split('/')
    .filter((part) => part !== '')
    .map(encodeURIComponent)
    .join('/')
  const step: Step = {
    name: `Step 2 of 3 (site ${grant.host}/${decodeURIComponent(path)})`,
    advise: (answer) => adviseGraph(answer, token, 'There is no such site: check host and sitePath.'),
    secrets: secretsOf(grant, token),
  }
  const answer = await ask(deps, step, {
    method: 'GET',
    url: `${grant.graphUrl}/v1.0/sites/${encodeURIComponent(grant.host)}:/${path}`,
    credentials: bearer(grant, token),
  })
  return textField(step, answer, 'id')
}

export async function addPermission(deps: Deps, grant: GrantRequest, token: string, siteId: string): Promise<string> {
  const step: Step = {
    name: 'Step 3 of 3 (permission for the connector)',
    advise: (answer) => adviseGraph(answer, token, 'Check connectorClientId: it must be the client ID of an app.'),
    secrets: secretsOf(grant, token),
  }
  const answer = await ask(deps, step, {
    method: 'POST',
    url: `${grant.graphUrl}/v1.0/sites/${encodeURIComponent(siteId).replaceAll('%2C', ',')}/permissions`,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      roles: [grant.role],
      grantedToIdentities: [{ application: { id: grant.connectorClientId } }],
    }),
    credentials: bearer(grant, token),
    followRedirects: false,
  })
  return textField(step, answer, 'id')
}

async function ask(deps: Deps, step: Step, request: OutboundRequest): Promise<OutboundResponse> {
  const limits = { timeoutMs: stepMsMax, pauseMsMax, responseBytesMax: answerBytesMax }
  let answer: OutboundResponse
  try {
    answer = await deps.outbound.send({ ...request, ...limits, secrets: step.secrets })
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error
    throw new AppError('target_unreachable', `${step.name} failed: ${error.message} Check authUrl and graphUrl.`, {
      cause: error,
    })
  }
  if (answer.status >= 200 && answer.status < 300) return answer
  throw refused(step, answer, `${step.advise(answer)} The answer was ${answer.status}: ${wordsOf(answer)}`)
}

function textField(step: Step, answer: OutboundResponse, name: string): string {
  const value = jsonOf(answer)?.[name]
  if (typeof value === 'string' && printable.test(value)) return value
  throw refused(step, answer, `The answer holds no ${name}. Check authUrl and graphUrl.`)
}

function refused(step: Step, answer: OutboundResponse, words: string): AppError {
  const { status, headers } = answer
  const response = { statusCode: status, headers, data: jsonOf(answer) ?? answer.body.toString('utf8', 0, 2000) }
  return new AppError('target_refused', maskSecrets(`${step.name} failed: ${words}`, step.secrets), {
    response: maskJson(response, step.secrets),
  })
}

const busy = 'The service is busy or failing. Try again later.'

function isBusy({ status }: OutboundResponse): boolean {
  return status === 429 || status >= 500
}

function adviseToken(answer: OutboundResponse): string {
  if (isBusy(answer)) return busy
  const words = wordsOf(answer)
  if (/AADSTS7000222/.test(words)) return 'The secret of the admin app has expired: create a new one.'
  if (/AADSTS7000215|invalid_client/.test(words)) {
    return 'The secret of the admin app is not accepted: adminClientSecret must be the value of the secret, not its ID.'
  }
  if (/AADSTS700016|unauthorized_client/.test(words)) {
    return 'The tenant does not know the admin app: check adminClientId and tenantId.'
  }
  if (/AADSTS9000[23]/.test(words) || answer.status === 404) return 'There is no such tenant: check tenantId.'
  return 'Check tenantId, adminClientId and adminClientSecret.'
}

function adviseGraph(answer: OutboundResponse, token: string, otherwise: string): string {
  if (isBusy(answer)) return busy
  if (answer.status !== 401 && answer.status !== 403) return otherwise
  const roles = rolesOf(token)
  if (roles?.length === 0) {
    return 'The admin app has no administrator consent: add the application permissions Sites.FullControl.All and Application.Read.All to it and grant administrator consent.'
  }
  if (roles !== undefined && !roles.includes('Sites.FullControl.All')) {
    return `The admin app lacks Sites.FullControl.All (it has ${roles.join(', ')}): add it as an application permission and grant administrator consent.`
  }
  return 'The admin app was refused: it needs the application permissions Sites.FullControl.All and Application.Read.All with administrator consent.'
}

function bearer(grant: GrantRequest, token: string): NonNullable<OutboundRequest['credentials']> {
  return { allowedHosts: [new URL(grant.graphUrl).origin], headers: { authorization: `Bearer ${token}` } }
}

function secretsOf(grant: GrantRequest, ...tokens: string[]): string[] {
  return [grant.adminClientSecret, ...tokens].filter((text) => text.length >= 4)
}

function jsonOf({ body }: OutboundResponse): Record<string, unknown> | undefined {
  try {
    const parsed: unknown = JSON.parse(body.toString())
    return typeof parsed === 'object' && parsed !== null ? (parsed as Record<string, unknown>) : undefined
  } catch {
    return undefined
  }
}

/** The sentence inside the usual shapes of errors, or the beginning of the body. */
function wordsOf(answer: OutboundResponse): string {
  const parsed = jsonOf(answer)
  const error = parsed?.['error']
  const words =
    typeof error === 'object' && error !== null
      ? Object.values(error).filter((part) => typeof part === 'string')
      : [error, parsed?.['error_description']].filter((part) => typeof part === 'string')
  return (words.length > 0 ? words.join(': ') : answer.body.toString()).slice(0, 600)
}
