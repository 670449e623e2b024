import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { identityOf, isAlive } from '../../lib/process-alive.ts'

const NAME = /^patchbay-scripts-(\d+)-/

/** The empty directory that script processes stand in. Those that killed services left behind are cleared away. */
export async function makeWorkDirectory(): Promise<string> {
  const names = await readdir(tmpdir())
  const abandoned = names.filter((name) => {
    const [, pid] = NAME.exec(name) ?? []
    return pid !== undefined && !isAlive(identityOf(Number(pid)))
  })
  // One that another service clears at this moment, or that belongs to somebody else, is not worth a fault.
  await Promise.allSettled(abandoned.map((name) => rm(join(tmpdir(), name), { recursive: true, force: true })))
  return mkdtemp(join(tmpdir(), `patchbay-scripts-${process.pid}-`))
}
