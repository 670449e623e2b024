// The composition root: Config -> App. The only file that knows everyone.
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { operations, records } from '@patchbay/contract'
import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import { managedAccounts } from './access/index.ts'
import { accountRoutes, accountTaggables, createFirstAccount } from './accounts/index.ts'
import { auditRoutes } from './audit/index.ts'
import type { Catalog } from './catalog/definition.ts'
import { loadCatalog } from './catalog/load.ts'
import type { Config } from './config.ts'
import {
  type ConnectionSettings,
  Database,
  migrate,
  type Queryable,
  type Scope,
  sql,
  startEmbeddedServer,
} from './db/index.ts'
import {
  addHealth,
  addMetricsForLoopback,
  createHttpServer,
  createMetrics,
  type Handlers,
  introspectionRoutes,
  openApiDocument,
  rateLimiter,
  referencePage,
  startMetricsServer,
} from './http/index.ts'
import { KeyAuthenticator, keyRoutes } from './keys/index.ts'
import { createOutbox, Mailer, mailQueue, mailRetries } from './mail/index.ts'
import { installQueues, JobQueue, type QueueDefinitions } from './queue/index.ts'
import { SandboxPool } from './sandbox/pool.ts'
import { KeyRing, MasterKeys } from './secrets/index.ts'
import { authenticateSession, sessionPages, sessionRoutes } from './sessions/index.ts'
import { tagRoutes } from './tags/index.ts'
import { vaultRoutes } from './vault/index.ts'
import { workflowRoutes, workflowTaggable } from './workflows/index.ts'

export type App = AsyncDisposable & {
  /** Where the API answers; undefined for a worker. */
  baseUrl: string | undefined
  /** Resolves with a sentence when the service cannot go on by itself. */
  failed: Promise<string>
  /** Not ready from now on; what is under way goes on until disposal. */
  drain(): void
}

const queues: QueueDefinitions = {
  [mailQueue]: { retryLimit: mailRetries, retryDelaySeconds: 5, retryDelaySecondsMax: 600 },
}

/** `say` prints what a person who starts the service should see; everything else is log. */
export async function startApp(config: Config, log: Logger, say: (line: string) => void): Promise<App> {
  // Everything started is pushed here and stopped in reverse order, also when a later part fails to start.
  const parts = new AsyncDisposableStack()
  try {
    return await compose(config, log, say, parts)
  } catch (error) {
    await parts.disposeAsync()
    throw error
  }
}

/** Brings a database up to this program; returns the names of the migrations that were applied. */
export function migrateAndInstall(connection: ConnectionSettings): Promise<string[]> {
  return migrate(connection, (owner) => installQueues(owner, queues))
}

