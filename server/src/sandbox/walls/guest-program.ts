import { createHash } from 'node:crypto'
import { globSync, readFileSync, realpathSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/**
 * Where the program of script processes lies. Node.js strips the types of sources whenever it loads them, and for these that takes nearly as long
 * as everything else a process does until it is ready. So `npm ci` strips them once, and processes start from that copy. A copy of other sources
 * than those that are here, for another Node.js, or changed since it was made is not used.
 */

/** Where the sources of the guest and of the protocol lie, which is all that it loads. */
export const guestSources = dirname(import.meta.dirname)
/** Below node_modules, so that it finds isolated-vm. */
export const strippedGuest = fileURLToPath(new URL('../../../../node_modules/.patchbay/guest', import.meta.url))

export function listGuestSources(): string[] {
  return globSync(['guest/**/*.ts', 'protocol.ts'], { cwd: guestSources }).toSorted()
}

/** Over what the copy is made of, and over what it is. */
export function stampCopy(copy: string): string {
  const hash = createHash('sha256').update(process.version)
  const add = (folder: string, name: string) => {
    const bytes = readFileSync(join(folder, name))
    hash.update(`\0${name}\0${bytes.length}\0`).update(bytes)
  }
  for (const name of listGuestSources()) add(guestSources, name)
  for (const name of globSync(['**/*.js', 'package.json'], { cwd: copy }).toSorted()) add(copy, name)
  return hash.digest('hex')
}

export function isFreshCopy(copy: string): boolean {
  try {
    return readFileSync(join(copy, 'stamp'), 'utf8') === stampCopy(copy)
  } catch {
    return false
  }
}

export function findGuestProgram(copy = strippedGuest): string {
  const installed = fileURLToPath(new URL('../guest/main.ts', import.meta.url))
  // A packed program has no types to strip.
  if (!installed.endsWith('.ts') || !isFreshCopy(copy)) return installed
  // The real path: it is what a script process may read, and node_modules may be a link.
  return realpathSync(join(copy, 'guest/main.js'))
}
