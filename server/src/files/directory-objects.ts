// Objects in a directory that every process of the installation sees: <directory>/<folder>/<key>.
import { access, mkdir, open, readdir, readFile, rm, rmdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { StoreAwayError } from './file-store.ts'
import type { ObjectStore } from './object-store.ts'

const isMissing = (error: unknown) => (error as NodeJS.ErrnoException).code === 'ENOENT'

export function openDirectoryObjects(directory: string, folder: string): ObjectStore {
  const root = join(directory, folder)
  return {
    url: pathToFileURL(directory).href,
    put: (key, bytes) =>
      // A directory that has just become empty may be removed in the same moment.
      putFile(root, key, bytes).catch((error) => {
        if (!isMissing(error)) throw error
        return putFile(root, key, bytes)
      }),
    get: (key) =>
      readFile(join(root, key)).catch(async (error) => {
        if (!isMissing(error)) throw error
        await access(root).catch((cause) => {
          throw new StoreAwayError(`The directory ${root} is not on this machine.`, { cause })
        })
        return undefined
      }),
    list: async (after, count) => {
      const found: string[] = []
      for await (const key of keysIn(root, '', after)) if (found.push(key) === count) break
      return found
    },
    remove: async (keys) => {
      for (const key of keys) await rm(join(root, key), { force: true })
      for (const owner of new Set(keys.map(dirname))) {
        // The object's run, then its day.
        for (const path of [owner, dirname(owner)]) await rmdir(join(root, path)).catch(() => {})
      }
    },
  }
}

async function putFile(root: string, key: string, bytes: Buffer): Promise<void> {
  const path = join(root, key)
  const made = await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  // What a crash leaves half written has a name that nobody will ever refer to.
  await using file = await open(path, 'wx', 0o600)
  await file.writeFile(bytes)
  await file.sync()
  // Names are durable once the directories that hold them are.
  const last = made === undefined ? dirname(path) : dirname(made)
  for (let at = dirname(path); ; at = dirname(at)) {
    await using handle = await open(at)
    await handle.sync()
    if (at === last) return
  }
}

/** Depth first, by name, as a bucket lists them. */
async function* keysIn(root: string, path: string, after: string): AsyncGenerator<string> {
  const entries = await readdir(join(root, path), { withFileTypes: true }).catch((error) => {
    if (isMissing(error)) return []
    throw error
  })
  entries.sort((one, other) => (one.name < other.name ? -1 : 1))
  for (const entry of entries) {
    const key = path === '' ? entry.name : `${path}/${entry.name}`
    if (!entry.isDirectory()) {
      if (key > after) yield key
    } else if (`${key}/\uffff` > after) yield* keysIn(root, key, after)
  }
}
