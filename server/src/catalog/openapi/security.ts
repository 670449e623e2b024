import type { ApplicationFile, Authentication, CredentialField } from '../format/definition.ts'
import { isObject, type Json, listOf, type OpenApiDocument, objectOf, textOf } from './document.ts'

export type Security = {
  authentication: Authentication
  fields: CredentialField[]
  headers: NonNullable<ApplicationFile['headers']>
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
export function readSecurity(document: OpenApiDocument, sourceUrl: string | undefined): Security {
  const schemes = objectOf(objectOf(document.root['components'])['securitySchemes'])
  const alternatives = [...listOf(document.root['security']), ...operationSecurity(document)].filter(isObject)
  const warnings: string[] = []
  for (const alternative of [...alternatives, ...Object.keys(schemes).map((name) => ({ [name]: [] }))]) {
    const names = Object.keys(alternative)
    if (names.length === 0) continue
    const parts = names.map((name) =>
      readScheme(document.resolve(schemes[name]), scopesOf(alternative[name]), sourceUrl),
    )
    const main = parts.find((part) => part !== null && !isHeaderKey(part)) ?? parts[0]
    if (!main || parts.some((part) => part === null || (part !== main && !isHeaderKey(part)))) {
      warnings.push(`The security "${names.join(' + ')}" is not understood.`)
      continue
    }
    return combine(main, parts as SchemePart[], warnings)
  }
  return { authentication: { type: 'none' }, fields: [], headers: {}, warnings }
}

type SchemePart = { authentication: Authentication; fields: CredentialField[] }

const isHeaderKey = (part: SchemePart | null) =>
  part?.authentication.type === 'apiKey' && part.authentication.in === 'header'

function scopesOf(value: unknown): string[] {
  return listOf(value).map(String)
}

function operationSecurity({ root }: OpenApiDocument): unknown[] {
  return Object.values(objectOf(root['paths'])).flatMap((path) =>
    Object.values(objectOf(path)).flatMap((operation) => listOf(objectOf(operation)['security'])),
  )
}

/** Two keys at once: one is the authentication, further header keys travel as headers of the application. */
function combine(main: SchemePart, parts: SchemePart[], warnings: string[]): Security {
  const headers: Security['headers'] = {}
  const fields = [...main.fields]
  for (const [index, part] of parts.entries()) {
    if (part === main || part.authentication.type !== 'apiKey') continue
    const shortName = `apiKey${index + 1}`
    fields.push(field(shortName, part.authentication.name, 'password'))
    headers[part.authentication.name] = `{${shortName}}`
  }
  return { authentication: main.authentication, fields, headers, warnings }
}

function readScheme(scheme: Json, scopes: string[], sourceUrl: string | undefined): SchemePart | null {
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
  if (kind === 'oauth2') return readOAuth(objectOf(scheme['flows']), scopes, sourceUrl)
  return null
}

function readBearer(): SchemePart {
  return { authentication: { type: 'bearer', token: '{token}' }, fields: [field('token', 'Token', 'password')] }
}

function readApiKey(scheme: Json): SchemePart | null {
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

function readOAuth(flows: Json, wanted: string[], sourceUrl: string | undefined): SchemePart | null {
  const address = (value: unknown) => (sourceUrl ? URL.parse(textOf(value), sourceUrl) : URL.parse(textOf(value)))?.href
  const fields = [field('clientId', 'Client ID', 'text'), field('clientSecret', 'Client secret', 'password')]
  const client = { clientId: '{clientId}', clientSecret: '{clientSecret}', clientAuthentication: 'post' as const }
  const scopesFor = (flow: Json) => (wanted.length > 0 ? wanted : Object.keys(objectOf(flow['scopes']))).slice(0, 100)
  const code = objectOf(flows['authorizationCode'])
  const [authorizationUrl, codeTokenUrl] = [address(code['authorizationUrl']), address(code['tokenUrl'])]
  if (authorizationUrl && codeTokenUrl) {
    const authentication = { type: 'oauth2AuthorizationCode' as const, authorizationUrl, tokenUrl: codeTokenUrl }
    return { authentication: { ...authentication, ...client, scopes: scopesFor(code) }, fields }
  }
  const credentials = objectOf(flows['clientCredentials'])
  const tokenUrl = address(credentials['tokenUrl'])
  // The other flows need a browser or a password of a person: whoever has a token by then can give it.
  if (!tokenUrl) return readBearer()
  return {
    authentication: { type: 'oauth2ClientCredentials', tokenUrl, ...client, scopes: scopesFor(credentials) },
    fields,
  }
}
