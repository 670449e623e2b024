import { setFlagsFromString } from 'node:v8'
import ivm from 'isolated-vm'
import { makeIsolate } from './make-isolate.ts'
import { composeBootstrap } from './realm/compose-bootstrap.ts'

/**
 * Realms as the engine keeps them on paper: the library and the bootstrap have run in it, and every realm of an isolate that is made from it
 * begins where they ended. To run both again in each realm would take as long as several scripts.
 */

/** The name under which the bootstrap leaves its function; it removes it before a script runs. */
export const ATTACH = 'attach'

const bootstrapSource = composeBootstrap(ATTACH)

/** Organizations with functions of their own have a library each; a process serves few of them at a time. */
const SNAPSHOTS_MAX = 4

/** By the text of the library; the longest unused first. */
const snapshots = new Map<string, ivm.ExternalCopy<ArrayBuffer>>()

export function snapshotOf(library: string): ivm.ExternalCopy<ArrayBuffer> {
  const made = snapshots.get(library) ?? makeSnapshot(library)
  snapshots.delete(library)
  snapshots.set(library, made)
  if (snapshots.size > SNAPSHOTS_MAX) snapshots.delete(snapshots.keys().next().value as string)
  return made
}

function makeSnapshot(library: string): ivm.ExternalCopy<ArrayBuffer> {
  return makeIsolate(() =>
    ivm.Isolate.createSnapshot([
      { code: library, filename: 'patchbay-library' },
      { code: bootstrapSource, filename: 'patchbay-bootstrap' },
    ]),
  )
}

/**
 * Makes an isolate or a realm from one of these snapshots. Hash tables in them are sorted by the seed of this very process, while the engine
 * would sort them once more, as it has to with the snapshot that it is shipped with: a tenth of what a realm costs. For anything made from
 * that other snapshot this would be fatal, so it holds for one step at a time, and no other thread may start one meanwhile.
 */
export function fromSnapshot<T>(make: () => T): T {
  setFlagsFromString('--no-rehash-snapshot')
  try {
    return make()
  } finally {
    setFlagsFromString('--rehash-snapshot')
  }
}
