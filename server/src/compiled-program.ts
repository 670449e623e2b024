import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

/**
 * The service in a few files. Finding, reading and stripping some nine hundred modules takes half of a start, so `npm ci` puts them together once
 * (`build/bundle-program.ts`). A bundle of other sources than those that are here is not used: then Node.js runs the sources themselves.
 */

const root = fileURLToPath(new URL('../..', import.meta.url))
/** Below node_modules, so that it finds the packages that stay outside. */
export const bundlesFolder = join(root, 'node_modules/.patchbay/program')

export type Bundle = {
  /** Below the folder of bundles; a service that runs may load more of its own, so each has a name of its own. */
  folder: string
  /** What it was made from, relative to the repository. What else there is can only matter once one of these has changed. */
  files: string[]
  hash: string
}

/** Over where they lie too: the bundle names its sources by their address, so it serves only where it was made. */
export function hashFiles(files: readonly string[], place = root): string {
  const hash = createHash('sha256').update(`${place}\0`)
  for (const file of files) {
    const bytes = readFileSync(join(root, file))
    hash.update(`${file}\0${bytes.length}\0`).update(bytes)
  }
  return hash.digest('hex')
}

/** The address of the bundle, if there is one of the very sources that are here. A packed program has none: it has no types to strip. */
export function findBundle(folder = bundlesFolder): string | undefined {
  try {
    const bundle = JSON.parse(readFileSync(join(folder, 'current.json'), 'utf8')) as Bundle
    if (hashFiles(bundle.files) === bundle.hash) return pathToFileURL(join(folder, bundle.folder, 'run.js')).href
  } catch {
    // None was made, or what it was made from is not there any more.
  }
  return undefined
}
