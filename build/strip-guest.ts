// Run by `npm ci`: the program of script processes without its types, unless what is there was made from the same sources.
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { dirname, join } from 'node:path'
import {
  guestSources,
  isFreshCopy,
  listGuestSources,
  stampGuestSources,
  strippedGuest,
} from '../server/src/sandbox/walls/guest-program.ts'
import { fitPaths } from './compile.ts'

if (!isFreshCopy(strippedGuest)) {
  const building = `${strippedGuest}-${process.pid}`
  for (const name of listGuestSources()) {
    const target = join(building, name.replace(/\.ts$/, '.js'))
    mkdirSync(dirname(target), { recursive: true })
    const code = stripTypeScriptTypes(readFileSync(join(guestSources, name), 'utf8'))
    writeFileSync(target, fitPaths(code, target, building))
  }
  writeFileSync(join(building, 'package.json'), '{ "type": "module" }\n')
  writeFileSync(join(building, 'stamp'), stampGuestSources())
  rmSync(strippedGuest, { recursive: true, force: true })
  renameSync(building, strippedGuest)
}
