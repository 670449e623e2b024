// Where the files of shares lie: <data directory>/shares/<share>/<file>, encrypted. A data directory has an id, so that processes which do not
// share one know whose files are whose.
import { createWriteStream } from 'node:fs'
import { link, mkdir, open, readFile, rm, unlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { AppError } from '../lib/app-error.ts'
import { newId } from '../lib/id.ts'
import { deadBufferCollector } from '../lib/minor-gc.ts'
import { type DiskSpace, floorOf, readDiskSpace } from '../storage/index.ts'
import { decryptStream, encryptStream, type FilePlace } from './stream-cipher.ts'

export type ShareStorage = {
  readonly id: string
  readonly directory: string
  diskSpace(): Promise<DiskSpace>
}

/** How much is written between two looks at the disk. */
const lookEveryBytes = 64 * 1024 * 1024
const bufferBytes = 512 * 1024

export async function openStorage(dataDir: string): Promise<ShareStorage> {
  const directory = join(dataDir, 'shares')
  await mkdir(directory, { recursive: true, mode: 0o700 })
  return { id: await storageId(directory), directory, diskSpace: () => readDiskSpace(directory) }
}

/** Of several processes that start at once on a new directory, one gives it its id: a link is made whole or not at all. */
async function storageId(directory: string): Promise<string> {
  const path = join(directory, 'storage-id')
  const draft = join(directory, `storage-id.${newId()}`)
  await writeFile(draft, newId(), { mode: 0o600, flush: true })
  await link(draft, path).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error
  })
  await unlink(draft)
  return (await readFile(path, 'utf8')).trim()
}

/** Throws when `moreBytes` would leave too little. */
export async function requireSpace(storage: ShareStorage, moreBytes: number): Promise<void> {
  const space = await storage.diskSpace()
  if (space.freeBytes - moreBytes < floorOf(space)) throw storageFull()
}

export function storageFull(cause?: unknown): AppError {
  return new AppError('storage_full', 'The upload failed: the service has too little disk space left for it.', {
    cause,
  })
}

export async function createShareDirectory(storage: ShareStorage, shareId: string): Promise<void> {
  await mkdir(join(storage.directory, shareId), { mode: 0o700 })
}

/** Encrypts a stream to disk and returns its size. The bytes are on the disk, not only on their way, when this returns. */
export async function writeShareFile(
  storage: ShareStorage,
  source: AsyncIterable<Buffer>,
  dataKey: Buffer,
  place: FilePlace,
): Promise<number> {
  let bytes = 0
  const collect = deadBufferCollector()
  async function* counted() {
    for await (const chunk of source) {
      collect(chunk.length)
      const before = Math.floor(bytes / lookEveryBytes)
      bytes += chunk.length
      if (Math.floor(bytes / lookEveryBytes) > before) await requireSpace(storage, 0)
      yield chunk
    }
  }
  const file = createWriteStream(pathOf(storage, place), {
    flags: 'wx',
    mode: 0o600,
    flush: true,
    highWaterMark: bufferBytes,
  })
  try {
    await pipeline(encryptStream(counted(), dataKey, place), file)
  } catch (error) {
    throw ['ENOSPC', 'EDQUOT'].includes((error as NodeJS.ErrnoException).code ?? '') ? storageFull(error) : error
  }
  return bytes
}

/** Makes the names of the files durable, as writing them made their contents. */
export async function syncShareDirectory(storage: ShareStorage, shareId: string): Promise<void> {
  for (const directory of [join(storage.directory, shareId), storage.directory]) {
    await using handle = await open(directory)
    await handle.sync()
  }
}

/** Fails before the first byte when the file is not there, and at the first byte that is not genuine. */
export async function readShareFile(storage: ShareStorage, dataKey: Buffer, place: FilePlace): Promise<Readable> {
  const handle = await open(pathOf(storage, place))
  const file = handle.createReadStream({ highWaterMark: bufferBytes })
  const collect = deadBufferCollector()
  async function* decrypted() {
    for await (const chunk of decryptStream(file, dataKey, place)) {
      collect(chunk.length)
      yield chunk
    }
  }
  const plain = Readable.from(decrypted(), { objectMode: false, highWaterMark: bufferBytes })
  // A reader that goes away before it asked for a byte never starts the generator that would close the file.
  return plain.once('close', () => file.destroy())
}

/** Harmless when they are gone already. */
export async function removeShareFiles(storage: ShareStorage, shareId: string): Promise<void> {
  await rm(join(storage.directory, shareId), { recursive: true, force: true })
}

function pathOf(storage: ShareStorage, place: FilePlace): string {
  return join(storage.directory, place.shareId, place.fileId)
}
