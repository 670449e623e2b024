// A stored secret goes only where it went before: else whoever may change an address could have the secret sent to himself.
import { type Application, expandText, fieldsIn, type TemplateValues } from '../application.ts'
import { type CredentialValues, invalidCredentials, withDefaults } from '../credentials/read-credentials.ts'

/** `kept`: secrets that the caller did not give, but left as they are. */
export function refuseNewHost(
  application: Application,
  kept: readonly string[],
  before: CredentialValues,
  after: CredentialValues,
): void {
  if (kept.length === 0) return
  const [from, to] = [withDefaults(application, before), withDefaults(application, after)]
  const moved = listAddresses(application).find((template) => leadsElsewhere(template, from, to))
  if (moved === undefined) return
  const fields = fieldsIn(moved).filter((name) => from[name] !== to[name])
  throw invalidCredentials(
    `The field ${fields.join(', ')} in credentialsJson changes where the credentials are sent. Enter the secret fields again: ${kept.join(', ')}.`,
  )
}

/** Templates of every address to which credentials may go. */
function listAddresses(application: Application): string[] {
  if (application.transport === 'smtp') return ['{host}']
  const hosts = (application.allowedHosts ?? []).map((entry) => (typeof entry === 'string' ? entry : entry.host))
  return [application.baseUrl ?? '', ...hosts, ...listUrls(application.authentication)]
}

function listUrls(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, item]) =>
    typeof item === 'string' ? (/url$/i.test(name) ? [item] : []) : listUrls(item),
  )
}

function leadsElsewhere(template: string, from: TemplateValues, to: TemplateValues): boolean {
  const [before, after] = [expandText(template, from).trim(), expandText(template, to).trim()]
  if (before === after) return false
  const [old, next] = [URL.parse(before), URL.parse(after)]
  if (!old || !next) return true
  return old.hostname !== next.hostname || (old.protocol === 'https:' && next.protocol !== 'https:')
}
