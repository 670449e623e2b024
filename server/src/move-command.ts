// The operator's move-organization: the settings of two cells -> the room `cells`.
import { readFileSync } from 'node:fs'
import { parseEnv } from 'node:util'
import { MoveError, moveOrganization, openSession, type Side } from './cells/index.ts'
import { type Config, ConfigError, readConfig } from './config.ts'
import { ContentStores } from './contents/index.ts'
import { type ConnectionSettings, Database, embeddedConnection } from './db/index.ts'
import { openStores } from './files/index.ts'
import { KeyRing, MasterKeys } from './secrets/index.ts'

export type MoveArguments = {
  /** Its id, or its name. */
  organization: string
  /** The settings of the other cell, as its service has them. */
  settingsFile: string
  wait: string | undefined
  takesBack: boolean
}

const waitSeconds = 30

export async function moveBetweenCells(config: Config, given: MoveArguments, say: (line: string) => void) {
  const waitMs = Number(given.wait ?? waitSeconds) * 1000
  if (!(waitMs > 0)) throw new ConfigError('--wait must be a number of seconds.')
  const other = readSettings(given.settingsFile)
  if (config.cell === undefined || other.cell === undefined)
    throw new MoveError(
      `PATCHBAY_CELL is not set ${config.cell === undefined ? 'here' : `in ${given.settingsFile}`}. Only cells with names can send and take organizations.`,
    )
  if (config.cell === other.cell)
    throw new MoveError(`Both cells have the name ${config.cell}. --to takes the settings of another cell.`)
  await using opened = new AsyncDisposableStack()
  const source = await openSide(opened, config, config.cell)
  const target = await openSide(opened, other, other.cell)
  await moveOrganization({ source, target, waitMs, say }, given.organization, given.takesBack)
}

function readSettings(path: string): Config {
  try {
    return readConfig(parseEnv(readFileSync(path, 'utf8')), 'all')
  } catch (error) {
    throw new ConfigError(`The settings of the other cell in ${path} cannot be used: ${(error as Error).message}`)
  }
}

async function openSide(opened: AsyncDisposableStack, config: Config, cell: string): Promise<Side> {
  const connection: ConnectionSettings =
    config.databaseUrl === undefined ? embeddedConnection(config.dataDir) : { connectionString: config.databaseUrl }
  try {
    const client = await openSession(connection)
    opened.defer(() => client.end())
    const { rows } = await client.query(`select to_regclass('patchbay.organization_moves') is not null as is_there`)
    if (!rows[0]?.is_there) throw new MoveError('its database was not made by this version. Start its service first.')
    const database = opened.use(new Database(connection, () => {}, { app: 1, system: 2, lookups: 1 }))
    const masterKeys = new MasterKeys({ ...config.masterKey, createIfMissing: false } as Config['masterKey'])
    const keyRing = await KeyRing.load(database, masterKeys, config.systemKeySeed)
    const isEmbedded = config.databaseUrl === undefined
    const files = await openStores(config.shareStorage, { dataDir: config.dataDir, database, isEmbedded })
    const contents = await ContentStores.open({ database, settings: config.contents, onFault: () => {} })
    return { cell, client, database, keyRing, files, contents }
  } catch (error) {
    throw new MoveError(`The cell ${cell} cannot be used: ${(error as Error).message}`, { cause: error })
  }
}
