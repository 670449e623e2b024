import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'

export type Migration = {
  name: string
  text: string
  /** Its own, then those of earlier forms that count as the same. */
  checksums: string[]
  /** Processes that do not know it go on working beside it. */
  olderMayStay: boolean
}

/** The first line of a file that older processes need not stop for. Every other file means that they must. */
const mayStayLine = '-- older processes: may stay'

/**
 * Files that were mended after somebody may have applied them: because they failed on some databases, or did not say who may stay. Where they did
 * not fail they did the same, so a database that had them in their earlier form is as good.
 */
const earlierForms: Record<string, string[]> = {
  // Failed for an owner that may not create roles, although both were there and granted.
  '0001_foundation': ['4d880b105ceff165f71664b9d5ea0b92944ff8f4c8e39366ca97933ae721b931'],
  // Did not say that older processes may stay.
  '0140_audit_retention': ['1de28321468f4aa6b4f7e1b1524a822c5b21b7ea8e9cb43c773631dd4977dc0a'],
}

let migrations: Migration[] | undefined

export function readMigrations(): Migration[] {
  migrations ??= readFiles()
  return migrations
}

function readFiles(): Migration[] {
  const directory = new URL('./migrations/', import.meta.url)
  return readdirSync(directory)
    .filter((file) => file.endsWith('.sql'))
    .sort()
    .map((file) => {
      const text = readFileSync(new URL(file, directory), 'utf8')
      const name = file.replace(/\.sql$/, '')
      const checksum = createHash('sha256').update(text).digest('hex')
      return {
        name,
        text,
        checksums: [checksum, ...(earlierForms[name] ?? [])],
        olderMayStay: text.startsWith(mayStayLine),
      }
    })
}
