import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'

/** A reader sees the old file or the new one, and a full disk leaves the old one. Equal content is not written. */
export function writeWhole(path: string, text: string | Uint8Array): boolean {
  if (readIfThere(path) === text) return false
  mkdirSync(dirname(path), { recursive: true })
  const written = `${path}.${process.pid}.tmp`
  try {
    writeFileSync(written, text)
    renameSync(written, path)
  } finally {
    rmSync(written, { force: true })
  }
  return true
}

export function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}
