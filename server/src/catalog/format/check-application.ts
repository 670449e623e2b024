import { fieldsIn } from './address-template.ts'
import type { ApplicationFile, Authentication } from './definition.ts'

/** A place inside the file and what is wrong there. */
export type Finding = { path: (string | number)[]; message: string }

export function checkApplication(application: ApplicationFile): Finding[] {
  return [...checkTransport(application), ...checkFields(application), ...checkTemplates(application)]
}

function checkTransport({ transport = 'http', baseUrl, allowedHosts, authentication }: ApplicationFile): Finding[] {
  const found: Finding[] = []
  if (transport === 'http' && baseUrl === undefined) {
    found.push({ path: [], message: 'An application that is called over http needs "baseUrl".' })
  }
  if (transport !== 'http' && (baseUrl !== undefined || allowedHosts !== undefined || authentication.type !== 'none')) {
    found.push({
      path: ['transport'],
      message: `With transport "${transport}" there is no "baseUrl", no "allowedHosts" and no authentication.`,
    })
  }
  if (baseUrl !== undefined && !/^(https?:\/\/|\{[A-Za-z_])/.test(baseUrl)) {
    found.push({ path: ['baseUrl'], message: '"baseUrl" must start with http://, https:// or a field.' })
  }
  if (baseUrl?.endsWith('/')) found.push({ path: ['baseUrl'], message: '"baseUrl" must not end with a slash.' })
  return found
}

function checkFields({ credentialFields }: ApplicationFile): Finding[] {
  const found: Finding[] = []
  const seen = new Set<string>()
  for (const [index, field] of credentialFields.entries()) {
    const path = ['credentialFields', index]
    const key = field.ShortName.toLowerCase()
    if (seen.has(key)) found.push({ path, message: `The field "${field.ShortName}" is declared twice.` })
    seen.add(key)
    if ((field.Type === 'select') !== (field.Options !== undefined)) {
      found.push({ path, message: `"Options" are only allowed for a select field ("${field.ShortName}").` })
    }
    if (field.Default === undefined) continue
    const expected = field.Type === 'number' ? 'number' : field.Type === 'boolean' ? 'boolean' : 'string'
    if (typeof field.Default !== expected || (field.Options && !field.Options.includes(String(field.Default)))) {
      found.push({ path: [...path, 'Default'], message: `"Default" does not fit the type of "${field.ShortName}".` })
    }
  }
  return found
}

/** Every text that is a template, with its place and the special names that exist there. */
function* templatesOf(
  application: ApplicationFile,
): Generator<{ path: (string | number)[]; text: string; special: string[] }> {
  if (application.baseUrl !== undefined) yield { path: ['baseUrl'], text: application.baseUrl, special: [] }
  for (const [index, host] of (application.allowedHosts ?? []).entries()) {
    yield { path: ['allowedHosts', index], text: typeof host === 'string' ? host : host.host, special: [] }
  }
  for (const [name, text] of Object.entries(application.headers ?? {}))
    yield { path: ['headers', name], text, special: [] }
  for (const [name, text] of Object.entries(application.query ?? {})) yield { path: ['query', name], text, special: [] }
  if (application.testRequest) yield { path: ['testRequest', 'path'], text: application.testRequest.path, special: [] }
  yield* authenticationTemplates(application.authentication, ['authentication'], [])
}

function* authenticationTemplates(
  value: unknown,
  path: (string | number)[],
  special: string[],
): Generator<{ path: (string | number)[]; text: string; special: string[] }> {
  if (typeof value === 'string') yield { path, text: value, special }
  if (typeof value !== 'object' || value === null) return
  for (const [key, inner] of Object.entries(value)) {
    if (key === 'type' || key === 'tokenPath') continue
    const names = key === 'apply' ? ['$token'] : key === 'request' ? ['$expiresOn'] : special
    yield* authenticationTemplates(inner, [...path, Array.isArray(value) ? Number(key) : key], names)
  }
}

function checkTemplates(application: ApplicationFile): Finding[] {
  const declared = new Set(application.credentialFields.map((field) => field.ShortName))
  const found: Finding[] = []
  for (const { path, text, special } of templatesOf(application)) {
    for (const name of fieldsIn(text)) {
      if (declared.has(name) || special.includes(name)) continue
      found.push({ path, message: `"{${name}}" is not a declared credential field.` })
    }
  }
  return [...found, ...checkChoices(application.authentication, application)]
}

function checkChoices(authentication: Authentication, { credentialFields }: ApplicationFile): Finding[] {
  if (authentication.type !== 'byField') return []
  const field = credentialFields.find((candidate) => candidate.ShortName === authentication.field)
  const path = ['authentication', 'choices']
  if (field?.Type !== 'select') return [{ path, message: `"${authentication.field}" is not a select field.` }]
  const options = field.Options ?? []
  const missing = options.filter((option) => !Object.hasOwn(authentication.choices, option))
  const extra = Object.keys(authentication.choices).filter((choice) => !options.includes(choice))
  return [
    ...missing.map((option) => ({ path, message: `There is no authentication for the option "${option}".` })),
    ...extra.map((choice) => ({
      path: [...path, choice],
      message: `"${choice}" is not an option of "${field.ShortName}".`,
    })),
  ]
}