async function compose(
  config: Config,
  log: Logger,
  say: (line: string) => void,
  parts: AsyncDisposableStack,
): Promise<App> {
  const onFault = (error: unknown) => log.error({ err: error }, 'A part of the service reported a fault.')
  const embedded =
    config.databaseUrl === undefined ? parts.use(await startEmbeddedServer(config.dataDir, say)) : undefined
  const connection: ConnectionSettings = embedded?.connection ?? { connectionString: config.databaseUrl as string }
  const applied = await migrateAndInstall(connection)
  if (applied.length > 0) say(`Database brought up to date: ${applied.join(', ')}.`)

  const database = parts.use(new Database(connection, onFault))
  const keyRing = await KeyRing.load(database, new MasterKeys(config.masterKey))
  const isWorker = config.role !== 'api'
  const jobs = parts.use(await JobQueue.start(database, isWorker, onFault))
  let isDraining = false

  if (isWorker && config.smtpUrl !== undefined) {
    const mailer = parts.use(
      new Mailer({ database, keyRing, jobs, smtpUrl: config.smtpUrl, from: config.mailFrom, onFault }),
    )
    await mailer.start()
  }
  const failed = embedded
    ? embedded.died.then((output) => `The embedded database ended:\n${output}`)
    : new Promise<string>(() => {})
  const app: App = {
    baseUrl: undefined,
    failed,
    drain: () => {
      isDraining = true
    },
    [Symbol.asyncDispose]: () => parts.disposeAsync(),
  }
  if (config.role === 'worker') return app

  // The port may be any free one, so links learn the address once it is bound.
  let baseUrl = config.baseUrl ?? ''
  const metrics = createMetrics()
  const outbox = createOutbox({ keyRing, jobs, canSend: config.smtpUrl !== undefined })
  const sessions = { database, keyRing, isSecure: config.baseUrl?.startsWith('https:') ?? false }
  const sandbox = parts.use(await SandboxPool.create({ hiddenPaths: [config.dataDir] }))
  const keys = parts.use(new KeyAuthenticator(database, keyRing.systemKey('apiKeyHash'), onFault))
  const handlers: Handlers = {
    ...introspectionRoutes(),
    ...accountRoutes({ database, keyRing, outbox, baseUrl: () => baseUrl }),
    ...keyRoutes({ database, keyRing }),
    ...sessionRoutes(sessions),
    ...tagRoutes({ database, taggables: { ...accountTaggables(database), workflow: workflowTaggable(database) } }),
    ...auditRoutes({ database }),
    ...vaultRoutes({ database, keyRing, workflowExists }),
    ...workflowRoutes({
      database,
      keyRing,
      catalog: shippedItems(await loadCatalog(fileURLToPath(new URL('../../catalog', import.meta.url)))),
      connections: { list: async () => [] },
      checkScript: (source) => sandbox.checkScript(source),
      runs: { find: async () => undefined, stop: async () => {} },
      webhooks: { addressOf: (_scope, id) => `${config.webhookUrl ?? `${baseUrl}/webhook`}/${id}` },
    }),
  }
  const http = await createHttpServer({
    operations,
    handlers,
    pages: [...sessionPages(sessions), referencePage()],
    authenticators: {
      byKeys: (consumer, secretKey, address) => keys.authenticate(consumer, secretKey, address),
      bySession: (token, csrfToken) => authenticateSession(sessions, token, csrfToken),
      managedAccount: managedAccounts(database),
    },
    rateLimiter: rateLimiter(config.rateLimitPerSecond),
    metrics,
    logger: log,
    trustedProxies: config.trustedProxies,
  })
  addHealth(http, async () => (isDraining ? 'The service is shutting down.' : databaseFault(database)))
  if (config.metricsPort === undefined) addMetricsForLoopback(http, metrics)
  else {
    const metricsServer = await startMetricsServer(config.host, config.metricsPort, metrics)
    parts.defer(() => metricsServer.close())
  }
  http.get('/openapi.json', async () => openApiDocument(operations, records, baseUrl))

  parts.defer(() => http.close())
  const address = await listen(http, config)
  baseUrl = config.baseUrl ?? address
  const first = await createFirstAccount({ database, keyRing, baseUrl, dataDir: config.dataDir })
  if (first) {
    say(`First account: ${first.account.email}`)
    say(`  Consumer:  ${first.account.consumer}`)
    say(`  SecretKey: ${first.account.secretKey}`)
    say(`  Sign in once and set a password: ${first.signInLink}`)
    say(`  Kept in ${config.dataDir}/first-account.json; move it to a safe place.`)
  }
  return { ...app, baseUrl }
}

async function workflowExists(db: Queryable, scope: Scope, id: string): Promise<boolean> {
  const found = await db.query(sql`select from workflows where account_id = ${scope.accountId} and id = ${id}`)
  return found.rowCount > 0
}

/** What ships with the program; an organization's own items are not among them. */
function shippedItems(catalog: Catalog) {
  return {
    findApplication: async (_organizationId: string, idOrShortName: string) =>
      catalog.applications.find(
        ({ id, shortName }) => id === idOrShortName || shortName.toUpperCase() === idOrShortName.toUpperCase(),
      ),
    findBlockTemplate: async (_organizationId: string, id: string) =>
      catalog.blockTemplates.find((template) => template.id === id),
    findWorkflowTemplate: async (_organizationId: string, id: string) =>
      catalog.workflowTemplates.find((template) => template.id === id),
  }
}

async function listen(http: FastifyInstance, config: Config): Promise<string> {
  await http.listen({ host: config.host, port: config.port })
  const { address, family, port } = http.server.address() as AddressInfo
  // A wildcard is no address that a link could lead to.
  const host = address === '0.0.0.0' || address === '::' ? 'localhost' : family === 'IPv6' ? `[${address}]` : address
  return `http://${host}:${port}`
}

async function databaseFault(database: Database): Promise<string | undefined> {
  const late = new Promise<string>((done) => setTimeout(() => done('The database does not answer.'), 1500).unref())
  const asked = database.system.query(sql`select 1`).then(
    () => undefined,
    () => 'The database cannot be reached.',
  )
  return Promise.race([asked, late])
}
