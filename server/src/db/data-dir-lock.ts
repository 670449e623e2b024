// One service per data directory. The lock names its holder; a holder that is gone (kill -9, power cut) does not keep it.
import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { identityOf, isAlive, type ProcessIdentity } from '../lib/process-alive.ts'

export class DataDirInUseError extends Error {
  override name = 'DataDirInUseError'
}

export function lockDataDir(dataDir: string): Disposable {
  const path = join(dataDir, 'patchbay.lock')
  const mine = JSON.stringify(identityOf(process.pid))
  for (let attempt = 0; attempt < 5; attempt++) {
    if (take(path, mine)) return { [Symbol.dispose]: () => releaseIfMine(path, mine) }
    const found = readLock(path)
    if (found === undefined) continue
    const holder = parseHolder(found)
    if (holder && isAlive(holder)) {
      throw new DataDirInUseError(
        `The data directory ${dataDir} is in use by another Patchbay (process ${holder.pid}). Stop it first, or set PATCHBAY_DATA_DIR to another directory.`,
      )
    }
    setAside(path, found)
  }
  throw new DataDirInUseError(`The data directory ${dataDir} is being claimed by another Patchbay that is starting.`)
}

/** Written whole beside it and then linked, so that nobody ever reads half a lock and takes it for a dead one. */
function take(path: string, mine: string): boolean {
  const draft = `${path}.${process.pid}.draft`
  writeFileSync(draft, mine, { mode: 0o600 })
  try {
    linkSync(draft, path)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    return false
  } finally {
    rmSync(draft, { force: true })
  }
}

function readLock(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}

function parseHolder(text: string): ProcessIdentity | undefined {
  try {
    return JSON.parse(text) as ProcessIdentity
  } catch {
    return undefined
  }
}

/** Moves a dead holder's lock away. If somebody else replaced it meanwhile, that new lock is put back. */
function setAside(path: string, dead: string): void {
  const aside = `${path}.${process.pid}`
  try {
    renameSync(path, aside)
    if (readLock(aside) !== dead) linkSync(aside, path)
    rmSync(aside, { force: true })
  } catch {
    // Another starter moved it first; the loop looks again.
  }
}

function releaseIfMine(path: string, mine: string): void {
  if (readLock(path) === mine) rmSync(path, { force: true })
}
