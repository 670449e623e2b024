// What a folder remembers of each installation it was pulled from or pushed to: the id, the revision, and which block is which.
import { join } from 'node:path'
import { Failure } from '../failure.ts'
import { readIfThere, writeWhole } from './write-files.ts'

export type Known = {
  id: string
  revision: number
  /** Of the files as they were then. */
  digest: string
  blocks: Record<string, string>
}
type State = { installations: Record<string, Known> }
export type Place = { url: string; accountId: string }

const fileName = '.patchbay.json'

function read(folder: string): State {
  const path = join(folder, fileName)
  const text = readIfThere(folder, path)
  if (text === undefined) return { installations: {} }
  try {
    const { installations } = JSON.parse(text) as State
    if (typeof installations === 'object' && Object.values(installations).every(isSound)) return { installations }
  } catch {
    // Said below.
  }
  throw new Failure(`${path} is damaged. Delete it and pull the workflow again.`)
}

const nameOf = ({ url, accountId }: Place) => `${url} ${accountId}`

export function findKnown(folder: string, place: Place): Known | undefined {
  return read(folder).installations[nameOf(place)]
}

export function remember(folder: string, place: Place, known: Known): void {
  const { installations } = read(folder)
  const text = JSON.stringify({ installations: { ...installations, [nameOf(place)]: known } }, null, 2)
  writeWhole(folder, join(folder, fileName), `${text}\n`)
}

/** Keys name files, so one with a path in it would lead out of the folder. */
function isSound({ blocks }: Known): boolean {
  return typeof blocks === 'object' && Object.keys(blocks).every((key) => /^[^/\\]+$/.test(key))
}

/** Scripts that a pull wrote here, or a push read. */
export function writtenScripts(folder: string): Set<string> {
  const keys = Object.values(read(folder).installations).flatMap(({ blocks }) => Object.keys(blocks))
  return new Set(keys.map((key) => `blocks/${key}.js`))
}

/** Block keys by id, as comparing needs them. */
export function knownKeys(known: Known | undefined): Map<string, string> {
  return new Map(Object.entries(known?.blocks ?? {}).map(([key, id]) => [id, key]))
}
