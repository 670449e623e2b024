// Environment -> frozen Config. The only reader of PATCHBAY_* variables; what it does not know, it refuses.
import { availableParallelism } from 'node:os'
import { resolve } from 'node:path'
import {
  ConfigError,
  type IntegerLimits,
  mebibyte,
  readCidrs,
  readInteger,
  readMebibytes,
  readOneOf,
  readUrl,
} from './config-values.ts'
import type { ContentsSettings } from './contents/index.ts'
import { readContents } from './contents-setting.ts'
import { splitDatabaseUrl } from './db/index.ts'
import type { StorageSettings } from './files/index.ts'
import { type EgressRule, parseEgressAllow } from './outbound/index.ts'
import { readShareStorage } from './share-storage-setting.ts'

export { ConfigError }

export type Role = 'api' | 'worker' | 'all'
export type LogLevel = (typeof logLevels)[number]
const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const

export type LogFormat = (typeof logFormats)[number]
const logFormats = ['json', 'human'] as const

/** `strict` starts only with every wall around scripts; `available` says which are missing. */
export type SandboxMode = (typeof sandboxModes)[number]
const sandboxModes = ['available', 'strict'] as const

export type MasterKeySource =
  | { kind: 'value'; base64: string }
  | { kind: 'file'; path: string; createIfMissing: boolean }

export type Config = {
  readonly role: Role
  /** How many processes of this role share the machine. */
  readonly processes: number
  readonly host: string
  readonly port: number
  /** Undefined: made from host and the port that was really bound. */
  readonly baseUrl: string | undefined
  readonly webhookUrl: string | undefined
  readonly dataDir: string
  /** Undefined: the embedded server. */
  readonly databaseUrl: string | undefined
  /** Where the files of shares lie. */
  readonly shareStorage: StorageSettings
  /** Where large contents of runs and webhook requests lie. */
  readonly contents: ContentsSettings
  readonly smtpUrl: string | undefined
  /** Sender of the service's own mails. */
  readonly mailFrom: string
  readonly masterKey: MasterKeySource
  readonly egressAllow: readonly EgressRule[]
  readonly trustedProxies: readonly string[]
  readonly sandbox: SandboxMode
  readonly runTimeoutSeconds: number
  /** Runs are kept for so many days, and no more than so many a workflow. */
  readonly runRetentionDays: number
  readonly runRetentionCount: number
  /** The audit log, and sums of runs, are kept for so many years. */
  readonly auditRetentionYears: number
  readonly statisticsRetentionYears: number
  readonly usageRetentionYears: number
  /** Alarms are kept for so many days after they were cleared, revisions after they were replaced. */
  readonly alarmRetentionDays: number
  readonly revisionRetentionDays: number
  /** Where traces go, and the applications that are told of them, in capitals. Undefined: no traces. */
  readonly traces: { readonly endpoint: string; readonly targets: readonly string[] } | undefined
  readonly logLevel: LogLevel
  /** The cell that this process belongs to, where an installation has several. */
  readonly cell: string | undefined
  /** Makes the keys of the installation the same in every cell. */
  readonly systemKeySeed: Buffer | undefined
  /** Encrypts backups. The service itself has no use for it. */
  readonly backupPassphrase: string | undefined
  readonly logFormat: LogFormat
  /** What an account and an organization may store, and how much of the disk stays free. Undefined: a tenth of it, at most 5 GiB. */
  readonly storage: {
    readonly accountBytesMax: number
    readonly organizationBytesMax: number
    readonly diskFloorBytes: number | undefined
  }
  /** How long a process that was told to stop says so on /readyz before it stops listening. */
  readonly drainSeconds: number
  /** Requests a second per key pair, per process. */
  readonly rateLimitPerSecond: number
  /** Undefined: /metrics answers on the main port, to loopback only. */
  readonly metricsPort: number | undefined
}

const variables = [
  'HOST',
  'PORT',
  'BASE_URL',
  'WEBHOOK_URL',
  'DATA_DIR',
  'DATABASE_URL',
  'STORAGE_URL',
  'CONTENTS_URL',
  'CONTENTS_BYTES',
  'SMTP_URL',
  'MASTER_KEY',
  'MASTER_KEY_FILE',
  'EGRESS_ALLOW',
  'TRUSTED_PROXIES',
  'SANDBOX',
  'RUN_TIMEOUT_SECONDS',
  'RUN_RETENTION_DAYS',
  'RUN_RETENTION_COUNT',
  'AUDIT_RETENTION_YEARS',
  'STATISTICS_RETENTION_YEARS',
  'USAGE_RETENTION_YEARS',
  'ALARM_RETENTION_DAYS',
  'REVISION_RETENTION_DAYS',
  'TRACE_TARGETS',
  'LOG_LEVEL',
  'LOG_FORMAT',
  'RATE_LIMIT_PER_SECOND',
  'ACCOUNT_STORAGE_MB',
  'ORGANIZATION_STORAGE_MB',
  'DISK_FLOOR_MB',
  'MAIL_FROM',
  'METRICS_PORT',
  'PROCESSES',
  'BACKUP_PASSPHRASE',
  'CELL',
  'SYSTEM_KEY_SEED',
  'DRAIN_SECONDS',
] as const
type Variable = (typeof variables)[number]

