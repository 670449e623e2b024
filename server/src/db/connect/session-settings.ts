import type pg from 'pg'
import type { ConnectionSettings } from './hosts.ts'

export type ServiceRole = 'patchbay_app' | 'patchbay_system'
/** The owner brings the schema up to date; the service itself never works as the owner. */
export type SessionRole = ServiceRole | 'owner'

const connectMsMax = 6000
const keepAliveAfterMs = 5000

const common = {
  search_path: 'patchbay',
  lock_timeout: '10s',
  statement_timeout: '60s',
  // Our statements touch few rows. Where a plan is costed high for another reason (a scan that cannot be avoided), compiling it would take
  // a processor a thousand times longer than running it.
  jit: 'off',
  // The server's side of a connection that went silent: what it holds is let go of, and no lock outlives its holder for long.
  idle_in_transaction_session_timeout: '15s',
  tcp_keepalives_idle: '5',
  tcp_keepalives_interval: '2',
  tcp_keepalives_count: '3',
  tcp_user_timeout: '10000',
}

/**
 * The system role looks things up by key. A plan that was prepared while a table was young would read it from end to end, and go on doing
 * so for a while after it has grown: the partition of a new day, for example.
 */
const planning = { patchbay_app: {}, patchbay_system: { enable_seqscan: 'off' } } as const

export function sessionSettings(role: ServiceRole): Record<string, string> {
  return { ...common, ...planning[role] }
}

/** The embedded server trusts its socket, so the role itself signs in. Elsewhere the given user does, and steps down to the role. */
export function clientConfig(host: ConnectionSettings, role: SessionRole): pg.ClientConfig {
  const connecting = {
    connectionTimeoutMillis: connectMsMax,
    keepAlive: true,
    keepAliveInitialDelayMillis: keepAliveAfterMs,
  }
  if (role === 'owner') {
    const target = 'connectionString' in host ? host : { ...host, user: 'postgres' }
    return { ...connecting, ...target, application_name: 'patchbay_migrations' }
  }
  const options = Object.entries(sessionSettings(role)).map(([name, value]) => `-c ${name}=${value}`)
  const target =
    'connectionString' in host
      ? { ...host, options: [`-c role=${role}`, ...options].join(' ') }
      : { ...host, user: role, options: options.join(' ') }
  return { ...connecting, ...target, application_name: role }
}
