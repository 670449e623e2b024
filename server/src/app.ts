// The composition root: Config -> App. The only file that knows everyone.
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { operations, records } from '@patchbay/contract'
import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import { managedAccounts } from './access/index.ts'
import { accountRoutes, accountTaggables, createFirstAccount } from './accounts/index.ts'
import { auditRoutes } from './audit/index.ts'
import { Catalog, catalogRoutes, catalogTaggables } from './catalog/index.ts'
import type { Config } from './config.ts'
import {
  ConnectionCare,
  callbackPage,
  connectionCareQueue,
  connectionRoutes,
  connectionTaggable,
  createConnections,
  createDatabaseRateLimiter,
  reconnectPages,
  type WorkflowUses,
} from './connections/index.ts'
import { type ConnectionSettings, Database, isUpToDate, migrate, sql, startEmbeddedServer } from './db/index.ts'
import { documentLibraryRoutes, explainDenial } from './document-library/index.ts'
import { eventPublisher, eventQueue, eventRetries, eventRoutes, startDelivering, tellFailures } from './events/index.ts'
import { createFunctionLibrary, functionRoutes } from './functions/index.ts'
import {
  addHealth,
  addMetricsForLoopback,
  createHttpServer,
  createMetrics,
  type Exchange,
  type Handlers,
  introspectionRoutes,
  openApiDocument,
  rateLimiter,
  referencePage,
  startMetricsServer,
} from './http/index.ts'
import { KeyAuthenticator, keyRoutes } from './keys/index.ts'
import {
  createEmailSender,
  createOutbox,
  createOwnServerSender,
  Mailer,
  mailQueue,
  mailRetries,
  mailRoutes,
} from './mail/index.ts'
import { createGuard, OutboundClient } from './outbound/index.ts'
import { createApplicationCalls, proxyRoutes } from './proxy/index.ts'
import { installQueues, JobQueue, type QueueDefinitions } from './queue/index.ts'
import { createRuns, runQueue } from './runs/index.ts'
import { SandboxPool } from './sandbox/index.ts'
import { reflectFault, Scheduler, scheduleRoutes } from './schedules/index.ts'
import { KeyRing, MasterKeys } from './secrets/index.ts'
import {
  authenticateSession,
  createSignInAttempts,
  currentSession,
  sessionPages,
  sessionRoutes,
} from './sessions/index.ts'
import { openStorage, ShareKeeper, sharePages, shareRoutes } from './shares/index.ts'
import { tagRoutes } from './tags/index.ts'
import { createVault, vaultRoutes } from './vault/index.ts'
import { createRunPorts, createWebhooks, webhookCheckQueue, webhookReplayQueue } from './webhooks/index.ts'
import {
  countWorkflowsUsing,
  findDefinition,
  workflowExists,
  workflowRoutes,
  workflowsUsing,
  workflowTaggable,
} from './workflows/index.ts'

export type App = AsyncDisposable & {
  /** Where the API answers; undefined for a worker. */
  baseUrl: string | undefined
  /** Resolves with a sentence when the service cannot go on by itself. */
  failed: Promise<string>
  /** Not ready from now on; what is under way goes on until disposal. */
  drain(): void
  /** For an end that cannot wait: the embedded database at least is told to stop in order. */
  abandon(): void
}

/** Of the thirty seconds that a stop may take. */
const closeMsMax = 10_000

