import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { refuseLinks } from './refuse-links.ts'

/** A reader sees the old file or the new one, and a full disk leaves the old one. Equal content is not written. */
export function writeWhole(root: string, path: string, text: string | Uint8Array): boolean {
  return writeAll(root, [[path, text]]) > 0
}

/** Returns how many files changed. Only when all of them are on the disk does any take its place. Nothing below the root is a link. */
export function writeAll(root: string, files: readonly (readonly [path: string, text: string | Uint8Array])[]): number {
  for (const [path] of files) refuseLinks(root, path)
  const changed = files.filter(([path, text]) => !existsSync(path) || readFileSync(path, 'utf8') !== text)
  const beside = (path: string) => `${path}.${process.pid}.tmp`
  try {
    for (const [path, text] of changed) write(beside(path), path, text)
    for (const [path] of changed) renameSync(beside(path), path)
  } catch (error) {
    for (const [path] of changed) rmSync(beside(path), { force: true })
    throw error
  }
  return changed.length
}

function write(beside: string, path: string, text: string | Uint8Array): void {
  try {
    if (!existsSync(dirname(path))) mkdirSync(dirname(path), { recursive: true })
    // Not through a link that somebody put there.
    rmSync(beside, { force: true })
    writeFileSync(beside, text, { flag: 'wx' })
  } catch (error) {
    // Node names a file where it is opened, not where it is written.
    throw Object.assign(error as Error, { path })
  }
}

export function readIfThere(root: string, path: string): string | undefined {
  refuseLinks(root, path)
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}
