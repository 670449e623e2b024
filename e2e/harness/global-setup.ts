// The tests look at what a newcomer gets: the built console.
import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

export function setup(): void {
  execFileSync(process.execPath, [fileURLToPath(new URL('../../console/build.ts', import.meta.url))])
}
