// Files in a directory: <directory>/<group>/<file>. The directory has an id, so that processes which do not share one know whose files are whose.
import { createWriteStream } from 'node:fs'
import { link, mkdir, open, readdir, readFile, rm, unlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { newId } from '../lib/id.ts'
import { type DiskSpace, floorOf, readDiskSpace } from '../storage/index.ts'
import { type FileStore, MissingFileError, storageFull } from './file-store.ts'

/** How much is written between two looks at the disk. */
const lookEveryBytes = 64 * 1024 * 1024
const bufferBytes = 512 * 1024

export async function openDirectoryStore(
  directory: string,
  diskSpace: () => Promise<DiskSpace> = () => readDiskSpace(directory),
): Promise<FileStore> {
  await mkdir(directory, { recursive: true, mode: 0o700 })
  const pathOf = (group: string, file: string) => join(directory, group, file)
  const requireSpace = async (moreBytes: number) => {
    const space = await diskSpace()
    if (space.freeBytes - moreBytes < floorOf(space)) throw storageFull()
  }
  return {
    id: await idOf(directory),
    requireSpace,
    create: async (group) => void (await mkdir(join(directory, group), { recursive: true, mode: 0o700 })),
    write: (group, file, bytes) => writeFileOf(pathOf(group, file), bytes, () => requireSpace(0)),
    settle: (group) => syncDirectories([join(directory, group), directory]),
    list: (group) => namesIn(join(directory, group)),
    read: (group, file) => readFileOf(pathOf(group, file)),
    remove: (group) => rm(join(directory, group), { recursive: true, force: true }),
  }
}

/** Of several processes that start at once on a new directory, one gives it its id: a link is made whole or not at all. */
async function idOf(directory: string): Promise<string> {
  const path = join(directory, 'storage-id')
  const draft = join(directory, `storage-id.${newId()}`)
  await writeFile(draft, newId(), { mode: 0o600, flush: true })
  await link(draft, path).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error
  })
  await unlink(draft)
  return (await readFile(path, 'utf8')).trim()
}

async function writeFileOf(path: string, bytes: AsyncIterable<Buffer>, look: () => Promise<void>): Promise<void> {
  async function* watched() {
    let written = 0
    for await (const chunk of bytes) {
      const before = Math.floor(written / lookEveryBytes)
      written += chunk.length
      if (Math.floor(written / lookEveryBytes) > before) await look()
      yield chunk
    }
  }
  const file = createWriteStream(path, { flags: 'wx', mode: 0o600, flush: true, highWaterMark: bufferBytes })
  try {
    await pipeline(watched(), file)
  } catch (error) {
    throw ['ENOSPC', 'EDQUOT'].includes((error as NodeJS.ErrnoException).code ?? '') ? storageFull(error) : error
  }
}

async function syncDirectories(directories: string[]): Promise<void> {
  for (const directory of directories) {
    await using handle = await open(directory)
    await handle.sync()
  }
}

async function namesIn(directory: string): Promise<string[]> {
  return readdir(directory).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return []
    throw error
  })
}

async function readFileOf(path: string): Promise<Readable> {
  const handle = await open(path).catch((error: NodeJS.ErrnoException) => {
    throw error.code === 'ENOENT' ? new MissingFileError('The file is not there.', { cause: error }) : error
  })
  return handle.createReadStream({ highWaterMark: bufferBytes })
}
