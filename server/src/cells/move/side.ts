// One of the two cells, as the command works on it: with a session of the owner, which puts up and takes down the barrier, and steps down to the
// service's own role for everything that reads or writes rows.
import { setTimeout as wait } from 'node:timers/promises'
import type pg from 'pg'
import type { ContentStores } from '../../contents/index.ts'
import {
  type ConnectionSettings,
  connectOwner,
  type Database,
  isDeadlock,
  isLockTimeout,
  type Queryable,
  type Statement,
} from '../../db/index.ts'
import type { FileStores } from '../../files/index.ts'
import type { KeyRing } from '../../secrets/index.ts'

export type Side = {
  readonly cell: string
  readonly client: pg.Client
  readonly database: Database
  readonly keyRing: KeyRing
  readonly files: FileStores
  readonly contents: Pick<ContentStores, 'find'>
}

/** A session whose other end is gone is given up by the server within seconds, with the locks that it holds. */
export async function openSession(connection: ConnectionSettings): Promise<pg.Client> {
  const client = await connectOwner(connection, 'patchbay_move')
  await client.query(`set search_path = patchbay; set tcp_keepalives_idle = 5; set tcp_keepalives_interval = 2;
    set tcp_keepalives_count = 3; set client_connection_check_interval = '2s'; set patchbay.is_moving = 'yes'`)
  return client
}

/** For statements of other rooms. */
export function queryableOf(client: pg.Client): Queryable {
  return {
    query: async <Row>(statement: Statement) => {
      const { text, values } = statement.toQuery()
      const { rows, rowCount } = await client.query(text, values)
      return { rows: rows as Row[], rowCount: rowCount ?? 0 }
    },
  }
}

/**
 * In one transaction, as the service's own role. Without `isDurable` the wait for the disk is spared: what is lost with the server is done again, and
 * the next durable commit makes everything before it durable as well.
 */
export async function asService<Result>(
  client: pg.Client,
  work: () => Promise<Result>,
  isDurable = true,
): Promise<Result> {
  await client.query(
    `begin; set local synchronous_commit = ${isDurable ? 'on' : 'off'}; set local role patchbay_system`,
  )
  try {
    const result = await work()
    await client.query('commit')
    return result
  } catch (error) {
    await client.query('rollback').catch(() => {})
    throw error
  }
}

const lockMs = 500
const lockTries = 60

/**
 * Changes of tables wait for everybody who works on them, and everybody after waits behind: so they wait for a moment only, and try again.
 * Durable with the next durable commit.
 */
export async function changeTable(client: pg.Client, ...statements: string[]): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      const all = [
        'begin',
        `set local lock_timeout = ${lockMs}`,
        'set local synchronous_commit = off',
        ...statements,
        'commit',
      ]
      await client.query(all.join('; '))
      return
    } catch (error) {
      await client.query('rollback').catch(() => {})
      if (!(isLockTimeout(error) || isDeadlock(error)) || tries >= lockTries) throw error
      await wait(50 * Math.min(tries, 10))
    }
  }
}
