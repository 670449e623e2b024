// A PostgreSQL that a test may kill: nobody else uses it.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startEmbeddedServer } from '../../src/db/index.ts'
import { placeCluster, templateDatabase } from './prepared-cluster.ts'
import type { Random } from './random.ts'

export type OwnDatabase = AsyncDisposable & {
  /** `template`: a database that has all migrations. */
  postgres: { host: string; port: number; template: string }
  /**
   * Kills the server, or one of its processes, which makes it throw out everybody and recover. Resolves when the server is there again or
   * about to be.
   */
  kill(random: Random): Promise<'server' | 'session'>
}

export async function startOwnDatabase(): Promise<OwnDatabase> {
  const dataDir = mkdtempSync(join(tmpdir(), 'patchbay-own-'))
  await placeCluster(dataDir)
  let server = await startEmbeddedServer(dataDir, () => {})
  const { host, port } = server.connection
  const serverPid = () => Number(readFileSync(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8').split('\n')[0])
  return {
    postgres: { host, port, template: templateDatabase },
    async kill(random) {
      const sessions = sessionsOf(serverPid())
      if (sessions.length > 0 && random.chance(0.5)) {
        process.kill(random.pick(sessions), 'SIGKILL')
        return 'session'
      }
      process.kill(serverPid(), 'SIGKILL')
      await server.died
      await server[Symbol.asyncDispose]()
      server = await startEmbeddedServer(dataDir, () => {})
      return 'server'
    },
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

/** Processes of the server that work for a client. */
function sessionsOf(server: number): number[] {
  return execFileSync('ps', ['-eo', 'pid=,ppid=,args='], { encoding: 'utf8' })
    .split('\n')
    .map((line) => line.trim().match(/^(\d+)\s+(\d+)\s+postgres: (?:patchbay_|postgres)/))
    .flatMap((match) => (match && Number(match[2]) === server ? [Number(match[1])] : []))
}
