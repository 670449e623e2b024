// The tests look at what a newcomer gets: the built console. Nothing is done when it is there already.
import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

export function buildConsole(): void {
  execFileSync(process.execPath, [fileURLToPath(new URL('../../console/build.ts', import.meta.url))])
}