/** Settings of the command line, which shares its environment with a service that it starts. */
const ofTheCommandLine = ['URL', 'CONSUMER', 'SECRET_KEY', 'PROFILE', 'WEBHOOK_SECRET']

export function readConfig(env: Record<string, string | undefined>, role: Role): Config {
  const known: readonly string[] = [...variables, ...ofTheCommandLine]
  for (const name of Object.keys(env)) {
    if (name.startsWith('PATCHBAY_') && !known.includes(name.slice('PATCHBAY_'.length))) {
      throw new ConfigError(
        `${name} is not a setting of Patchbay. Known settings: ${variables.map((v) => `PATCHBAY_${v}`).join(', ')}.`,
      )
    }
  }
  // An empty variable means "not set": that is how compose files and shells switch one off.
  const get = (name: Variable): string | undefined => env[`PATCHBAY_${name}`]?.trim() || undefined
  const integer = (name: Variable, limits: IntegerLimits) => readInteger(name, get(name), limits)

  const dataDir = resolve(get('DATA_DIR') ?? './data')
  const databaseUrl = readDatabaseUrl(get('DATABASE_URL'))
  if (role !== 'all' && databaseUrl === undefined) {
    throw new ConfigError(
      `PATCHBAY_DATABASE_URL is needed to start the role ${role} alone: processes of one installation share a database.`,
    )
  }
  return Object.freeze({
    role,
    processes: readProcesses(get('PROCESSES')),
    host: get('HOST') ?? '127.0.0.1',
    port: integer('PORT', { fallback: 8080, min: 0, max: 65_535 }),
    baseUrl: readUrl('BASE_URL', get('BASE_URL'), ['http:', 'https:']),
    webhookUrl: readUrl('WEBHOOK_URL', get('WEBHOOK_URL'), ['http:', 'https:']),
    dataDir,
    databaseUrl,
    shareStorage: readShareStorage(get('STORAGE_URL'), env),
    contents: readContents({ url: get('CONTENTS_URL'), bytes: get('CONTENTS_BYTES'), dataDir }, env),
    smtpUrl: readUrl('SMTP_URL', get('SMTP_URL'), ['smtp:', 'smtps:']),
    mailFrom: readMailFrom(get('MAIL_FROM')),
    masterKey: readMasterKey(get('MASTER_KEY'), get('MASTER_KEY_FILE'), dataDir),
    egressAllow: readEgress(get('EGRESS_ALLOW')),
    trustedProxies: readCidrs('TRUSTED_PROXIES', get('TRUSTED_PROXIES')),
    sandbox: readOneOf('SANDBOX', get('SANDBOX'), sandboxModes, 'available'),
    runTimeoutSeconds: integer('RUN_TIMEOUT_SECONDS', { fallback: 900, min: 1, max: 86_400 }),
    runRetentionDays: integer('RUN_RETENTION_DAYS', { fallback: 30, min: 1, max: 3650 }),
    runRetentionCount: integer('RUN_RETENTION_COUNT', { fallback: 10_000, min: 1, max: 100_000_000 }),
    auditRetentionYears: integer('AUDIT_RETENTION_YEARS', { fallback: 10, min: 1, max: 100 }),
    statisticsRetentionYears: integer('STATISTICS_RETENTION_YEARS', { fallback: 5, min: 1, max: 100 }),
    usageRetentionYears: integer('USAGE_RETENTION_YEARS', { fallback: 10, min: 1, max: 100 }),
    alarmRetentionDays: integer('ALARM_RETENTION_DAYS', { fallback: 365, min: 1, max: 36_500 }),
    revisionRetentionDays: integer('REVISION_RETENTION_DAYS', { fallback: 3650, min: 1, max: 36_500 }),
    traces: readTraces(env['OTEL_EXPORTER_OTLP_ENDPOINT'], get('TRACE_TARGETS')),
    logLevel: readOneOf('LOG_LEVEL', get('LOG_LEVEL'), logLevels, 'info'),
    cell: readCell(get('CELL')),
    systemKeySeed: readSeed(get('SYSTEM_KEY_SEED')),
    // Spaces at its ends are part of a passphrase.
    backupPassphrase: env['PATCHBAY_BACKUP_PASSPHRASE'] || undefined,
    logFormat: readOneOf('LOG_FORMAT', get('LOG_FORMAT'), logFormats, 'json'),
    storage: {
      accountBytesMax: readMebibytes('ACCOUNT_STORAGE_MB', get('ACCOUNT_STORAGE_MB')) ?? 50 * 1024 * mebibyte,
      organizationBytesMax:
        readMebibytes('ORGANIZATION_STORAGE_MB', get('ORGANIZATION_STORAGE_MB')) ?? 500 * 1024 * mebibyte,
      diskFloorBytes: readMebibytes('DISK_FLOOR_MB', get('DISK_FLOOR_MB')),
    },
    drainSeconds: integer('DRAIN_SECONDS', { fallback: 0, min: 0, max: 600 }),
    rateLimitPerSecond: integer('RATE_LIMIT_PER_SECOND', { fallback: 2000, min: 1, max: 10_000_000 }),
    metricsPort:
      get('METRICS_PORT') === undefined ? undefined : integer('METRICS_PORT', { fallback: 0, min: 0, max: 65_535 }),
  })
}

