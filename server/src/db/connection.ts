import type pg from 'pg'

export type ConnectionSettings = { connectionString: string } | { host: string; port: number; database: string }

export type ServiceRole = 'patchbay_app' | 'patchbay_system'

/**
 * The system role looks things up by key. A plan that was prepared while a table was young would read it from end to end, and go on doing
 * so for a while after it has grown: the partition of a new day, for example.
 */
const planning = { patchbay_app: '', patchbay_system: ' -c enable_seqscan=off' } as const

/** The embedded server trusts its socket, so the role itself signs in. Elsewhere the given user does, and steps down to the role. */
export function clientSettings(settings: ConnectionSettings, role: ServiceRole): pg.ClientConfig {
  const options = `-c search_path=patchbay -c lock_timeout=10s -c statement_timeout=60s${planning[role]}`
  const target =
    'connectionString' in settings
      ? { connectionString: settings.connectionString, options: `-c role=${role} ${options}` }
      : { ...settings, user: role, options }
  return { ...target, application_name: role, connectionTimeoutMillis: 10_000 }
}
