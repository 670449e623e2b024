import { join } from 'node:path'
import type { Database } from '../db/index.ts'
import { floorOf, readDiskSpace } from '../storage/index.ts'
import { openDatabaseStore } from './database-store.ts'
import { openDirectoryStore } from './directory-store.ts'
import { type FileStore, storageFull } from './file-store.ts'
import type { S3Settings } from './s3-client.ts'
import { openS3Store } from './s3-store.ts'

export type StorageSettings =
  | { readonly kind: 'file'; readonly directory: string | undefined }
  | { readonly kind: 'database' }
  | ({ readonly kind: 's3' } & S3Settings)

export type FileStores = {
  /** Where new files go. */
  readonly primary: FileStore
  /** Every store that this process can reach: files from before the setting was changed stay where they are, and readable. */
  readonly all: readonly FileStore[]
  find(id: string): FileStore | undefined
}

export async function openStores(
  settings: StorageSettings,
  place: { dataDir: string; database: Pick<Database, 'system'>; isEmbedded: boolean },
): Promise<FileStores> {
  const local = await openDirectoryStore(
    (settings.kind === 'file' ? settings.directory : undefined) ?? join(place.dataDir, 'shares'),
  )
  const inDatabase = openDatabaseStore(place.database, (bytes) => requireDisk(place, bytes))
  const bucket = settings.kind === 's3' ? await openS3Store(settings) : undefined
  const all = bucket ? [bucket, local, inDatabase] : [local, inDatabase]
  return {
    primary: bucket ?? (settings.kind === 'database' ? inDatabase : local),
    all,
    find: (id) => all.find((store) => store.id === id),
  }
}

/** How much room a database server elsewhere has is not ours to know. */
async function requireDisk(place: { dataDir: string; isEmbedded: boolean }, moreBytes: number): Promise<void> {
  if (!place.isEmbedded) return
  const space = await readDiskSpace(place.dataDir)
  if (space.freeBytes - moreBytes < floorOf(space)) throw storageFull()
}
