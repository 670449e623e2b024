// One real PostgreSQL for the whole test run, with a migrated template database: every test file clones it and has a service of its own.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import type { TestProject } from 'vitest/node'
import { stripGuest } from '../../../build/strip-guest.ts'
import { migrateAndInstall } from '../../src/app.ts'
import { startEmbeddedServer } from '../../src/db/index.ts'
import { bundleProgram } from './bundle-program.ts'
import { bundleVariable } from './program.ts'

declare module 'vitest' {
  interface ProvidedContext {
    postgres: { host: string; port: number }
  }
}

export async function setup(project: TestProject): Promise<() => Promise<void>> {
  stripGuest()
  const [stopServer, program] = await Promise.all([startServer(project), bundleProgram()])
  process.env[bundleVariable] = program.directory
  return async () => {
    program[Symbol.dispose]()
    await stopServer()
  }
}

async function startServer(project: TestProject): Promise<() => Promise<void>> {
  const dataDir = mkdtempSync(join(tmpdir(), 'patchbay-test-'))
  // A service keeps some twenty connections, several files run at once, and some of them start many processes.
  const server = await startEmbeddedServer(dataDir, () => {}, { maxConnections: 400 })
  const admin = new pg.Client({ ...server.connection, user: 'postgres' })
  await admin.connect()
  // The data is thrown away with the run; what is tested here is not the disk.
  await admin.query('alter system set fsync = off')
  await admin.query('select pg_reload_conf()')
  await admin.query('create database patchbay_template')
  await migrateAndInstall({ ...server.connection, database: 'patchbay_template' })
  await admin.end()
  project.provide('postgres', { host: server.connection.host, port: server.connection.port })
  return async () => {
    await server[Symbol.asyncDispose]()
    rmSync(dataDir, { recursive: true, force: true })
  }
}
