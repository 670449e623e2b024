// The role `api`: what is done because somebody asks over HTTP.
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { operations, records } from '@patchbay/contract'
import type { FastifyInstance } from 'fastify'
import { managedAccounts } from './access/index.ts'
import { accountRoutes, accountTaggables, createFirstAccount } from './accounts/index.ts'
import { alarmRoutes } from './alarms/index.ts'
import { auditRoutes } from './audit/index.ts'
import { type BulkVerbs, bulkRoutes } from './bulk/index.ts'
import { type CatalogUses, catalogRoutes, catalogTaggables } from './catalog/index.ts'
import { Elsewhere } from './cells/index.ts'
import type { Config } from './config.ts'
import {
  callbackPage,
  connectionRoutes,
  connectionTaggable,
  listInstances,
  reconnectPages,
  takeBackPage,
  type WorkflowUses,
} from './connections/index.ts'
import type { Context } from './context.ts'
import type { Database } from './db/index.ts'
import { documentLibraryRoutes } from './document-library/index.ts'
import { eventRoutes } from './events/index.ts'
import { openStores } from './files/index.ts'
import { functionRoutes } from './functions/index.ts'
import {
  type Authenticators,
  addConsole,
  addFixedDocument,
  addHealth,
  addMetricsForLoopback,
  ConsoleFiles,
  createHttpServer,
  type Exchange,
  type Handlers,
  identify,
  introspectionRoutes,
  openApiDocument,
  type Page,
  rateLimiter,
  referencePage,
} from './http/index.ts'
import { KeyAuthenticator, keyRoutes } from './keys/index.ts'
import { mailRoutes } from './mail/index.ts'
import { addMcp } from './mcp/index.ts'
import { proxyRoutes } from './proxy/index.ts'
import { replayRoutes } from './replay/index.ts'
import { scheduleRoutes } from './schedules/index.ts'
import { searchRoutes } from './search/index.ts'
import type { Services } from './services.ts'
import { authenticateSession, currentSession, SignInAttempts, sessionPages, sessionRoutes } from './sessions/index.ts'
import { ShareCleanUp, sharePages, shareRoutes } from './shares/index.ts'
import { statisticsRoutes } from './statistics/index.ts'
import { announceChanges, StreamHub, streamRoutes } from './stream/index.ts'
import { addTag, tagRoutes } from './tags/index.ts'
import { upgradeRoutes } from './upgrades/index.ts'
import { vaultRoutes } from './vault/index.ts'
import {
  countWorkflowsUsing,
  deployWorkflow,
  findDeployRefusal,
  holdWorkflow,
  listWorkflowsCalling,
  listWorkflowsOf,
  previewChange,
  workflowExists,
  workflowRoutes,
  workflowsUsing,
  workflowTaggable,
} from './workflows/index.ts'

/** Where the build of the workspace `console` puts its files. */
const consoleFolder = fileURLToPath(new URL('../../console/dist', import.meta.url))
/** Of the thirty seconds that a stop may take. */
const closeMsMax = 10_000

/** Everything that answers: operations, pages, webhook intake, health. Resolves when it listens. */
export async function startApi(
  context: Context,
  services: Services,
  whyNotReady: () => Promise<string | undefined>,
): Promise<void> {
  const { config, log, parts, faultsOf, metrics, place } = context
  const { webhooks } = services
  const api = await createApiParts(context, services)
  const http = await createHttpServer({
    operations,
    handlers: createHandlers(context, services, api),
    pages: createPages(context, services, api),
    rawRoutes: [...webhooks.rawRoutes, ...services.runs.rawRoutes],
    authenticators: api.authenticators,
    rateLimiter: rateLimiter(config.rateLimitPerSecond),
    metrics,
    slots: services.slots,
    logger: log,
    trustedProxies: config.trustedProxies,
    elsewhere: config.cell === undefined ? undefined : new Elsewhere(services.database),
  })
  // Streams have no end of their own, and requests that wait for runs a late one: a stop would wait for them.
  http.addHook('preClose', async () => {
    api.hub.endAll()
    services.runs.ends.endAll()
  })
  addHealth(http, whyNotReady)
  if (config.metricsPort === undefined) addMetricsForLoopback(http, metrics)
  addFixedDocument(http, '/openapi.json', () => openApiDocument(operations, records, place.baseUrl))
  await addMcp(http, {
    authenticators: api.authenticators,
    baseUrl: () => place.baseUrl,
    onFault: faultsOf('mcp'),
  })
  addConsole(http, new ConsoleFiles(consoleFolder))

  parts.defer(() => closeWithin(http, closeMsMax))
  const address = await listen(http, config)
  place.baseUrl = config.baseUrl ?? address
  await sayFirstAccount(context, services)
}

type ApiParts = Awaited<ReturnType<typeof createApiParts>>

