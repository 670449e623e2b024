// A real service on a database of its own, as tests use it.
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { pino } from 'pino'
import { inject } from 'vitest'
import { startApp } from '../../src/app.ts'
import { type Role, readConfig } from '../../src/config.ts'
import { Client, type Keys } from './client.ts'
import { templateDatabase } from './prepared-cluster.ts'
import { expectDeclared } from './refused-requests.ts'

export type TestService = AsyncDisposable & {
  baseUrl: string
  databaseUrl: string
  dataDir: string
  firstAccount: { organizationId: string; accountId: string; email: string; consumer: string; secretKey: string }
  /** Calls with the keys of the first account, which is a Manager. */
  manager: Client
  client(keys: Keys | undefined): Client
  /** Everything the service wrote to its log. */
  logText(): string
  /** A statement as the owner of the database, past row-level security. */
  asOwner(text: string, values?: unknown[]): Promise<Record<string, unknown>[]>
  /** A further process's worth of service on the same database. */
  startAnother(env?: Record<string, string>, role?: Role): Promise<TestService>
}

type Options = {
  env?: Record<string, string>
  role?: Role
  /**
   * Another server than the one that all tests share. `urlFor`: how the service is to address it. `template`: a database to begin with; without
   * one the service runs all migrations.
   */
  postgres?: Server & { urlFor?(database: string): string }
}

export async function startService(options: Options = {}): Promise<TestService> {
  const server: Server = options.postgres ?? { ...inject('postgres'), template: templateDatabase }
  const { host, port } = server
  const database = `test_${process.pid}_${Date.now().toString(36)}_${Math.random().toString(36).slice(2, 8)}`
  await onServer(server, `create database ${database}${server.template ? ` template ${server.template}` : ''}`)
  const databaseUrl =
    options.postgres?.urlFor?.(database) ??
    `postgres://postgres@localhost:${port}/${database}?host=${encodeURIComponent(host)}`
  const dataDir = mkdtempSync(join(tmpdir(), 'patchbay-service-'))
  const service = await startOn(databaseUrl, dataDir, options)
  return {
    ...service,
    async [Symbol.asyncDispose]() {
      try {
        await service[Symbol.asyncDispose]()
      } finally {
        rmSync(dataDir, { recursive: true, force: true })
        // A server with an address of its own making goes as a whole, and may be gone already.
        if (!options.postgres?.urlFor) await onServer(server, `drop database ${database} with (force)`)
      }
    },
  }
}

async function startOn(databaseUrl: string, dataDir: string, options: Options): Promise<TestService> {
  const lines: string[] = []
  const env = {
    PATCHBAY_PORT: '0',
    PATCHBAY_DATA_DIR: dataDir,
    PATCHBAY_DATABASE_URL: databaseUrl,
    PATCHBAY_LOG_LEVEL: 'debug',
    PATCHBAY_EGRESS_ALLOW: '127.0.0.0/8,::1',
    ...options.env,
  }
  const log = pino({ level: env.PATCHBAY_LOG_LEVEL }, { write: (line: string) => void lines.push(line) })
  const app = await startApp(readConfig(env, options.role ?? 'all'), log, (line) => void lines.push(line))
  // A machine that joins later has a data directory of its own, without this file.
  const ownFile = join(env.PATCHBAY_DATA_DIR, 'first-account.json')
  const firstAccount = JSON.parse(
    readFileSync(existsSync(ownFile) ? ownFile : join(dataDir, 'first-account.json'), 'utf8'),
  )
  const baseUrl = app.baseUrl ?? ''
  const client = (keys: Keys | undefined) => new Client(baseUrl, keys)
  return {
    baseUrl,
    databaseUrl,
    dataDir,
    firstAccount,
    manager: client(firstAccount),
    client,
    logText: () => lines.join('\n'),
    asOwner: async (text, values = []) => {
      const owner = new pg.Client({ connectionString: databaseUrl, options: '-c search_path=patchbay' })
      // A database that is killed meanwhile fails the query; that its connection ends is no news then.
      owner.on('error', () => {})
      await owner.connect()
      try {
        return (await owner.query(text, values)).rows
      } finally {
        await owner.end()
      }
    },
    startAnother: (more = {}, role = 'all') =>
      startOn(databaseUrl, dataDir, { env: { ...options.env, ...more }, role }),
    async [Symbol.asyncDispose]() {
      await app[Symbol.asyncDispose]()
      expectDeclared(lines)
    },
  }
}

type Server = { host: string; port: number; password?: string; template?: string }

async function onServer({ host, port, password }: Server, statement: string): Promise<void> {
  const client = new pg.Client({
    host,
    port,
    user: 'postgres',
    database: 'postgres',
    ...(password ? { password } : {}),
  })
  await client.connect()
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}