function readCell(text: string | undefined): string | undefined {
  if (text !== undefined && !/^[a-z][a-z0-9]{1,15}$/.test(text))
    throw new ConfigError(
      `PATCHBAY_CELL must be 2 to 16 lowercase letters and digits, a letter first; it is "${text}".`,
    )
  return text
}

function readSeed(text: string | undefined): Buffer | undefined {
  if (text === undefined) return undefined
  const seed = Buffer.from(text, 'base64')
  if (seed.length !== 32)
    throw new ConfigError(
      'PATCHBAY_SYSTEM_KEY_SEED must be 32 bytes in base64 (for example from: openssl rand -base64 32).',
    )
  return seed
}

function readProcesses(text: string | undefined): number {
  if (text === 'auto') return availableParallelism()
  if (text !== undefined && !/^\d+$/.test(text))
    throw new ConfigError(`PATCHBAY_PROCESSES must be auto or a whole number from 1 to 256; it is "${text}".`)
  return readInteger('PROCESSES', text, { fallback: 1, min: 1, max: 256 })
}

function readDatabaseUrl(text: string | undefined): string | undefined {
  if (text === undefined) return undefined
  try {
    splitDatabaseUrl(text)
  } catch (error) {
    throw new ConfigError(`PATCHBAY_DATABASE_URL ${(error as Error).message}`)
  }
  return text.replace(/\/+$/, '')
}

function readMasterKey(value: string | undefined, file: string | undefined, dataDir: string): MasterKeySource {
  if (value !== undefined && file !== undefined) {
    throw new ConfigError('PATCHBAY_MASTER_KEY and PATCHBAY_MASTER_KEY_FILE are both set: give one of them.')
  }
  if (value !== undefined) {
    // During a rotation the new key and, after a comma, the old one.
    if (value.split(',').some((key) => Buffer.from(key, 'base64').length !== 32)) {
      throw new ConfigError(
        'PATCHBAY_MASTER_KEY must be 32 bytes in base64 (for example from: openssl rand -base64 32).',
      )
    }
    return { kind: 'value', base64: value }
  }
  return file === undefined
    ? { kind: 'file', path: resolve(dataDir, 'master.key'), createIfMissing: true }
    : { kind: 'file', path: resolve(file), createIfMissing: false }
}

function readMailFrom(text: string | undefined): string {
  if (text === undefined) return 'Patchbay <patchbay@localhost>'
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what must not get into a header.
  if (!text.includes('@') || /[\u0000-\u001f]/.test(text))
    throw new ConfigError('PATCHBAY_MAIL_FROM must be an e-mail address, with or without a name.')
  return text
}

function readEgress(text: string | undefined): readonly EgressRule[] {
  try {
    return parseEgressAllow(text ?? '')
  } catch (error) {
    throw new ConfigError(`PATCHBAY_EGRESS_ALLOW is not valid: ${(error as Error).message}`)
  }
}

function readTraces(endpoint: string | undefined, targets: string | undefined): Config['traces'] {
  const names = (targets ?? '').split(',').flatMap((name) => (name.trim() === '' ? [] : [name.trim().toUpperCase()]))
  if (endpoint === undefined || endpoint === '') {
    if (names.length === 0) return undefined
    throw new ConfigError('PATCHBAY_TRACE_TARGETS needs OTEL_EXPORTER_OTLP_ENDPOINT: without it there are no traces.')
  }
  if (!['http:', 'https:'].includes(URL.parse(endpoint)?.protocol ?? ''))
    throw new ConfigError(
      `OTEL_EXPORTER_OTLP_ENDPOINT must be an address such as http://127.0.0.1:4318; it is "${endpoint}".`,
    )
  return { endpoint, targets: names }
}
