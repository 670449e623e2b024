// Access denied in words. The service behind says only "no"; which permission its token carries says why.
import type { Denial } from '../connections/index.ts'
import { rolesOf } from './token-roles.ts'

const shortName = 'SHPT'
const readsEverySite = ['Sites.Read.All', 'Files.Read.All', 'Lists.Read.All']
const writesEverySite = [
  'Sites.ReadWrite.All',
  'Sites.Manage.All',
  'Sites.FullControl.All',
  'Files.ReadWrite.All',
  'Lists.ReadWrite.All',
]

/** Undefined for other applications, and where the answer itself is all that can be said. */
export function explainDenial(denial: Denial): string | undefined {
  if (denial.shortName.toUpperCase() !== shortName || denial.token === undefined) return undefined
  const app = `the app registration ${String(denial.values['clientId'] ?? '')}`
  const site = `${String(denial.values['host'] ?? '')}${String(denial.values['sitePath'] ?? '')}`
  const roles = rolesOf(denial.token)
  if (roles === undefined) {
    return `Access denied: either ${app} has no administrator consent, or it is not assigned to the site ${site} under Sites.Selected.`
  }
  if (roles.length === 0) return missingConsent(app)
  // A refused token that carries permissions has another fault, such as its tenant or its end; the answer tells which.
  if (denial.statusCode === 401) return undefined
  return missingAccess(app, site, roles, !['GET', 'HEAD', 'OPTIONS'].includes(denial.method))
}

function missingConsent(app: string): string {
  return (
    `Access denied: administrator consent is missing. The token of ${app} carries no application permission. ` +
    'Add Sites.Selected (or Sites.Read.All or Sites.ReadWrite.All) as an application permission there, grant administrator consent, ' +
    'and save the credentials of this connection again, because tokens issued earlier do not carry the permission.'
  )
}

function missingAccess(app: string, site: string, roles: readonly string[], isWrite: boolean): string | undefined {
  const given = roles.join(', ')
  if (roles.some((role) => writesEverySite.includes(role))) return undefined
  if (roles.some((role) => readsEverySite.includes(role))) {
    return isWrite
      ? `Access denied: ${app} may only read (${given}). Add Sites.ReadWrite.All, or Sites.Selected with the role write on the site, and grant administrator consent.`
      : undefined
  }
  if (roles.includes('Sites.Selected')) {
    const what = isWrite ? 'or only with the role read' : 'so it has no access to it'
    return (
      `Access denied: the site assignment is missing. ${upperFirst(app)} has administrator consent for Sites.Selected, ` +
      `but is not assigned to the site ${site}, ${what}. ` +
      `Assign it with the role ${isWrite ? 'write' : 'read or write'} through POST /api/DocumentLibraryGrant or as an administrator of the site.`
    )
  }
  return `Access denied: ${app} has consent for ${given}, and none of these gives access to sites. Add Sites.Selected, Sites.Read.All or Sites.ReadWrite.All and grant administrator consent.`
}

function upperFirst(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}
