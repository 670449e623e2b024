// The program of script processes without its types, as `npm ci` and the tests make it.
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { dirname, join } from 'node:path'
import {
  guestSources,
  isFreshCopy,
  listGuestSources,
  stampCopy,
  strippedGuest,
} from '../server/src/sandbox/walls/guest-program.ts'
import { fitPaths } from './compile.ts'

/** One that is the same already stays: a service that runs may be starting from it. */
export function stripGuest(copy = strippedGuest): void {
  const building = `${copy}-${process.pid}`
  const replaced = `${building}-replaced`
  try {
    writeCopy(building)
    if (isFreshCopy(copy) && readStamp(copy) === readStamp(building)) return
    moveIfThere(copy, replaced)
    renameSync(building, copy)
  } catch (error) {
    // Somebody else may have been faster.
    if (!isFreshCopy(copy)) throw error
  } finally {
    for (const left of [building, replaced]) rmSync(left, { recursive: true, force: true })
  }
}

function writeCopy(building: string): void {
  for (const name of listGuestSources()) {
    const target = join(building, name.replace(/\.ts$/, '.js'))
    mkdirSync(dirname(target), { recursive: true })
    const code = stripTypeScriptTypes(readFileSync(join(guestSources, name), 'utf8'))
    writeFileSync(target, fitPaths(code, target, building))
  }
  writeFileSync(join(building, 'package.json'), '{ "type": "module" }\n')
  writeFileSync(join(building, 'stamp'), stampCopy(building))
}

const readStamp = (copy: string) => readFileSync(join(copy, 'stamp'), 'utf8')

function moveIfThere(from: string, to: string): void {
  try {
    renameSync(from, to)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
}

if (import.meta.main) stripGuest()
