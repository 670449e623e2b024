// One file, consistent while the service runs: every table in one snapshot, with the contents that its rows refer to, then the files of the
// shares in that snapshot. Files never change
// once their share is there; a share that is taken back meanwhile is left out, as if the backup had been made a moment later.
import { createWriteStream } from 'node:fs'
import { access, open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import type pg from 'pg'
import { type ContentStores, copyContents } from '../contents/index.ts'
import { type ConnectionSettings, connectOwner, copyOut, isNotInstalled, lockForBackup } from '../db/index.ts'
import { type FileStores, MissingFileError } from '../files/index.ts'
import { BackupError } from './backup-error.ts'
import { writeBackupFile } from './backup-file.ts'
import { type Manifest, readSequences, readShape, type Table } from './database-shape.ts'
import { writeData, writeHead } from './sections.ts'

export type BackupDeps = {
  connection: ConnectionSettings
  files: FileStores
  contents: Pick<ContentStores, 'find'>
  /** The master keys at hand, for a file that a passphrase seals. */
  masterKeys: { id: string; base64: string }[]
  passphrase: string | undefined
}

type Counts = {
  tables: number
  shares: number
  bytes: number
  sharesMissing: number
  sharesElsewhere: number
  contentsMissing: number
}

export async function writeBackup(deps: BackupDeps, path: string): Promise<Counts> {
  if (await exists(path)) throw new BackupError(`${path} already exists. Choose another name, or delete it first.`)
  const draft = `${path}.unfinished`
  const counts: Counts = { tables: 0, shares: 0, bytes: 0, sharesMissing: 0, sharesElsewhere: 0, contentsMissing: 0 }
  const client = await connectOwner(deps.connection, 'patchbay_backup')
  try {
    const target = createWriteStream(draft, { flags: 'w', mode: 0o600, flush: true, highWaterMark: 512 * 1024 })
    await writeBackupFile(target, deps.passphrase, contentOf(deps, client, counts))
    await rename(draft, path)
    await syncDirectory(dirname(path))
    return counts
  } catch (error) {
    await rm(draft, { force: true }).catch(() => {})
    throw explain(error, path)
  } finally {
    await client.end()
  }
}

async function* contentOf(deps: BackupDeps, client: pg.Client, counts: Counts): AsyncGenerator<Buffer> {
  await lockForBackup(client)
  // The owner may be no superuser, and then sees nothing of tables whose rows are guarded, his own or not.
  await client.query('set role patchbay_system')
  await client.query('begin isolation level repeatable read read only')
  const manifest = await readManifest(deps, client)
  yield writeHead({ kind: 'manifest', manifest })
  await client.query(`lock table ${manifest.tables.map(nameOf).join(', ')} in access share mode`)
  async function* counted(source: AsyncIterable<Buffer>) {
    for await (const chunk of source) {
      counts.bytes += chunk.length
      yield chunk
    }
  }
  for (const table of manifest.tables) {
    yield writeHead({ kind: 'table', ...table })
    const columns = table.columns.map((column) => client.escapeIdentifier(column)).join(', ')
    yield* writeData(counted(copyOut(client, `select ${columns} from ${nameOf(table)}`)))
    if (table.name === 'kept_contents') yield* writeData(counted(contentsOf(deps, client, counts)))
    counts.tables++
  }
  yield* sharesOf(deps, client, counts, counted)
  await client.query('commit')
  yield writeHead({ kind: 'end', tables: counts.tables, shares: counts.shares, bytes: counts.bytes })
}

/** Contents that lie in a storage are rows of this table in the backup, and where it is restored. */
function contentsOf(deps: BackupDeps, client: pg.Client, counts: Counts): AsyncIterable<Buffer> {
  return copyContents(client, {
    stores: deps.contents,
    rowsOf: () => 'true',
    onMissing: () => {
      counts.contentsMissing++
    },
  })
}

async function readManifest(deps: BackupDeps, client: pg.Client): Promise<Manifest> {
  const shape = await readShape(client)
  const manifest: Manifest = {
    ...shape,
    sequences: await readSequences(client),
    storeIds: deps.files.all.map(({ id }) => id),
  }
  if (deps.passphrase === undefined) return manifest
  const missing = shape.masterKeyIds.find((id) => !deps.masterKeys.some((key) => key.id === id))
  if (missing !== undefined) {
    throw new BackupError(
      `The master key does not belong to this database, which needs the key ${missing}. Set PATCHBAY_MASTER_KEY or PATCHBAY_MASTER_KEY_FILE to the same value as the service.`,
    )
  }
  const masterKeys = deps.masterKeys.filter(({ id }) => shape.masterKeyIds.includes(id)).map(({ base64 }) => base64)
  return { ...manifest, masterKeys }
}

type ShareRow = { id: string; storage_id: string }

async function* sharesOf(
  deps: BackupDeps,
  client: pg.Client,
  counts: Counts,
  counted: (source: AsyncIterable<Buffer>) => AsyncIterable<Buffer>,
): AsyncGenerator<Buffer> {
  const { rows } = await client.query<ShareRow>(
    `select id, storage_id from patchbay.shares where status in ('Ready', 'Locked') order by id`,
  )
  // Beside the snapshot, to see what has become of a share since.
  const beside = await connectOwner(deps.connection, 'patchbay_backup')
  await beside.query('set role patchbay_system')
  try {
    for (const { id, storage_id } of rows) {
      const store = deps.files.find(storage_id)
      if (!store) {
        counts.sharesElsewhere++
        continue
      }
      let isWhole = true
      for (const fileId of await store.list(id)) {
        const file = await store.read(id, fileId).catch((error: Error) => {
          if (error instanceof MissingFileError) return undefined
          throw error
        })
        isWhole &&= file !== undefined
        if (!file) continue
        yield writeHead({ kind: 'file', shareId: id, fileId })
        yield* writeData(counted(file as AsyncIterable<Buffer>))
      }
      const { rows: now } = await beside.query(
        `select from patchbay.shares where id = $1 and status in ('Ready', 'Locked')`,
        [id],
      )
      if (now.length === 0) continue
      if (isWhole) {
        counts.shares++
        yield writeHead({ kind: 'share', shareId: id })
      } else counts.sharesMissing++
    }
  } finally {
    await beside.end()
  }
}

export function nameOf({ schema, name }: Pick<Table, 'schema' | 'name'>): string {
  return `"${schema}"."${name}"`
}

function explain(error: unknown, path: string): unknown {
  const { code = '', message } = error as NodeJS.ErrnoException
  if (code === 'ENOSPC' || code === 'EDQUOT') return new BackupError(`The disk is full: ${path} was not written.`)
  const isOurs = 'path' in (error as object) || code === 'EFBIG'
  if (isOurs && ['ENOENT', 'EACCES', 'EROFS', 'ENOTDIR', 'EISDIR', 'EPERM', 'EFBIG'].includes(code))
    return new BackupError(`The backup cannot be written: ${message}.`)
  if (isNotInstalled(error)) return new BackupError('This database holds no installation. There is nothing to back up.')
  return error
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  )
}

async function syncDirectory(directory: string): Promise<void> {
  await using handle = await open(directory)
  await handle.sync()
}