const queues: QueueDefinitions = {
  [mailQueue]: { retryLimit: mailRetries, retryDelaySeconds: 5, retryDelaySecondsMax: 600 },
  // What a check misses, the next one finds.
  [connectionCareQueue]: { retryLimit: 0, retryDelaySeconds: 0 },
  [eventQueue]: { retryLimit: eventRetries, retryDelaySeconds: 5, retryDelaySecondsMax: 3600 },
  // Retries are endless here: a run counts for itself how often its workers died.
  [runQueue]: {
    heartbeatSeconds: 10,
    retryLimit: 1_000_000,
    retryDelaySeconds: 0,
    growsDelay: false,
    expireSeconds: 86_400,
    waitSecondsMax: 365 * 86_400,
  },
  // A request that was taken is looked at until somebody has done so, however many die over it.
  [webhookCheckQueue]: {
    heartbeatSeconds: 10,
    retryLimit: 1_000_000,
    retryDelaySeconds: 1,
    growsDelay: false,
    expireSeconds: 7200,
    waitSecondsMax: 365 * 86_400,
  },
  [webhookReplayQueue]: { retryLimit: 1000, retryDelaySeconds: 5, growsDelay: false, expireSeconds: 3600 },
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
  const catalog = await Catalog.load({
    database,
    directory: fileURLToPath(new URL('../../catalog', import.meta.url)),
    onProblem: (problem) => log.warn(problem, 'A file of the catalogue is broken and left out.'),
  })
  const isWorker = config.role !== 'api'
  const jobs = parts.use(await JobQueue.start(database, isWorker, onFault))
  let isDraining = false

  if (isWorker && config.smtpUrl !== undefined) {
    const mailer = parts.use(
      new Mailer({ database, keyRing, jobs, smtpUrl: config.smtpUrl, from: config.mailFrom, onFault }),
    )
    await mailer.start()
  }
  // The port may be any free one, so links learn the address once it is bound.
  // A worker has no port of its own: without a base address its links lead to where an API process would be.
  let baseUrl = config.baseUrl ?? `http://${config.host}:${config.port}`
  const outbox = createOutbox({ keyRing, jobs, canSend: config.smtpUrl !== undefined })
  const guard = createGuard({ allow: config.egressAllow })
  const outbound = parts.use(
    new OutboundClient({
      guard,
      rateLimiter: createDatabaseRateLimiter(database),
      // Describing a call takes time, so it is done only where somebody reads it.
      ...(log.isLevelEnabled('debug') ? { onHop: (hop) => log.debug(hop, 'A target was called.') } : {}),
    }),
  )
  const connecting = createConnections({
    database,
    keyRing,
    catalog,
    outbox,
    outbound,
    smtp: createOwnServerSender({ database, guard }),
    explainDenial,
    baseUrl: () => baseUrl,
    onFault,
  })
  const { connections } = connecting
  if (isWorker) await parts.use(new ConnectionCare({ ...connecting, jobs })).start()
  const sandbox = parts.use(await SandboxPool.create({ hiddenPaths: [config.dataDir] }))
  for (const sentence of sandbox.missing) say(sentence)
  const emails = createEmailSender({ database, outbox })
  const calls = createApplicationCalls({ connections })
  const vault = createVault({ database, keyRing })
  const functions = createFunctionLibrary(catalog)
  const publish = eventPublisher({ jobs })
  const webhookPorts = createRunPorts({ database, keyRing })
  const runs = createRuns({
    database,
    keyRing,
    jobs,
    vault,
    sandbox,
    functions,
    findDefinition: (accountId, workflowId, revision) =>
      findDefinition({ database, keyRing }, accountId, workflowId, revision),
    applications: calls,
    sendEmail: (scope, message) => emails.send(scope, message),
    secretsOf: (scope, ids) => connections.secretsOf(scope, ids),
    missingApplications: async (scope, { applications }) => {
      const present = await connections.list(scope, Object.values(applications))
      const signedIn = new Set(present.filter((one) => one.isAuthenticated).map((one) => one.id))
      return Object.keys(applications).filter((shortName) => !signedIn.has(applications[shortName] as string))
    },
    webhooks: webhookPorts,
    onRunsEnded: async (tx, ended, workflows) => {
      await webhookPorts.onRunsEnded(tx, ended)
      await tellFailures({ publish, outbox, baseUrl: () => baseUrl }, tx, ended, workflows)
    },
    runTimeoutSeconds: config.runTimeoutSeconds,
    retention: { daysKept: config.runRetentionDays, runsKeptMax: config.runRetentionCount },
    onFault,
  })
  connections.onFaultChange(({ accountId, regApplicationId, isFaulted }) => {
    reflectFault(database, { accountId, regApplicationId, isFaulted }).catch(onFault)
    if (!isFaulted) return
    database.system
      .transaction((tx) => publish(tx, accountId, 'connection.faulted', { accountId, regApplicationId }))
      .catch(onFault)
  })
  if (isWorker) {
    await startDelivering({ database, keyRing, jobs, outbound })
    await parts.use(runs.createRetention()).start()
    parts.use(runs.createWorker()).start()
    parts
      .use(
        new Scheduler({
          database,
          starter: runs.starter,
          hasFault: async (scope, ids) => (await connections.list(scope, ids)).some(({ isFaulted }) => isFaulted),
          onFault,
        }),
      )
      .start()
  }
  const webhooks = createWebhooks({
    database,
    keyRing,
    jobs,
    vault,
    sandbox,
    functions,
    findDefinition: (accountId, workflowId) => findDefinition({ database, keyRing }, accountId, workflowId),
    checkScript: (source) => sandbox.checkScript(source),
    starter: runs.starter,
    runPorts: webhookPorts,
    webhookUrl: () => config.webhookUrl ?? `${baseUrl}/webhook`,
    daysKept: config.runRetentionDays,
    onFault,
  })
  if (isWorker) parts.use(await webhooks.startWorker())
  const failed = embedded
    ? embedded.died.then((output) => `The embedded database ended:\n${output}`)
    : new Promise<string>(() => {})
  const app: App = {
    baseUrl: undefined,
    failed,
    drain: () => {
      isDraining = true
    },
    abandon: () => embedded?.abandon(),
    [Symbol.asyncDispose]: () => parts.disposeAsync(),
  }
  const metrics = createMetrics()
  const whyNotReady = async () => (isDraining ? 'The service is shutting down.' : databaseFault(database))
  if (config.metricsPort !== undefined) {
    const watched = await startMetricsServer(config.host, config.metricsPort, metrics, whyNotReady)
    parts.defer(() => watched.close())
    say(`Metrics and health at ${addressOf(watched)}.`)
  }
  if (config.role === 'worker') return app

  const sessions = {
    database,
    keyRing,
    isSecure: config.baseUrl?.startsWith('https:') ?? false,
    attempts: createSignInAttempts(),
  }
  const keys = parts.use(new KeyAuthenticator(database, keyRing.systemKey('apiKeyHash'), onFault))
  const managedAccount = managedAccounts(database)
  const shares = {
    database,
    keyRing,
    outbox,
    storage: await openStorage(config.dataDir),
    baseUrl: () => baseUrl,
    onFault,
  }
  await parts.use(new ShareKeeper(shares)).start()
  const registering = { ...connecting, workflows: workflowUses(database) }
  const mayActFor = async (exchange: Exchange, accountId: string): Promise<boolean> => {
    const session = await currentSession(sessions, exchange).catch(() => undefined)
    if (!session) return true
    return managedAccount(session.myAccount, accountId).then(
      () => true,
      () => false,
    )
  }
  const handlers: Handlers = {
    ...introspectionRoutes(),
    ...accountRoutes({ database, keyRing, outbox, baseUrl: () => baseUrl }),
    ...keyRoutes({ database, keyRing }),
    ...sessionRoutes(sessions),
    ...tagRoutes({
      database,
      taggables: {
        ...accountTaggables(database),
        ...catalogTaggables(catalog),
        registeredApp: connectionTaggable({ database }),
        workflow: workflowTaggable(database),
      },
    }),
    ...auditRoutes({ database }),
    ...mailRoutes({ database, outbox }),
    ...shareRoutes(shares),
    ...catalogRoutes({ database, catalog, outbound }),
    ...functionRoutes({ catalog }),
    ...vaultRoutes({ database, keyRing, workflowExists }),
    ...connectionRoutes(registering),
    ...proxyRoutes({ connections, calls }),
    ...documentLibraryRoutes({ database, guard, outbound }),
    ...workflowRoutes({
      database,
      keyRing,
      catalog,
      connections,
      checkScript: (source) => sandbox.checkScript(source),
      runs: runs.ofWorkflows,
      webhooks: webhooks.ofWorkflows,
    }),
    ...runs.routes,
    ...scheduleRoutes({ database }),
    ...eventRoutes({ database, keyRing }),
    ...webhooks.routes,
  }
  const http = await createHttpServer({
    operations,
    handlers,
    pages: [
      ...sessionPages(sessions),
      ...sharePages(shares),
      referencePage(),
      callbackPage({ ...registering, mayActFor }),
      ...reconnectPages(registering),
    ],
    rawRoutes: webhooks.rawRoutes,
    authenticators: {
      byKeys: (consumer, secretKey, address) => keys.authenticate(consumer, secretKey, address),
      bySession: (token, csrfToken) => authenticateSession(sessions, token, csrfToken),
      managedAccount,
    },
    rateLimiter: rateLimiter(config.rateLimitPerSecond),
    metrics,
    logger: log,
    trustedProxies: config.trustedProxies,
  })
  addHealth(http, whyNotReady)
  if (config.metricsPort === undefined) addMetricsForLoopback(http, metrics)
  http.get('/openapi.json', async () => openApiDocument(operations, records, baseUrl))

  parts.defer(() => closeWithin(http, closeMsMax))
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

function workflowUses(database: Database): WorkflowUses {
  return {
    using: (scope, id) => workflowsUsing({ database }, scope, id),
    countUsing: (scope, ids) => countWorkflowsUsing({ database }, scope, ids),
  }
}

async function listen(http: FastifyInstance, config: Config): Promise<string> {
  await http.listen({ host: config.host, port: config.port })
  return addressOf(http)
}

function addressOf(http: FastifyInstance): string {
  const { address, family, port } = http.server.address() as AddressInfo
  // A wildcard is no address that a link could lead to.
  const host = address === '0.0.0.0' || address === '::' ? 'localhost' : family === 'IPv6' ? `[${address}]` : address
  return `http://${host}:${port}`
}

/** Requests under way are finished; a client that does not come to an end is cut off, so that it cannot hold up the stop. */
async function closeWithin(http: FastifyInstance, ms: number): Promise<void> {
  const timer = setTimeout(() => http.server.closeAllConnections(), ms)
  await http.close()
  clearTimeout(timer)
}

/** What readiness asks of the database: that it answers, is the one of this program, and still has our keys. */
async function databaseFault(database: Database): Promise<string | undefined> {
  const late = new Promise<string>((done) => setTimeout(() => done('The database does not answer.'), 1500).unref())
  const asked = database.system
    .query<{ names: string[]; has_keys: boolean }>(
      sql`select array(select name from migrations order by name) as names, exists (select from system_keys) as has_keys`,
    )
    .then(
      ({ rows: [row] }) => {
        if (!row?.has_keys) return 'The keys of the installation are gone from the database.'
        return isUpToDate(row.names) ? undefined : 'The database does not have the migrations of this program.'
      },
      () => 'The database cannot be reached.',
    )
  return Promise.race([asked, late])
}
