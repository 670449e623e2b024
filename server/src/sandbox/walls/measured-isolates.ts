// What the isolates of a script process reserve here, kept from one start of the service to the next. It is believed only as far as the first
// process proves it.
import { readFile, rename, writeFile } from 'node:fs/promises'
import { readVersions } from './requirements.ts'

/** Whatever it depends on, so far as it can be named. */
function keyOf(): string {
  const { node, isolatedVm } = readVersions()
  return `${process.arch} node ${node} isolated-vm ${isolatedVm}`
}

export async function readMeasured(file: string | undefined): Promise<number | undefined> {
  if (file === undefined) return undefined
  try {
    const bytes = (JSON.parse(await readFile(file, 'utf8')) as Record<string, unknown>)[keyOf()]
    return typeof bytes === 'number' && Number.isSafeInteger(bytes) && bytes > 0 ? bytes : undefined
  } catch {
    return undefined
  }
}

/** Several processes may start at once; each writes the same. A directory that cannot be written to costs a moment at the next start. */
export async function writeMeasured(file: string | undefined, bytes: number): Promise<void> {
  if (file === undefined) return
  const draft = `${file}.${process.pid}`
  try {
    await writeFile(draft, `${JSON.stringify({ [keyOf()]: bytes })}\n`)
    await rename(draft, file)
  } catch {
    // The next start measures again.
  }
}
