// Installations that a backup is restored into, as an operator makes them.
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { inject } from 'vitest'
import { backUp, restore, verify } from '../../src/backup-commands.ts'
import { readConfig } from '../../src/config.ts'
import { embeddedConnection, startEmbeddedServer } from '../../src/db/index.ts'
import { programEnvironment, programFile } from './program.ts'

const root = fileURLToPath(new URL('../../../', import.meta.url))

export type Installation = AsyncDisposable & {
  env: Record<string, string>
  dataDir: string
  /** Statements while no service runs on it, or beside one. */
  query<Row>(text: string, isRunning: boolean): Promise<Row[]>
}

/** Runs a command of the operator to its end. */
export function admin(args: string[], env: Record<string, string>): Promise<{ code: number; output: string }> {
  return new Promise((done) => {
    const options = { cwd: root, env: { ...programEnvironment, ...env } }
    execFile(process.execPath, [programFile('admin'), ...args], options, (error, stdout, stderr) =>
      done({ code: error === null ? 0 : Number(error.code ?? 1), output: stdout + stderr }),
    )
  })
}

const commands = { backup: backUp, restore, 'verify-backup': verify }

/** The same without a process of its own, which takes longer to start than the command to run. */
export async function adminHere(
  command: keyof typeof commands,
  file: string,
  env: Record<string, string>,
): Promise<{ code: number; output: string }> {
  const lines: string[] = []
  const code = await commands[command](readConfig(env, 'all'), file, (line) => void lines.push(line)).then(
    () => 0,
    (error: Error) => {
      lines.push(error.message)
      return 1
    },
  )
  return { code, output: lines.join('\n') }
}

export function emptyEmbedded(): Installation {
  const directory = mkdtempSync(join(tmpdir(), 'patchbay-restored-'))
  const dataDir = join(directory, 'data')
  return {
    env: { PATCHBAY_DATA_DIR: dataDir },
    dataDir,
    query: async <Row>(text: string, isRunning: boolean) => {
      await using _server = isRunning ? undefined : await startEmbeddedServer(dataDir, () => {})
      return await ask<Row>({ ...embeddedConnection(dataDir), user: 'postgres' }, text)
    },
    [Symbol.asyncDispose]: async () => rmSync(directory, { recursive: true, force: true }),
  }
}

export async function emptyOnServer(
  postgres: { host: string; port: number } = inject('postgres'),
): Promise<Installation> {
  const { host, port } = postgres
  const database = `restored_${process.pid}_${Math.random().toString(36).slice(2, 8)}`
  const server = { host, port, user: 'postgres', database: 'postgres' }
  await ask(server, `create database ${database}`)
  const dataDir = mkdtempSync(join(tmpdir(), 'patchbay-restored-'))
  return {
    env: {
      PATCHBAY_DATA_DIR: dataDir,
      PATCHBAY_DATABASE_URL: `postgres://postgres@localhost:${port}/${database}?host=${encodeURIComponent(host)}`,
    },
    dataDir,
    query: (text) => ask({ ...server, database }, text),
    [Symbol.asyncDispose]: async () => {
      await ask(server, `drop database ${database} with (force)`)
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

async function ask<Row>(connection: pg.ClientConfig, text: string): Promise<Row[]> {
  const client = new pg.Client({ ...connection, options: '-c search_path=patchbay' })
  await client.connect()
  try {
    return (await client.query(text)).rows as Row[]
  } finally {
    await client.end()
  }
}
