// Commands of the operator, on the machine of the service: npm run admin -- create-organization --name NAME --email EMAIL
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { isEmail } from '@patchbay/contract'
import { createOrganization } from './accounts/index.ts'
import { type Config, ConfigError, readConfig } from './config.ts'
import { type ConnectionSettings, Database, embeddedConnection, violatedConstraint } from './db/index.ts'
import { KeyRing, loadMasterKey } from './secrets/index.ts'

async function main(): Promise<void> {
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: { name: { type: 'string' }, email: { type: 'string' } },
  })
  if (positionals[0] !== 'create-organization' || !values.name || !values.email) {
    throw new ConfigError('Usage: npm run admin -- create-organization --name NAME --email EMAIL')
  }
  if (!isEmail(values.email)) throw new ConfigError(`"${values.email}" is not an e-mail address.`)
  const config = readConfig(process.env, 'all')
  await using database = new Database(connectionOf(config), () => {})
  const keyRing = await KeyRing.load(
    database,
    loadMasterKey({ ...config.masterKey, createIfMissing: false } as Config['masterKey']),
  )
  const deps = { database, keyRing, baseUrl: baseUrlOf(config) }
  const made = await database.system.transaction((tx) =>
    createOrganization(deps, tx, values.name as string, values.email as string),
  )
  console.log(JSON.stringify(made.account, null, 2))
}

function connectionOf(config: Config): ConnectionSettings {
  return config.databaseUrl === undefined
    ? embeddedConnection(config.dataDir)
    : { connectionString: config.databaseUrl }
}

/** The address that the first start wrote down, unless it is configured. */
function baseUrlOf(config: Config): string {
  if (config.baseUrl !== undefined) return config.baseUrl
  try {
    return (JSON.parse(readFileSync(join(config.dataDir, 'first-account.json'), 'utf8')) as { baseUrl: string }).baseUrl
  } catch {
    return `http://${config.host}:${config.port}`
  }
}

main().then(
  () => process.exit(0),
  (error: Error) => {
    if (violatedConstraint(error) === 'accounts_email_unique')
      console.error('An account with this e-mail exists already.')
    else if (
      (error as NodeJS.ErrnoException).code === 'ENOENT' ||
      (error as NodeJS.ErrnoException).code === 'ECONNREFUSED'
    ) {
      console.error('The service is not running on this data directory: start it first.')
    } else console.error(error.message)
    process.exit(1)
  },
)
