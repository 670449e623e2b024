/**
 * The application permissions that an app-only token carries; undefined when the token cannot be read. The signature is
 * not looked at: the token came from its issuer a moment ago, and nothing is decided by this but which sentence is shown.
 */
export function rolesOf(token: string): string[] | undefined {
  const [, payload] = token.split('.')
  if (payload === undefined) return undefined
  try {
    const claims: unknown = JSON.parse(Buffer.from(payload, 'base64url').toString())
    if (typeof claims !== 'object' || claims === null) return undefined
    const roles = 'roles' in claims ? claims.roles : []
    return Array.isArray(roles) ? roles.filter((role) => typeof role === 'string') : undefined
  } catch {
    return undefined
  }
}
