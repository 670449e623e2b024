// Commands of the operator, on the machine of the service: npm run admin -- COMMAND
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isEmail, namePattern } from '@patchbay/contract'
import { createOrganization, makeSignInLink, unlockAccount } from './accounts/index.ts'
import { type AdminCommand, readAdminCommand } from './admin-arguments.ts'
import { verifyAuditChain } from './audit/index.ts'
import { backUp, restore, verify } from './backup-commands.ts'
import { type Config, ConfigError, readConfig } from './config.ts'
import { type ConnectionSettings, Database, embeddedConnection, violatedConstraint } from './db/index.ts'
import { belongToCell } from './lib/cell.ts'
import { moveBetweenCells } from './move-command.ts'
import { KeyRing, MasterKeys, parseMasterKeys, rotateMasterKey } from './secrets/index.ts'
import { describeSizes } from './sizes.ts'

const say = (line: string) => console.log(line)

async function main(): Promise<void> {
  const command = readAdminCommand(process.argv.slice(2))
  if (typeof command === 'string') return say(command)
  const config = readConfig(process.env, 'all')
  belongToCell(config.cell)
  switch (command.name) {
    case 'backup':
      return backUp(config, command.values.to, say)
    case 'verify-backup':
      return verify(config, command.values.from, say)
    case 'restore':
      return restore(config, command.values.from, say)
    case 'move-organization': {
      const { organization, to, wait, 'take-back': takesBack = false } = command.values
      return moveBetweenCells(config, { organization, settingsFile: to, wait, takesBack }, say)
    }
    default: {
      await using database = new Database(connectionOf(config), () => {})
      return await askDatabase(config, database, command)
    }
  }
}

type OnRunningService = Exclude<AdminCommand, { name: 'backup' | 'verify-backup' | 'restore' | 'move-organization' }>

/** Commands that need no more than the database of a service that has started before. */
async function askDatabase(config: Config, database: Database, command: OnRunningService): Promise<void> {
  switch (command.name) {
    case 'create-organization':
      return addOrganization(config, database, command.values.name, command.values.email)
    case 'unlock-account': {
      const { email } = command.values
      if (!(await unlockAccount(database, email)))
        throw new ConfigError('There is no locked account with this e-mail address.')
      return say(`${email} is active again.`)
    }
    case 'sign-in-link': {
      const link = await makeSignInLink(database, baseUrlOf(config), command.values.email)
      if (link === undefined) throw new ConfigError('There is no active or invited account with this e-mail address.')
      return say(`${link.activates ? 'Activate the account' : 'Set a new password'} within an hour: ${link.url}`)
    }
    case 'rotate-master-key':
      return replaceMasterKey(config, database, command.values['new-key-file'])
    case 'verify-audit':
      return verifyAudit(config, database)
    case 'sizes':
      return say(await describeSizes(database))
  }
}

async function addOrganization(config: Config, database: Database, name: string, email: string): Promise<void> {
  if (name.trim() === '') throw new ConfigError('The name of the organization must not be empty.')
  if (name.trim().length > 200 || !new RegExp(namePattern).test(name.trim()))
    throw new ConfigError(
      'The name of the organization must be a single line of at most 200 characters without control characters.',
    )
  if (!isEmail(email)) throw new ConfigError(`"${email}" is not an e-mail address.`)
  const keyRing = await loadKeyRing(config, database)
  const deps = { database, keyRing, baseUrl: baseUrlOf(config) }
  const made = await database.system.transaction((tx) => createOrganization(deps, tx, name.trim(), email))
  console.log(JSON.stringify(made.account, null, 2))
  // Beside the JSON, which programs read.
  console.error(`Sign in once and set a password: ${made.signInLink}`)
}

async function verifyAudit(config: Config, database: Database): Promise<void> {
  const keyRing = await loadKeyRing(config, database)
  const { rowsChecked, fault } = await verifyAuditChain(database, keyRing.systemKey('auditChain'))
  if (fault !== undefined) throw new ConfigError(`The audit log does not verify. ${fault}`)
  console.log(`The audit log is intact: ${rowsChecked} rows checked.`)
}

/** Of a service that has started before: an admin command never makes keys. */
function loadKeyRing(config: Config, database: Database): Promise<KeyRing> {
  return KeyRing.load(
    database,
    new MasterKeys({ ...config.masterKey, createIfMissing: false } as Config['masterKey']),
    config.systemKeySeed,
  )
}

/** Also while the service runs; the same command again goes on with what was interrupted. */
async function replaceMasterKey(config: Config, database: Database, newKeyFile: string | undefined): Promise<void> {
  const newKey = newKeyFile === undefined ? undefined : readNewKey(newKeyFile)
  await rotateMasterKey({ database, source: config.masterKey, newKey, say: (line) => console.log(line) })
}

function readNewKey(path: string): Buffer {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    throw new ConfigError(`The new key file cannot be read: ${(error as Error).message}`)
  }
  const [key, ...others] = parseMasterKeys(text, `The file ${path}`)
  if (others.length > 0) throw new ConfigError(`The file ${path} must hold one key.`)
  return key as Buffer
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
      console.error('An account with this e-mail address already exists.')
    else if (
      (error as NodeJS.ErrnoException).code === 'ENOENT' ||
      (error as NodeJS.ErrnoException).code === 'ECONNREFUSED'
    ) {
      console.error(
        process.env['PATCHBAY_DATABASE_URL']
          ? `The database in PATCHBAY_DATABASE_URL cannot be reached: ${error.message || (error as NodeJS.ErrnoException).code}.`
          : 'The service is not running on this data directory. Start it first, or set PATCHBAY_DATA_DIR or PATCHBAY_DATABASE_URL.',
      )
    } else console.error(error.message)
    process.exit(1)
  },
)
