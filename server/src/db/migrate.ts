// Forward-only migrations: numbered SQL files, each in a transaction, all under one lock, so that any number of processes may start at once.
import type pg from 'pg'
import type { ConnectionSettings } from './connect/hosts.ts'
import { type Migration, readMigrations } from './migration-files.ts'
import { openOwnerSession } from './owner.ts'
import { requireRoles } from './require-roles.ts'

export class MigrationError extends Error {
  override name = 'MigrationError'
}

// Any constant will do; it only has to be ours.
const lockKey = 7_230_118_442

/**
 * Brings the database up to this program and returns the names of what was applied. `signal` is aborted when the start is called off: what is not final by
 * then is rolled back.
 */
export async function migrate(settings: ConnectionSettings, signal?: AbortSignal): Promise<string[]> {
  const owner = await openOwnerSession(settings)
  const callOff = () => owner.destroy()
  signal?.addEventListener('abort', callOff)
  try {
    signal?.throwIfAborted()
    await owner.query('select pg_advisory_lock($1)', [lockKey])
    const applied = await applyMissing(owner)
    // Readiness asks for it.
    await owner.query('grant select on migrations to patchbay_system')
    return applied
  } catch (error) {
    signal?.throwIfAborted()
    throw error
  } finally {
    signal?.removeEventListener('abort', callOff)
    // Ending the session releases the lock, unless a pooler keeps it for others.
    await owner.query('select pg_advisory_unlock_all()').catch(() => {})
    await owner.end()
  }
}

/** Makes an empty database what it was after these migrations, for data that was taken from one. The caller holds no transaction. */
export async function applyMigrations(owner: pg.Client, wanted: readonly { name: string; checksum: string }[]) {
  await owner.query('select pg_advisory_lock($1)', [lockKey])
  await prepare(owner)
  await requireRoles(owner)
  for (const { name } of wanted) await apply(owner, readMigrations().find((known) => known.name === name) as Migration)
  await noteWhoMayStay(owner)
  await owner.query('grant select on migrations to patchbay_system')
}

/** A sentence about the first of these migrations that this program does not have, or has in another form. */
export function unknownMigration(wanted: readonly { name: string; checksum: string }[]): string | undefined {
  for (const { name, checksum } of wanted) {
    const known = readMigrations().find((candidate) => candidate.name === name)
    if (!known) return `it has the migration ${name}, which this program does not know`
    if (!known.checksums.includes(checksum)) return `its migration ${name} is not the one of this program`
  }
  return undefined
}

export function countMigrations(): number {
  return readMigrations().length
}

async function prepare(owner: pg.Client): Promise<void> {
  await owner.query('create schema if not exists patchbay')
  await owner.query('set search_path = patchbay')
  await owner.query(
    'create table if not exists migrations (name text primary key, checksum text not null, applied_at timestamptz not null default now())',
  )
}

/** The column is as old as the first migration that says so. */
async function noteWhoMayStay(owner: pg.Client): Promise<void> {
  const names = readMigrations().flatMap(({ name, olderMayStay }) => (olderMayStay ? [name] : []))
  const { rowCount } = await owner.query('select from migrations where name = $1', [names[0]])
  if (rowCount) await owner.query('update migrations set older_may_stay = true where name = any($1)', [names])
}

async function applyMissing(owner: pg.Client): Promise<string[]> {
  await prepare(owner)
  const known = readMigrations()
  const { rows } = await owner.query<{ name: string; checksum: string }>(
    'select name, checksum from migrations order by name',
  )
  const unknown = rows.filter((row) => !known.some(({ name }) => name === row.name))
  if (unknown.length > 0) throw new MigrationError(`${tooOld(unknown)} or restore a backup from before the upgrade.`)
  for (const { name, checksum } of rows) {
    if (!known.find((migration) => migration.name === name)?.checksums.includes(checksum))
      throw new MigrationError(`The migration ${name} was changed after it had been applied to this database.`)
  }
  const missing = known.filter((migration) => !rows.some((row) => row.name === migration.name))
  if (rows.length === 0) await requireRoles(owner)
  for (const migration of missing) await apply(owner, migration)
  if (missing.length > 0) await noteWhoMayStay(owner)
  return missing.map((migration) => migration.name)
}

async function apply(owner: pg.Client, migration: Migration): Promise<void> {
  try {
    await owner.query('begin')
    await owner.query("set local lock_timeout = '5s'")
    await owner.query(migration.text)
    await owner.query('insert into migrations (name, checksum) values ($1, $2)', [
      migration.name,
      migration.checksums[0],
    ])
    await owner.query('commit')
  } catch (cause) {
    await owner.query('rollback').catch(() => {})
    throw new MigrationError(`The migration ${migration.name} failed: ${(cause as Error).message}`, { cause })
  }
}

export type AppliedMigration = { name: string; mayStay: boolean }

/** `outdated`: newer processes changed the database in a way that this program cannot work with. */
export type MigrationVerdict = { kind: 'fits' } | { kind: 'outdated' | 'behind'; sentence: string }

/** What the migrations of the database mean for a process that runs. */
export function judgeMigrations(applied: readonly AppliedMigration[]): MigrationVerdict {
  const known = readMigrations()
  const unknown = applied.filter((one) => !known.some(({ name }) => name === one.name))
  const mustStop = unknown.filter(({ mayStay }) => !mayStay)
  if (mustStop.length > 0) return { kind: 'outdated', sentence: `${tooOld(mustStop)} and stop this one.` }
  const missing = known.filter(({ name }) => !applied.some((one) => one.name === name))
  if (missing.length === 0) return { kind: 'fits' }
  const names = missing.map(({ name }) => name).join(', ')
  return {
    kind: 'behind',
    sentence: `The database is older than this Patchbay: it lacks ${names}. Start this version again to bring it up to date.`,
  }
}

function tooOld(unknown: readonly { name: string }[]): string {
  const names = unknown.map(({ name }) => name).join(', ')
  return `This Patchbay is older than its database, which a newer Patchbay brought to ${names}. Start that version,`
}
