// One real PostgreSQL for the whole test run, with a migrated template database that services clone.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import type { TestProject } from 'vitest/node'
import { stripGuest } from '../../../build/strip-guest.ts'
import { startEmbeddedServer } from '../../src/db/index.ts'
import { isFreshCopy, strippedGuest } from '../../src/sandbox/walls/guest-program.ts'
import { placeCluster } from './prepared-cluster.ts'

declare module 'vitest' {
  interface ProvidedContext {
    postgres: { host: string; port: number }
  }
}

type Running = { postgres: { host: string; port: number } } & AsyncDisposable

/** Several projects of one run share the server. */
let running: Promise<Running> | undefined
let users = 0

export async function setup(project: TestProject): Promise<() => Promise<void>> {
  if (!isFreshCopy(strippedGuest)) stripGuest()
  users++
  running ??= startServer()
  const server = await running
  project.provide('postgres', server.postgres)
  return async () => {
    if (--users === 0) await server[Symbol.asyncDispose]()
  }
}

async function startServer(): Promise<Running> {
  const dataDir = mkdtempSync(join(tmpdir(), 'patchbay-test-'))
  await placeCluster(dataDir)
  // A service keeps some twenty connections, several files run at once, and some of them start many processes.
  const server = await startEmbeddedServer(dataDir, () => {}, { maxConnections: 400 })
  const admin = new pg.Client({ ...server.connection, user: 'postgres' })
  await admin.connect()
  // The data is thrown away with the run; what is tested here is not the disk.
  await admin.query('alter system set fsync = off')
  await admin.query('select pg_reload_conf()')
  await admin.end()
  return {
    postgres: { host: server.connection.host, port: server.connection.port },
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}
