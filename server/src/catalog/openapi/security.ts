import { isObject, type JsonMembers } from '../../lib/json.ts'
import type { ApplicationFile, Authentication, CredentialField } from '../format/definition.ts'
import { cut, listOf, type OpenApiDocument, objectOf, textOf } from './document.ts'

export type Security = {
  authentication: Authentication
  fields: CredentialField[]
  headers: NonNullable<ApplicationFile['headers']>
  query: NonNullable<ApplicationFile['query']>
  warnings: string[]
}

const field = (
  ShortName: string,
  DisplayName: string,
  Type: CredentialField['Type'],
  Required = true,
): CredentialField => ({
  ShortName,
  DisplayName,
  Type,
  Required,
})

/**
 * One way of proving who calls: the first alternative of the document's `security` of which every part is understood,
 * or, where the document requires nothing by itself, the first scheme that it or an operation uses.
 */
export function readSecurity(document: OpenApiDocument, source: Source): Security {
  const schemes = objectOf(objectOf(document.root['components'])['securitySchemes'])
  const alternatives = [...listOf(document.root['security']), ...operationSecurity(document)].filter(isObject)
  const warnings: string[] = []
  for (const alternative of [...alternatives, ...Object.keys(schemes).map((name) => ({ [name]: [] }))]) {
    const names = Object.keys(alternative)
    if (names.length === 0) continue
    const parts = names.map((name) => readScheme(document.resolve(schemes[name]), scopesOf(alternative[name]), source))
    const main = parts.find((part) => part !== null && !isKey(part)) ?? parts[0]
    if (!main || parts.some((part) => part === null || (part !== main && !isKey(part)))) {
      warnings.push(`The security scheme "${names.join(' + ')}" is not supported.`)
      continue
    }
    return combine(main, parts as SchemePart[], warnings)
  }
  return { authentication: { type: 'none' }, fields: [], headers: {}, query: {}, warnings }
}

type SchemePart = { authentication: Authentication; fields: CredentialField[]; warnings?: string[] }
type Source = { sourceUrl?: string; trustedHosts?: readonly string[] }

const isKey = (part: SchemePart | null) => part?.authentication.type === 'apiKey'

function scopesOf(value: unknown): string[] {
  return listOf(value).map(String)
}

function operationSecurity({ root }: OpenApiDocument): unknown[] {
  return Object.values(objectOf(root['paths'])).flatMap((path) =>
    Object.values(objectOf(path)).flatMap((operation) => listOf(objectOf(operation)['security'])),
  )
}

/** Several at once: one is the authentication, further keys travel as headers or in the query of the application. */
function combine(main: SchemePart, parts: SchemePart[], warnings: string[]): Security {
  const headers: Security['headers'] = {}
  const query: Security['query'] = {}
  const fields = [...main.fields]
  for (const [index, part] of parts.entries()) {
    if (part === main || part.authentication.type !== 'apiKey') continue
    const shortName = `apiKey${index + 1}`
    const { name, in: place, value } = part.authentication
    const text = value.replace(/\{\w+\}/, `{${shortName}}`)
    fields.push(field(shortName, part.fields[0]?.DisplayName ?? name, 'password'))
    if (place === 'query') query[name] = text
    // Cookies share one header.
    else headers[name] = name === 'Cookie' && headers[name] ? `${headers[name]}; ${text}` : text
  }
  return {
    authentication: main.authentication,
    fields,
    headers,
    query,
    warnings: [...warnings, ...(main.warnings ?? [])],
  }
}

function readScheme(scheme: JsonMembers, scopes: string[], source: Source): SchemePart | null {
  const kind = `${textOf(scheme['type'])} ${textOf(scheme['scheme']).toLowerCase()}`.trim()
  if (kind === 'http basic') {
    return {
      authentication: { type: 'basic', username: '{username}', password: '{password}' },
      fields: [field('username', 'User name', 'text'), field('password', 'Password', 'password', false)],
    }
  }
  if (kind === 'http bearer' || kind === 'openIdConnect') {
    return readBearer()
  }
  if (kind === 'apiKey') return readApiKey(scheme)
  if (kind === 'oauth2') return readOAuth(objectOf(scheme['flows']), scopes, source)
  return scheme['type'] === 'http' ? readOtherScheme(textOf(scheme['scheme'])) : null
}

