// Forward-only migrations: numbered SQL files, each in a transaction, all under one lock, so that any number of processes may start at once.
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import pg from 'pg'
import type { ConnectionSettings } from './connection.ts'

export class MigrationError extends Error {
  override name = 'MigrationError'
}

type Migration = { name: string; text: string; checksum: string }

// Any constant will do; it only has to be ours.
const lockKey = 7_230_118_442

/** Brings the database up to this program and returns the names of what was applied. `then` runs under the same lock, as the owner. */
export async function migrate(
  settings: ConnectionSettings,
  then: (owner: pg.Client) => Promise<void>,
): Promise<string[]> {
  const owner = new pg.Client({
    ...('connectionString' in settings ? settings : { ...settings, user: 'postgres' }),
    application_name: 'patchbay_migrations',
  })
  await owner.connect()
  try {
    await owner.query('select pg_advisory_lock($1)', [lockKey])
    await owner.query('create schema if not exists patchbay')
    await owner.query('set search_path = patchbay')
    await owner.query(
      'create table if not exists migrations (name text primary key, checksum text not null, applied_at timestamptz not null default now())',
    )
    const applied = await applyMissing(owner)
    // Readiness asks for it.
    await owner.query('grant select on migrations to patchbay_system')
    await then(owner)
    return applied
  } finally {
    // Ending the session releases the lock.
    await owner.end()
  }
}

/** Makes an empty database what it was after these migrations, for data that was taken from one. The caller holds no transaction. */
export async function applyMigrations(owner: pg.Client, wanted: readonly { name: string; checksum: string }[]) {
  await owner.query('select pg_advisory_lock($1)', [lockKey])
  await owner.query('create schema if not exists patchbay')
  await owner.query('set search_path = patchbay')
  await owner.query(
    'create table if not exists migrations (name text primary key, checksum text not null, applied_at timestamptz not null default now())',
  )
  for (const { name } of wanted) await apply(owner, readMigrations().find((known) => known.name === name) as Migration)
  await owner.query('grant select on migrations to patchbay_system')
}

/** A sentence about the first of these migrations that this program does not have, or has in another form. */
export function unknownMigration(wanted: readonly { name: string; checksum: string }[]): string | undefined {
  for (const { name, checksum } of wanted) {
    const known = readMigrations().find((candidate) => candidate.name === name)
    if (!known) return `it has the migration ${name}, which this program does not know`
    if (known.checksum !== checksum) return `its migration ${name} is not the one of this program`
  }
  return undefined
}

/** Whether these are the migrations of this program, no more and no fewer. */
export function isUpToDate(applied: readonly string[]): boolean {
  const known = readMigrations().map(({ name }) => name)
  return known.length === applied.length && known.every((name) => applied.includes(name))
}

async function applyMissing(owner: pg.Client): Promise<string[]> {
  const known = readMigrations()
  const { rows } = await owner.query<{ name: string; checksum: string }>(
    'select name, checksum from migrations order by name',
  )
  for (const row of rows) {
    const migration = known.find((candidate) => candidate.name === row.name)
    if (!migration) {
      throw new MigrationError(
        `The database was made by a newer Patchbay (it has ${row.name}). Start that version, or restore a backup from before the upgrade.`,
      )
    }
    if (migration.checksum !== row.checksum) {
      throw new MigrationError(`The migration ${row.name} was changed after it had been applied to this database.`)
    }
  }
  const missing = known.filter((migration) => !rows.some((row) => row.name === migration.name))
  for (const migration of missing) await apply(owner, migration)
  return missing.map((migration) => migration.name)
}

async function apply(owner: pg.Client, migration: Migration): Promise<void> {
  try {
    await owner.query('begin')
    await owner.query("set local lock_timeout = '5s'")
    await owner.query(migration.text)
    await owner.query('insert into migrations (name, checksum) values ($1, $2)', [migration.name, migration.checksum])
    await owner.query('commit')
  } catch (cause) {
    await owner.query('rollback')
    throw new MigrationError(`The migration ${migration.name} failed: ${(cause as Error).message}`, { cause })
  }
}

let migrations: Migration[] | undefined

function readMigrations(): Migration[] {
  migrations ??= readFiles()
  return migrations
}

function readFiles(): Migration[] {
  const directory = new URL('./migrations/', import.meta.url)
  return readdirSync(directory)
    .filter((file) => file.endsWith('.sql'))
    .sort()
    .map((file) => {
      const text = readFileSync(new URL(file, directory), 'utf8')
      return { name: file.replace(/\.sql$/, ''), text, checksum: createHash('sha256').update(text).digest('hex') }
    })
}
