import pg from 'pg'
import type { ConnectionSettings } from './connection.ts'

/** A session of whoever owns the tables, without limits of time. The caller ends it. */
export async function connectOwner(settings: ConnectionSettings, applicationName: string): Promise<pg.Client> {
  const client = new pg.Client({
    ...('connectionString' in settings ? settings : { ...settings, user: 'postgres' }),
    application_name: applicationName,
    connectionTimeoutMillis: 10_000,
  })
  // A connection that dies fails the statement under way; unheard, it would end the process as well.
  client.on('error', () => {})
  await client.connect()
  await client.query('set idle_in_transaction_session_timeout = 0')
  await client.query('set statement_timeout = 0')
  // Text must mean the same wherever it is read again.
  await client.query("set datestyle = 'ISO, YMD'; set timezone = 'UTC'; set intervalstyle = 'postgres'")
  return client
}
