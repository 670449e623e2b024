import type pg from 'pg'
import { type ConnectionSettings, Hosts } from './connect/hosts.ts'
import { Session } from './connect/session.ts'

/** Any number of hosts may be named; the owner works on the one that takes writes. */
export async function openOwnerSession(settings: ConnectionSettings): Promise<Session> {
  const hosts = new Hosts(settings)
  return hosts.tryEach(async () => {
    const owner = new Session({ hosts, role: 'owner' })
    await owner.connect()
    return owner
  })
}

/** A session of whoever owns the tables, without limits of time. The caller ends it. */
export async function connectOwner(settings: ConnectionSettings, applicationName: string): Promise<pg.Client> {
  const client = await openOwnerSession(settings)
  await client.query("select set_config('application_name', $1, false)", [applicationName])
  await client.query('set idle_in_transaction_session_timeout = 0')
  await client.query('set statement_timeout = 0')
  // Text must mean the same wherever it is read again.
  await client.query("set datestyle = 'ISO, YMD'; set timezone = 'UTC'; set intervalstyle = 'postgres'")
  return client
}
