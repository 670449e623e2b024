// Cells as an operator runs them: each a database, an API and a worker in processes of their own.
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { expect } from 'vitest'
import { listAccounts } from '../../src/cells/move/check.ts'
import { listTables } from '../../src/cells/move/tables.ts'
import { Client, type Keys } from './client.ts'
import { freePort } from './free-port.ts'
import { type Program, startProgram } from './program.ts'
import { admin, emptyOnServer, type Installation } from './restored.ts'

/** What all cells of an installation have in common. */
export const sharedSettings = () => ({
  PATCHBAY_MASTER_KEY: randomBytes(32).toString('base64'),
  PATCHBAY_SYSTEM_KEY_SEED: randomBytes(32).toString('base64'),
  PATCHBAY_LOG_LEVEL: 'error',
})

export type Cell = AsyncDisposable & {
  name: string
  place: Installation
  env: Record<string, string>
  /** Settings as a file, for commands that take those of another cell. */
  settingsFile: string
  baseUrl: string
  client(keys: Keys): Client
  start(role: 'api' | 'worker'): Promise<Program>
}

export type NewOrganization = { organizationId: string; accountId: string; consumer: string; secretKey: string }

export async function makeCell(
  name: string,
  settings: Record<string, string>,
  makePlace: () => Promise<Installation> = emptyOnServer,
): Promise<Cell> {
  const place = await makePlace()
  const port = await freePort()
  const baseUrl = `http://127.0.0.1:${port}`
  const env = {
    ...place.env,
    PATCHBAY_BASE_URL: baseUrl,
    ...settings,
    PATCHBAY_CELL: name,
    PATCHBAY_PORT: String(port),
  }
  const directory = mkdtempSync(join(tmpdir(), 'patchbay-cell-'))
  const settingsFile = join(directory, `${name}.env`)
  writeFileSync(
    settingsFile,
    Object.entries(env)
      .map(([key, value]) => `${key}="${value}"\n`)
      .join(''),
  )
  const programs: Program[] = []
  return {
    name,
    place,
    env,
    settingsFile,
    baseUrl,
    client: (keys) => new Client(baseUrl, keys),
    start: async (role) => {
      const program = startProgram('main', [role], env)
      programs.push(program)
      await program.saw(role === 'api' ? /Patchbay is ready/ : /worker is ready/)
      return program
    },
    [Symbol.asyncDispose]: async () => {
      await Promise.all(programs.map((program) => program[Symbol.asyncDispose]()))
      await place[Symbol.asyncDispose]()
      rmSync(directory, { recursive: true, force: true })
    },
  }
}

export async function createOrganizationIn(cell: Cell, name: string, email: string): Promise<NewOrganization> {
  const made = await admin(['create-organization', '--name', name, '--email', email], cell.env)
  expect(made.code, made.output).toBe(0)
  return JSON.parse(made.output.slice(made.output.indexOf('{'), made.output.lastIndexOf('}') + 1))
}

export function move(from: Cell, to: Cell, organization: string, ...more: string[]) {
  return admin(['move-organization', '--organization', organization, '--to', to.settingsFile, ...more], from.env)
}

/** Every row of the organization in every table, without the numbers that each database gives itself. */
export async function contentOf({ env }: Cell, organizationId: string): Promise<Record<string, unknown[]>> {
  const client = new pg.Client({
    connectionString: env['PATCHBAY_DATABASE_URL'] as string,
    options: '-c search_path=patchbay',
  })
  await client.connect()
  try {
    const organization = { id: organizationId, name: '', accountIds: await listAccounts(client, organizationId) }
    const content: Record<string, unknown[]> = {}
    for (const { name, rows, identity } of await listTables(client, organization)) {
      const numbers = [identity, ...(name === 'audit_chain' ? ['audit_id', 'hash'] : [])].filter((one) => one !== null)
      const { rows: found } = await client.query(
        `select to_jsonb(t) - $1::text[] as row from ${name} t where ${rows} order by (to_jsonb(t) - $1::text[])::text`,
        [numbers],
      )
      content[name] = found.map(({ row }) => row)
    }
    return content
  } finally {
    await client.end()
  }
}
