// Fills an empty installation from a backup:
//
//   1. the file is read to its end once, before anything is touched: a wrong passphrase, damage and a missing end are found here
//   2. the database is looked at: it must be empty, and nobody may work on it
//   3. the tables are made as they were when the backup was written, and filled in one transaction, with the files beside it
//   4. the program's own migrations bring them up to date
//
// Whatever fails before the end of 3 leaves a database that is as empty as before, and may simply be tried again.
import type pg from 'pg'
import { applyMigrations, type ConnectionSettings, connectOwner, isDiskFull, unknownMigration } from '../db/index.ts'
import type { FileStore } from '../files/index.ts'
import { BackupError } from './backup-error.ts'
import { openBackupFile } from './backup-file.ts'
import type { Manifest } from './database-shape.ts'
import { makeEarlierJobs } from './earlier-jobs.ts'
import { loadTable, makePartitions, openTables, setSequences, shutTables } from './fill-tables.ts'
import { type BackupSummary, verifyBackup } from './read-backup.ts'
import { readSections } from './sections.ts'

export type RestoreDeps = {
  connection: ConnectionSettings
  passphrase: string | undefined
  /** Where files go; asked for once the tables are there. */
  openStore(): Promise<FileStore>
  /** Throws when the keys of the backup cannot be the keys here; called before anything is written. */
  checkMasterKeys(manifest: Manifest): void
  /** Called before the data becomes visible: data without its key would be lost. */
  keepMasterKeys(manifest: Manifest): void
  /** Brings the database up to this program. */
  migrate(): Promise<void>
}

/** Reads the file and says whether this program can restore it. */
export async function checkBackup(
  path: string,
  deps: Pick<RestoreDeps, 'passphrase' | 'checkMasterKeys'>,
): Promise<BackupSummary> {
  const summary = await verifyBackup(path, deps.passphrase)
  const unknown = unknownMigration(summary.manifest.migrations)
  if (unknown !== undefined) {
    throw new BackupError(
      `The backup was made by another version of Patchbay: ${unknown}. Restore it with that version or a newer one.`,
    )
  }
  deps.checkMasterKeys(summary.manifest)
  return summary
}

export async function restoreBackup(deps: RestoreDeps, path: string, { manifest }: BackupSummary): Promise<void> {
  const owner = await connectOwner(deps.connection, 'patchbay_restore')
  try {
    await requireEmpty(owner)
    await removeEmptyTables(owner)
    await applyMigrations(owner, manifest.migrations)
    await makeEarlierJobs(owner, manifest.tables)
    await fill(deps, owner, path, manifest)
    await owner.query('analyze')
  } finally {
    await owner.end()
  }
  await deps.migrate()
}

async function requireEmpty(owner: pg.Client): Promise<void> {
  const { rows: sessions } = await owner.query(
    `select from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid() and application_name like 'patchbay%'`,
  )
  if (sessions.length > 0)
    throw new BackupError('Patchbay is running on this database. Stop it, and restore into an empty installation.')
  const { rows } = await owner.query(`select to_regclass('patchbay.organizations') is not null as has_tables`)
  if (!rows[0].has_tables) return
  await owner.query('alter table patchbay.organizations no force row level security')
  const { rows: filled } = await owner.query('select from patchbay.organizations limit 1')
  await owner.query('alter table patchbay.organizations force row level security')
  if (filled.length > 0)
    throw new BackupError('This installation is not empty. Restore into an empty database or data directory.')
}

/** Tables without an organization hold nothing; they are made anew as the backup needs them. */
async function removeEmptyTables(owner: pg.Client): Promise<void> {
  const { rows } = await owner.query(`select to_regnamespace('patchbay') is not null as is_there`)
  if (!rows[0].is_there) return
  await owner.query('drop schema patchbay cascade')
  await owner.query('drop schema if exists pgboss cascade')
}

async function fill(deps: RestoreDeps, owner: pg.Client, path: string, manifest: Manifest): Promise<void> {
  const store = await deps.openStore()
  const touched = new Set<string>()
  try {
    await owner.query('begin')
    await makePartitions(owner, manifest.partitions)
    const opened = await openTables(owner)
    const { content } = await openBackupFile(path, deps.passphrase)
    const whole = new Set<string>()
    for await (const { head, data } of readSections(content)) {
      if (head.kind === 'table') await loadTable(owner, head, data)
      if (head.kind === 'file') {
        if (!touched.has(head.shareId)) await beginShare(store, touched, head.shareId)
        await store.write(head.shareId, head.fileId, data)
      }
      if (head.kind === 'share') {
        if (!touched.has(head.shareId)) await beginShare(store, touched, head.shareId)
        await store.settle(head.shareId)
        whole.add(head.shareId)
      }
    }
    await adoptShares(owner, store.id, manifest.storeIds, [...whole])
    await setSequences(owner, manifest.sequences)
    await shutTables(owner, opened)
    deps.keepMasterKeys(manifest)
    await owner.query('commit')
    for (const shareId of touched) if (!whole.has(shareId)) await store.remove(shareId)
  } catch (error) {
    await owner.query('rollback').catch(() => {})
    for (const shareId of touched) await store.remove(shareId).catch(() => {})
    throw explain(error)
  }
}

async function beginShare(store: FileStore, touched: Set<string>, shareId: string): Promise<void> {
  touched.add(shareId)
  // An attempt that was killed may have left something.
  await store.remove(shareId)
  await store.create(shareId)
}

/** Shares lie here now. Those whose files were gone when the backup was made are shut; uploads that were under way never end. */
async function adoptShares(owner: pg.Client, storeId: string, storeIds: string[], whole: string[]): Promise<void> {
  await owner.query("delete from shares where status in ('Uploading', 'Erased') and storage_id = any($1)", [storeIds])
  await owner.query('delete from shares where storage_id = any($1) and id <> all($2)', [storeIds, whole])
  await owner.query('update shares set storage_id = $1 where id = any($2)', [storeId, whole])
}

function explain(error: unknown): unknown {
  const { code = '' } = error as NodeJS.ErrnoException
  if (code === 'ENOSPC' || code === 'EDQUOT' || code === 'storage_full' || isDiskFull(error))
    return new BackupError('The disk is full: nothing was restored.', { cause: error })
  return error
}
