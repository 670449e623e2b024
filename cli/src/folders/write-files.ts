import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'

/** A reader sees the old file or the new one, and a full disk leaves the old one. Equal content is not written. */
export function writeWhole(path: string, text: string | Uint8Array): boolean {
  return writeAll([[path, text]]) > 0
}

/** Returns how many files changed. Only when all of them are on the disk does any take its place. */
export function writeAll(files: readonly (readonly [path: string, text: string | Uint8Array])[]): number {
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
    writeFileSync(beside, text)
  } catch (error) {
    // Node names a file where it is opened, not where it is written.
    throw Object.assign(error as Error, { path })
  }
}

export function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}
