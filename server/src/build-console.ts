// `npm ci` builds the console. Where that was skipped, or the sources are newer, it is built at the start, in a process of its own.
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const program = fileURLToPath(new URL('../../console/build.ts', import.meta.url))

/** Nobody waits for it: until it is done, the console's address says that it is being built. */
export function buildConsole(say: (line: string) => void): void {
  // A packed installation brings the built console and no sources.
  if (!existsSync(program)) return
  execFile(process.execPath, [program], (error, stdout, stderr) => {
    if (stdout.trim() !== '') say(stdout.trim())
    if (error) say(`The console could not be built; the API is not affected. Run "npm ci".\n${stderr.trim()}`)
  }).unref()
}
