import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Context } from '../context.ts'
import { Failure, wrongUse } from '../failure.ts'

/** Beside this file in the package as in the repository; compiled there, sources here. */
export function serviceProgram(name: string): string {
  const found = ['js', 'ts']
    .map((ending) => fileURLToPath(new URL(`../../../server/src/${name}.${ending}`, import.meta.url)))
    .find((path) => existsSync(path))
  if (!found) throw new Failure('The service is not part of this installation. Install the package "patchbay".')
  return found
}

/** The service runs as a process of its own, in this folder and with this environment, and ends as it ends. */
export async function start(context: Context, _: object, role?: string): Promise<0 | 1> {
  if (role !== undefined && role !== 'api' && role !== 'worker')
    throw wrongUse(`Unknown role "${role}": give api or worker, or nothing for both.`)
  const child = spawn(process.execPath, [serviceProgram('main'), ...(role ? [role] : [])], {
    stdio: 'inherit',
    cwd: context.cwd,
  })
  // A terminal sends Ctrl-C to both, others to this process alone. The service takes the same wish twice for one.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill(signal))
  const code = await new Promise<number | null>((done, fail) => {
    child.on('error', fail)
    child.on('exit', done)
  })
  return code === 0 ? 0 : 1
}
