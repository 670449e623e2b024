// The operator's backup, verify-backup and restore: Config -> the room `backup`.
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import {
  BackupError,
  type BackupSummary,
  checkBackup,
  type Manifest,
  restoreBackup,
  verifyBackup,
  writeBackup,
} from './backup/index.ts'
import { type Config, ConfigError } from './config.ts'
import { ContentStores } from './contents/index.ts'
import {
  type ConnectionSettings,
  Database,
  embeddedConnection,
  isEmbeddedServerUp,
  migrate,
  startEmbeddedServer,
} from './db/index.ts'
import { openStores } from './files/index.ts'
import { masterKeyIdOf, readMasterKeys, storeMasterKeys } from './secrets/index.ts'

type Say = (line: string) => void

const passphraseLengthMin = 12

export async function backUp(config: Config, file: string, say: Say): Promise<void> {
  const path = resolve(file)
  if (config.databaseUrl === undefined && !existsSync(`${config.dataDir}/postgres`))
    throw new ConfigError(`No installation found in ${config.dataDir}. Set PATCHBAY_DATA_DIR or PATCHBAY_DATABASE_URL.`)
  requireStrength(config.backupPassphrase)
  await using server = await reachDatabase(config, say)
  await using database = new Database(server.connection, () => {})
  const counts = await writeBackup(
    {
      connection: server.connection,
      files: await openStores(config.shareStorage, placeOf(config, database)),
      contents: await ContentStores.open({ database, settings: config.contents, onFault: () => {} }),
      masterKeys: config.backupPassphrase === undefined ? [] : keysAtHand(config),
      passphrase: config.backupPassphrase,
    },
    path,
  )
  say(`Backup written to ${path}: ${counts.tables} tables, ${counts.shares} shares, ${sizeOf(counts.bytes)} of data.`)
  if (counts.sharesElsewhere > 0)
    say(`Shares NOT included: ${counts.sharesElsewhere}. Their files are in the data directory of another machine.`)
  if (counts.sharesMissing > 0) say(`Shares NOT included: ${counts.sharesMissing}. Some of their files are missing.`)
  if (counts.contentsMissing > 0)
    say(`Contents of runs and webhook requests NOT included: ${counts.contentsMissing}. Their storage has lost them.`)
  say(
    config.backupPassphrase === undefined
      ? 'It is NOT encrypted, because PATCHBAY_BACKUP_PASSPHRASE is not set. Secrets in it stay sealed by the master key, which is not in the file: keep the key as well.'
      : 'It is encrypted, and holds the master key: this file and the passphrase are enough to restore it.',
  )
}

/** Whoever has the file can try passphrases for as long as they like. What an older backup was made with is read whatever its length. */
function requireStrength(passphrase: string | undefined): void {
  if (passphrase !== undefined && [...passphrase].length < passphraseLengthMin)
    throw new ConfigError(`PATCHBAY_BACKUP_PASSPHRASE must have at least ${passphraseLengthMin} characters.`)
}

export async function verify(config: Config, file: string, say: Say): Promise<void> {
  say(describe(await verifyBackup(resolve(file), config.backupPassphrase)))
}

export async function restore(config: Config, file: string, say: Say): Promise<void> {
  const path = resolve(file)
  const passphrase = config.backupPassphrase
  const checkMasterKeys = (manifest: Manifest) => checkKeys(config, manifest)
  const summary = await checkBackup(path, { passphrase, checkMasterKeys })
  await using server = await ownDatabase(config, say)
  const { connection } = server
  await using opened = new AsyncDisposableStack()
  await restoreBackup(
    {
      connection,
      passphrase,
      checkMasterKeys,
      openStore: async () => {
        const database = opened.use(new Database(connection, () => {}))
        return (await openStores(config.shareStorage, placeOf(config, database))).primary
      },
      keepMasterKeys: ({ masterKeys }) => {
        if (masterKeys && config.masterKey.kind === 'file') storeMasterKeys(config.masterKey.path, masterKeys)
      },
      migrate: async () => void (await migrate(connection)),
    },
    path,
    summary,
  )
  say(describe(summary))
  say(`Restored. Start the service: npm start.`)
  if (summary.manifest.masterKeys && config.masterKey.kind === 'file')
    say(`The master key is in ${config.masterKey.path}.`)
}

/** A running service's embedded server, or one of our own for as long as this takes. */
async function reachDatabase(config: Config, say: Say): Promise<AsyncDisposable & { connection: ConnectionSettings }> {
  if (config.databaseUrl === undefined && (await isEmbeddedServerUp(config.dataDir)))
    return { connection: embeddedConnection(config.dataDir), [Symbol.asyncDispose]: async () => {} }
  return ownDatabase(config, say)
}

async function ownDatabase(config: Config, say: Say): Promise<AsyncDisposable & { connection: ConnectionSettings }> {
  return config.databaseUrl === undefined
    ? startEmbeddedServer(config.dataDir, say)
    : { connection: { connectionString: config.databaseUrl }, [Symbol.asyncDispose]: async () => {} }
}

function placeOf(config: Config, database: Database) {
  return { dataDir: config.dataDir, database, isEmbedded: config.databaseUrl === undefined }
}

function keysAtHand(config: Config): { id: string; base64: string }[] {
  const source = config.masterKey
  if (source.kind === 'file' && !existsSync(source.path)) return []
  return readMasterKeys(source).map((bytes) => ({ id: masterKeyIdOf(bytes), base64: bytes.toString('base64') }))
}

/** Keys that are here must be those of the backup; where there are none, those in the backup will be written. */
function checkKeys(config: Config, { masterKeyIds, masterKeys }: Manifest): void {
  const here = keysAtHand(config)
  const missing = masterKeyIds.find((id) => !here.some((key) => key.id === id))
  if (missing === undefined) return
  if (here.length > 0) {
    const place = config.masterKey.kind === 'file' ? config.masterKey.path : 'PATCHBAY_MASTER_KEY'
    throw new BackupError(
      `The master key in ${place} is not the one the backup was made with (it needs the key ${missing}). ${masterKeys ? 'Remove it to use the key in the backup.' : 'Set PATCHBAY_MASTER_KEY_FILE to the key that the backup was made with.'}`,
    )
  }
  if (!masterKeys) {
    throw new BackupError(
      `The backup does not hold its master key, because it was made without a passphrase. Set PATCHBAY_MASTER_KEY or PATCHBAY_MASTER_KEY_FILE to the key ${missing}.`,
    )
  }
}

function describe({ header, manifest, end }: BackupSummary): string {
  const kind = header.openKey === undefined ? 'encrypted' : 'not encrypted'
  const newest = manifest.migrations.at(-1)?.name ?? 'none'
  return `Backup of ${header.createdAt} (${kind}): ${end.tables} tables, ${end.shares} shares, ${sizeOf(end.bytes)} of data, up to the migration ${newest}. Complete and undamaged.`
}

function sizeOf(bytes: number): string {
  const units = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB']
  const power = bytes === 0 ? 0 : Math.min(units.length - 1, Math.floor(Math.log2(bytes) / 10))
  return `${power === 0 ? bytes : (bytes / 1024 ** power).toFixed(1)} ${units[power]}`
}
