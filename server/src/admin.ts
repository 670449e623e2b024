// Commands of the operator, on the machine of the service: npm run admin -- COMMAND
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { isEmail } from '@patchbay/contract'
import { createOrganization, makeSignInLink, unlockAccount } from './accounts/index.ts'
import { verifyAuditChain } from './audit/index.ts'
import { backUp, restore, verify } from './backup-commands.ts'
import { type Config, ConfigError, readConfig } from './config.ts'
import { type ConnectionSettings, Database, embeddedConnection, violatedConstraint } from './db/index.ts'
import { belongToCell } from './lib/cell.ts'
import { moveBetweenCells } from './move-command.ts'
import { KeyRing, MasterKeys, parseMasterKeys, rotateMasterKey } from './secrets/index.ts'
import { describeSizes } from './sizes.ts'

const usage = `Usage:
  npm run admin -- create-organization --name NAME --email EMAIL
  npm run admin -- unlock-account --email EMAIL
  npm run admin -- sign-in-link --email EMAIL
  npm run admin -- rotate-master-key [--new-key-file PATH]
  npm run admin -- verify-audit
  npm run admin -- backup --to FILE
  npm run admin -- verify-backup --from FILE
  npm run admin -- restore --from FILE
  npm run admin -- move-organization --organization NAME_OR_ID --to FILE [--wait SECONDS] [--take-back]
  npm run admin -- sizes`

const say = (line: string) => console.log(line)

async function main(): Promise<void> {
  const { positionals, values } = readArguments()
  const config = readConfig(process.env, 'all')
  belongToCell(config.cell)
  const [command, ...further] = positionals
  if (further.length === 0 && command === 'backup' && values.to) return backUp(config, values.to, say)
  if (further.length === 0 && command === 'verify-backup' && values.from) return verify(config, values.from, say)
  if (further.length === 0 && command === 'restore' && values.from) return restore(config, values.from, say)
  if (further.length === 0 && command === 'move-organization' && values.organization && values.to) {
    const { organization, to, wait, 'take-back': takesBack = false } = values
    return moveBetweenCells(config, { organization, settingsFile: to, wait, takesBack }, say)
  }
  await using database = new Database(connectionOf(config), () => {})
  if (positionals.length === 1 && positionals[0] === 'create-organization' && values.name && values.email) {
    await addOrganization(config, database, values.name, values.email)
  } else if (positionals.length === 1 && positionals[0] === 'unlock-account' && values.email) {
    if (!(await unlockAccount(database, values.email)))
      throw new ConfigError('There is no locked account with this e-mail address.')
    console.log(`${values.email} is active again.`)
  } else if (positionals.length === 1 && positionals[0] === 'sign-in-link' && values.email) {
    const link = await makeSignInLink(database, baseUrlOf(config), values.email)
    if (link === undefined) throw new ConfigError('There is no active or invited account with this e-mail address.')
    console.log(`${link.activates ? 'Activate the account' : 'Set a new password'} within an hour: ${link.url}`)
  } else if (positionals.length === 1 && positionals[0] === 'rotate-master-key') {
    await replaceMasterKey(config, database, values['new-key-file'])
  } else if (positionals.length === 1 && positionals[0] === 'verify-audit') {
    await verifyAudit(config, database)
  } else if (positionals.length === 1 && positionals[0] === 'sizes') {
    console.log(await describeSizes(database))
  } else throw new ConfigError(usage)
}

function readArguments() {
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        name: { type: 'string' },
        email: { type: 'string' },
        'new-key-file': { type: 'string' },
        to: { type: 'string' },
        from: { type: 'string' },
        organization: { type: 'string' },
        wait: { type: 'string' },
        'take-back': { type: 'boolean' },
      },
    })
  } catch (error) {
    throw new ConfigError(`${(error as Error).message}\n${usage}`)
  }
}

async function addOrganization(config: Config, database: Database, name: string, email: string): Promise<void> {
  if (name.trim() === '') throw new ConfigError('The name of the organization must not be empty.')
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
