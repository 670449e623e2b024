import { createHash } from 'node:crypto'
import { globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/**
 * Where the program of script processes lies. Node.js strips the types of sources whenever it loads them, and for these that takes nearly as long
 * as everything else a process does until it is ready. So `npm ci` strips them once, and processes start from that copy. A copy of other sources
 * than those that are here is not used.
 */

/** The guest and the protocol, which is all it may load. */
export const guestSources = dirname(import.meta.dirname)
/** Below node_modules, so that it finds isolated-vm. */
export const strippedGuest = fileURLToPath(new URL('../../../../node_modules/.patchbay/guest', import.meta.url))

export function listGuestSources(): string[] {
  return globSync(['guest/**/*.ts', 'protocol.ts'], { cwd: guestSources }).toSorted()
}

/** Over everything that the copy is made of. */
export function stampGuestSources(): string {
  const hash = createHash('sha256').update(process.version)
  for (const name of listGuestSources()) hash.update(name).update(readFileSync(join(guestSources, name)))
  return hash.digest('hex')
}

export function isFreshCopy(copy: string): boolean {
  try {
    return readFileSync(join(copy, 'stamp'), 'utf8') === stampGuestSources()
  } catch {
    return false
  }
}

export function findGuestProgram(copy = strippedGuest): string {
  const installed = fileURLToPath(new URL('../guest/main.ts', import.meta.url))
  // A packed program has no types to strip.
  return installed.endsWith('.ts') && isFreshCopy(copy) ? join(copy, 'guest/main.js') : installed
}
