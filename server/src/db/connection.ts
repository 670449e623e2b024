import type pg from 'pg'

export type ConnectionSettings = { connectionString: string } | { host: string; port: number; database: string }

export type ServiceRole = 'patchbay_app' | 'patchbay_system'

/** The embedded server trusts its socket, so the role itself signs in. Elsewhere the given user does, and steps down to the role. */
export function clientSettings(settings: ConnectionSettings, role: ServiceRole): pg.ClientConfig {
  const options = '-c search_path=patchbay -c lock_timeout=10s -c statement_timeout=60s'
  const target =
    'connectionString' in settings
      ? { connectionString: settings.connectionString, options: `-c role=${role} ${options}` }
      : { ...settings, user: role, options }
  return { ...target, application_name: role, connectionTimeoutMillis: 10_000 }
}