/** Such as `Authorization: Token …`. Those that need an exchange of messages cannot be done. */
function readOtherScheme(name: string): SchemePart | null {
  if (
    !/^[A-Za-z][A-Za-z0-9_-]*$/.test(name) ||
    /^(digest|negotiate|ntlm|mutual|hoba|vapid|dpop|scram|aws4)/i.test(name)
  ) {
    return null
  }
  const authentication = {
    type: 'apiKey' as const,
    in: 'header' as const,
    name: 'Authorization',
    value: `${name} {token}`,
  }
  return { authentication, fields: [field('token', `Token (${name})`, 'password')] }
}

function readBearer(): SchemePart {
  return { authentication: { type: 'bearer', token: '{token}' }, fields: [field('token', 'Token', 'password')] }
}

function readApiKey(scheme: JsonMembers): SchemePart | null {
  const name = textOf(scheme['name'])
  const place = textOf(scheme['in'])
  if (name === '' || /[{}]/.test(name)) return null
  const fields = [field('apiKey', name, 'password')]
  if (place === 'cookie') {
    return { authentication: { type: 'apiKey', in: 'header', name: 'Cookie', value: `${name}={apiKey}` }, fields }
  }
  if (place !== 'header' && place !== 'query') return null
  return { authentication: { type: 'apiKey', in: place, name, value: '{apiKey}' }, fields }
}

function readOAuth(flows: JsonMembers, wanted: string[], source: Source): SchemePart | null {
  const fields = [field('clientId', 'Client ID', 'text'), field('clientSecret', 'Client secret', 'password')]
  const client = { clientId: '{clientId}', clientSecret: '{clientSecret}', clientAuthentication: 'post' as const }
  const scopesFor = (flow: JsonMembers) =>
    (wanted.length > 0 ? wanted : Object.keys(objectOf(flow['scopes']))).slice(0, 100)
  const code = objectOf(flows['authorizationCode'])
  if (textOf(code['authorizationUrl']) && textOf(code['tokenUrl'])) {
    const authorization = readAddress('authorizationUrl', code['authorizationUrl'], source)
    const token = readAddress('tokenUrl', code['tokenUrl'], source)
    const addresses = { authorizationUrl: authorization.template, tokenUrl: token.template }
    return {
      authentication: { type: 'oauth2AuthorizationCode', ...addresses, ...client, scopes: scopesFor(code) },
      fields: [...authorization.fields, ...token.fields, ...fields],
      warnings: [...authorization.warnings, ...token.warnings],
    }
  }
  const credentials = objectOf(flows['clientCredentials'])
  // The other flows need a browser or a password of a person: whoever has a token by then can give it.
  if (!textOf(credentials['tokenUrl'])) return readBearer()
  const token = readAddress('tokenUrl', credentials['tokenUrl'], source)
  return {
    authentication: {
      type: 'oauth2ClientCredentials',
      tokenUrl: token.template,
      ...client,
      scopes: scopesFor(credentials),
    },
    fields: [...token.fields, ...fields],
    warnings: token.warnings,
  }
}

const addressNames = { authorizationUrl: 'Authorization address', tokenUrl: 'Token address' } as const

/**
 * Where the client secret goes, nobody but a person may say. A document that was fetched from an address only suggests it: whoever
 * registers the application enters it, unless whoever imports it has named its host as checked. A document that was handed in is
 * taken by its word, and the address is told.
 */
function readAddress(name: keyof typeof addressNames, value: unknown, { sourceUrl, trustedHosts }: Source) {
  const text = textOf(value)
  const url = sourceUrl === undefined ? URL.parse(text) : URL.parse(text, sourceUrl)
  const isWeb = url !== null && /^https?:$/.test(url.protocol) && !/[{}]/.test(url.href)
  const isChecked = sourceUrl === undefined || trustedHosts?.some((host) => host.toLowerCase() === url?.host)
  if (isWeb && isChecked) {
    const warnings = name === 'tokenUrl' ? [`The client secret is sent to ${url.href}.`] : []
    return { template: url.href, fields: [], warnings }
  }
  const suggestion = isWeb ? `The document names ${url.href}.` : 'The document names none that can be used.'
  const asked = {
    ...field(name, addressNames[name], 'url'),
    Description: cut(`${suggestion} Enter the address that the provider itself publishes.`, 4000),
  }
  const warning = `${addressNames[name]}: whoever registers the application enters it. ${suggestion}`
  return { template: `{${name}}`, fields: [asked], warnings: [warning] }
}