/** What only this role has: sessions, key checks, shares, streams. */
async function createApiParts({ config, parts, faultsOf, place }: Context, services: Services) {
  const { database, keyRing, outbox, connecting, stream, ledger } = services
  const sessions = {
    database,
    keyRing,
    isSecure: config.baseUrl?.startsWith('https:') ?? false,
    attempts: new SignInAttempts(),
  }
  const keys = parts.use(new KeyAuthenticator(database, keyRing.systemKey('apiKeyHash'), faultsOf('keys')))
  const managedAccount = managedAccounts(database)
  const shares = {
    database,
    keyRing,
    outbox,
    files: await openStores(config.shareStorage, {
      dataDir: config.dataDir,
      database,
      isEmbedded: config.databaseUrl === undefined,
    }),
    baseUrl: () => place.baseUrl,
    ledger,
    onFault: faultsOf('shares'),
  }
  await parts.use(new ShareCleanUp(shares)).start()
  const registering = { ...connecting, workflows: workflowUses(database) }
  const mayActFor = async (exchange: Exchange, accountId: string): Promise<boolean> => {
    const session = await currentSession(sessions, exchange).catch(() => undefined)
    if (!session) return true
    return managedAccount(session.myAccount, accountId).then(
      () => true,
      () => false,
    )
  }
  const authenticators: Authenticators = {
    byKeys: (consumer, secretKey, address) => keys.authenticate(consumer, secretKey, address),
    bySession: (token, csrfToken, needsNoToken) => authenticateSession(sessions, token, csrfToken, needsNoToken),
    managedAccount,
  }
  const hub = parts.use(new StreamHub(database, stream, faultsOf('stream')))
  return { sessions, shares, registering, mayActFor, authenticators, hub }
}

function createHandlers({ config, place }: Context, services: Services, api: ApiParts): Handlers {
  const { database, keyRing, contents, catalog, outbox, guard, outbound, connecting, connections } = services
  const { events, sandbox, calls, runs, replaying, webhooks, stream, ledger } = services
  const { sessions, shares, registering, authenticators, hub } = api
  const checkScript = (source: string) => sandbox.checkScript(source)
  return announceChanges(stream.announce, {
    ...introspectionRoutes(),
    ...accountRoutes({ database, keyRing, outbox, baseUrl: () => place.baseUrl }),
    ...keyRoutes({ database, keyRing }),
    ...searchRoutes({ database, keyRing, contents }),
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
    ...mailRoutes({ database, outbox, ledger }),
    ...shareRoutes(shares),
    ...catalogRoutes({
      database,
      catalog,
      outbound,
      uses: catalogUses,
      withdrawCredentials: connecting.withdrawCredentials,
      ledger,
    }),
    ...functionRoutes({ catalog }),
    ...vaultRoutes({ ledger, database, keyRing, workflowExists, holdWorkflow }),
    ...connectionRoutes(registering),
    ...proxyRoutes({ connections, calls }),
    ...documentLibraryRoutes({ database, guard, outbound }),
    ...workflowRoutes({
      database,
      keyRing,
      catalog,
      connections,
      checkScript,
      runs: runs.ofWorkflows,
      webhooks: webhooks.ofWorkflows,
      ledger,
    }),
    ...runs.routes,
    ...replayRoutes({
      ...replaying,
      previewChange: (principal, workflowId, changes) =>
        previewChange({ database, keyRing, catalog, checkScript }, principal, workflowId, changes),
    }),
    ...scheduleRoutes({ database, publish: events.publish }),
    ...eventRoutes({ database, keyRing }),
    ...webhooks.routes,
    ...upgradeRoutes(services.upgrading),
    ...bulkRoutes({ database, catalog, verbs: bulkVerbs(services) }),
    ...statisticsRoutes({ database, quotas: config.storage }),
    ...alarmRoutes({ database, publish: services.publish, baseUrl: () => place.baseUrl }),
    ...streamRoutes({ database, hub, authenticate: (exchange) => identify(authenticators, exchange) }),
  })
}

function createPages({ place }: Context, { outbox, runs }: Services, api: ApiParts): Page[] {
  const { sessions, shares, registering, mayActFor } = api
  return [
    ...sessionPages({ ...sessions, outbox, baseUrl: () => place.baseUrl }),
    ...sharePages(shares),
    referencePage(),
    callbackPage({ ...registering, outbox, mayActFor }),
    takeBackPage({ ...registering, outbox }),
    ...reconnectPages(registering),
    ...runs.pages,
  ]
}

async function sayFirstAccount({ config, say, place }: Context, { database, keyRing }: Services): Promise<void> {
  const first = await createFirstAccount({ database, keyRing, baseUrl: place.baseUrl, dataDir: config.dataDir })
  if (!first) return
  say(`First account: ${first.account.email}`)
  say(`  Consumer:  ${first.account.consumer}`)
  say(`  SecretKey: ${first.account.secretKey}`)
  say(`  Sign in once and set a password: ${first.signInLink}`)
  say(`  Saved in ${config.dataDir}/first-account.json. Move it to a safe place.`)
}

function bulkVerbs({ database, keyRing, connections, runs }: Services): BulkVerbs {
  const deploying = { database, keyRing, connections }
  const tagging = { database, taggables: { workflow: workflowTaggable(database) } }
  return {
    ...runs.ofBulk,
    deploy: (principal, id) => deployWorkflow(deploying, principal, id),
    whyNotDeployable: (principal, id) => findDeployRefusal(deploying, principal, id),
    tag: (principal, entityId, value) => addTag(tagging, principal, { entityType: 'workflow', entityId, value }),
  }
}

const catalogUses: CatalogUses = {
  registeredApplications: listInstances,
  workflows: listWorkflowsOf,
  workflowsCalling: listWorkflowsCalling,
}

function workflowUses(database: Database): WorkflowUses {
  return {
    using: workflowsUsing,
    countUsing: (scope, ids) => countWorkflowsUsing({ database }, scope, ids),
  }
}

async function listen(http: FastifyInstance, config: Config): Promise<string> {
  await http.listen({ host: config.host, port: config.port })
  return addressOf(http)
}

export function addressOf(http: FastifyInstance): string {
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
