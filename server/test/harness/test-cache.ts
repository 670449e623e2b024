// What tests need and what takes long to make is kept below node_modules/.cache, named by the hash of what it was made from. Whoever needs
// something that is not there makes it; nothing has to be cleared by hand.
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, statSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = fileURLToPath(new URL('../../../', import.meta.url))
export const cacheFolder = join(root, 'node_modules/.cache/patchbay-tests')

/** Something unused for this long belongs to sources that nobody works on any more. */
const unusedMsMax = 3 * 86_400_000
const lockMsMax = 300_000

export function hashOf(parts: Iterable<string | Buffer>): string {
  const hash = createHash('sha256')
  for (const part of parts) hash.update(`${part.length}\0`).update(part)
  return hash.digest('hex').slice(0, 16)
}

/** The folder of this name, if it is complete. */
export function findKept(name: string): string | undefined {
  const folder = join(cacheFolder, name)
  if (!existsSync(folder)) return undefined
  utimesSync(folder, new Date(), new Date())
  return folder
}

/** A folder to make something in. It lies in the cache, so that `keep` only has to rename it. */
export function beginKept(name: string): string {
  mkdirSync(cacheFolder, { recursive: true })
  return mkdtempSync(join(cacheFolder, `.${name}-`))
}

/** Gives what was made its name. Somebody else may have been faster: theirs is as good. */
export function keep(made: string, name: string): string {
  const folder = join(cacheFolder, name)
  try {
    renameSync(made, folder)
  } catch (error) {
    if (!existsSync(folder)) throw error
    rmSync(made, { recursive: true, force: true })
  }
  removeUnused()
  return folder
}

/**
 * Makes something unless it is kept, in one process at a time: test processes that begin together need the same. Waits without letting anything else
 * happen, for callers that cannot wait otherwise.
 */
export function keepOnce(name: string, make: (folder: string) => void): string {
  const lock = join(cacheFolder, `.${name}.lock`)
  for (;;) {
    const kept = findKept(name)
    if (kept) return kept
    if (!takeLock(lock)) {
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 50)
      continue
    }
    try {
      const folder = beginKept(name)
      make(folder)
      return keep(folder, name)
    } finally {
      rmSync(lock, { recursive: true, force: true })
    }
  }
}

function takeLock(lock: string): boolean {
  mkdirSync(cacheFolder, { recursive: true })
  // Whoever was killed while it held the lock does not come back for it.
  const age = Date.now() - (statSync(lock, { throwIfNoEntry: false })?.mtimeMs ?? Date.now())
  if (age > lockMsMax) rmSync(lock, { recursive: true, force: true })
  try {
    mkdirSync(lock)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    return false
  }
}

function removeUnused(): void {
  for (const name of readdirSync(cacheFolder)) {
    const path = join(cacheFolder, name)
    const age = Date.now() - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Date.now())
    if (age > unusedMsMax) rmSync(path, { recursive: true, force: true })
  }
}
