// What the service is made of, whichever role a process has.
import { mkdir } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { Logger } from 'pino'
import { countRuns } from './activity/index.ts'
import { insertChecks } from './alarms/index.ts'
import { Catalog, pinEarlierTemplates } from './catalog/index.ts'
import { HeldAccounts } from './cells/index.ts'
import type { Config } from './config.ts'
import { createConnections, createDatabaseRateLimiter } from './connections/index.ts'
import { ContentStores, Contents } from './contents/index.ts'
import { type ConnectionSettings, Database } from './db/index.ts'
import { explainDenial } from './document-library/index.ts'
import { createEventPublisher, tellRuns } from './events/index.ts'
import type { ReportFault } from './fault-log.ts'
import { createFunctionLibrary } from './functions/index.ts'
import { createEmailSender, createOutbox, createOwnServerSender } from './mail/index.ts'
import type { Metrics } from './metrics/index.ts'
import { createGuard, createRefusalLog, OutboundClient } from './outbound/index.ts'
import { createApplicationCalls } from './proxy/index.ts'
import { JobQueue } from './queue/index.ts'
import { findBrokenRun } from './replay/index.ts'
import { createRuns, scriptLibrary } from './runs/index.ts'
import { SandboxPool } from './sandbox/index.ts'
import { insertFeed } from './search/index.ts'
import { KeyRing, MasterKeys } from './secrets/index.ts'
import { readDiskSpace, StorageLedger } from './storage/index.ts'
import { announceEnds, relayEvents, StreamSource } from './stream/index.ts'
import { RunTraces, startExporter } from './tracing/index.ts'
import { checkMerged, type UpgradeDeps } from './upgrades/index.ts'
import { createVault } from './vault/index.ts'
import { createRunPorts, createWebhooks } from './webhooks/index.ts'
import { findDefinition, findFunctionStamp, giveEarlierBases } from './workflows/index.ts'

/** What every part is made from. */
export type Context = {
  readonly config: Config
  readonly log: Logger
  /** Prints what a person who starts the service should see; everything else is log. */
  say(line: string): void
  /** Everything started is pushed here and stopped in reverse order, also when a later part fails to start. */
  readonly parts: AsyncDisposableStack
  /** How a part reports what went wrong without anybody asking. */
  faultsOf(part: string): ReportFault
  readonly metrics: Metrics
  /** Where links lead. The port may be any free one, so it is known for certain only once it is bound. */
  readonly place: { baseUrl: string }
}

export type Services = Awaited<ReturnType<typeof createServices>>

/** Rules and means that both roles use; nothing here acts by itself. */
export async function createServices(context: Context, connection: ConnectionSettings) {
  const { config, log, say, parts, faultsOf, metrics, place } = context
  const baseUrl = () => place.baseUrl
  // With a database and a key from elsewhere nobody has needed it before.
  await mkdir(config.dataDir, { recursive: true, mode: 0o700 })
  const database = parts.use(new Database(connection, faultsOf('database'), undefined, metrics.observeDatabaseWait))
  await database.checkSessions()
  const keyRing = await KeyRing.load(database, new MasterKeys(config.masterKey), config.systemKeySeed)
  const contents = await openContents(context, database, keyRing)
  const catalog = await Catalog.load({
    database,
    directory: fileURLToPath(new URL('../../catalog', import.meta.url)),
    onProblem: (problem) => log.warn({ part: 'catalog', ...problem }, 'A catalogue file is invalid and was left out.'),
  })
  await pinEarlierTemplates({ database, catalog })
  await giveEarlierBases({ database, catalog })
  const ledger = parts.use(
    new StorageLedger({
      database,
      limits: config.storage,
      diskSpace: () => readDiskSpace(config.dataDir),
      onFault: faultsOf('storage'),
    }),
  )
  await ledger.start()
  const jobs = parts.use(await JobQueue.start(database, config.role !== 'api', faultsOf('queue')))
  const outbox = createOutbox({ keyRing, jobs, canSend: config.smtpUrl !== undefined, ledger })
  const guard = createGuard({
    allow: config.egressAllow,
    onRefusal: createRefusalLog((refusal, sentence) => log.warn({ part: 'outbound', ...refusal }, sentence)),
  })
  const outbound = parts.use(
    new OutboundClient({
      guard,
      rateLimiter: createDatabaseRateLimiter(database),
      // Describing a call takes time, so it is done only where somebody reads it.
      ...(log.isLevelEnabled('debug')
        ? { onHop: (hop) => log.debug({ part: 'outbound', ...hop }, 'A target was called.') }
        : {}),
    }),
  )
  const held = config.cell === undefined ? undefined : parts.use(new HeldAccounts(database, faultsOf('cells')))
  await held?.start()
  const events = createEventPublisher()
  const stream = parts.use(new StreamSource(database, faultsOf('stream')))
  await stream.start()
  const { announce } = stream
  const publish = relayEvents(announce, events.publish)
  const connecting = createConnections({
    database,
    keyRing,
    catalog,
    outbox,
    outbound,
    smtp: createOwnServerSender({ database, guard }),
    explainDenial,
    publish,
    baseUrl,
    onFault: faultsOf('connections'),
  })
  const { connections } = connecting
  const sandbox = parts.use(
    await SandboxPool.create({
      hiddenPaths: hiddenFromScripts(config),
      isStrict: config.sandbox === 'strict',
      sharedBy: config.processes,
    }),
  )
  for (const sentence of sandbox.missing) say(sentence)
  const traces = await startTraces(context)
  const watchedSandbox = watchScripts(sandbox, metrics)
  const emails = createEmailSender({ database, outbox, ledger })
  const calls = createApplicationCalls({ connections })
  const vault = createVault({ database, keyRing, ledger })
  const functions = createFunctionLibrary(catalog, (workflowId) => findFunctionStamp({ database }, workflowId))
  const webhookPorts = createRunPorts({ database, keyRing, publish, baseUrl })
  const runnable = (accountId: string, workflowId: string, revision?: number) =>
    findDefinition({ database, keyRing }, accountId, workflowId, revision)
  const runs = createRuns({
    database,
    keyRing,
    contents,
    jobs,
    vault,
    sandbox: watchedSandbox,
    traces,
    functions,
    findDefinition: runnable,
    applications: calls,
    sendEmail: (scope, message) => emails.send(scope, message),
    secretsOf: (scope, ids) => connections.secretsOf(scope, ids),
    missingApplications: async (scope, { applications }) => {
      const present = await connections.list(scope, Object.values(applications))
      const signedIn = new Set(present.filter((one) => one.isAuthenticated).map((one) => one.id))
      return Object.keys(applications).filter((shortName) => !signedIn.has(applications[shortName] as string))
    },
    webhooks: webhookPorts,
    ledger,
    heldAccounts: () => held?.ids ?? nobody,
    onRunsEnded: async (tx, ended, workflows) => {
      tx.afterCommit(() => {
        announceEnds(announce, ended, workflows)
        for (const run of ended) {
          metrics.work.onRunEnded(run)
          traces?.onEnded(run)
        }
      })
      const ids = ended.map(({ id }) => id)
      await Promise.all([
        countRuns(tx, ended),
        webhookPorts.onRunsEnded(tx, ended),
        insertFeed(tx, 'run', ids),
        insertChecks(tx, ended),
      ])
      await tellRuns({ publish, baseUrl }, tx, ended, workflows)
    },
    publish,
    news: {
      onTaken: ({ runId, attempt }) => {
        metrics.work.onRunTaken({ id: runId, attempt })
        traces?.onTaken({ runId })
      },
      onStarted: ({ accountId, workflowId, workflowName, runNumber, runBy }) =>
        announce({ type: 'run.started', accountId, workflowId, data: { workflowName, runNumber, runBy } }),
      onBlockEnded: (block) => {
        const { accountId, workflowId, runNumber, blockId: uniqueBlockId, blockName, status, errorMessage } = block
        metrics.work.onBlockEnded({ status, activeMs: activeMsOf(block) })
        traces?.onBlockEnded(block)
        const data = { runNumber, uniqueBlockId, blockName, status, errorMessage }
        announce({ type: 'run.block', accountId, workflowId, data })
      },
    },
    runTimeoutSeconds: config.runTimeoutSeconds,
    retention: { daysKept: config.runRetentionDays, runsKeptMax: config.runRetentionCount },
    onFault: faultsOf('runs'),
  })
  const replaying = {
    database,
    keyRing,
    contents,
    jobs,
    sandbox,
    functions: scriptLibrary(functions),
    connections,
    secretsOf: connections.secretsOf,
    findDefinition: runnable,
    runTimeoutSeconds: config.runTimeoutSeconds,
    onFault: faultsOf('replay'),
  }
  const webhooks = createWebhooks({
    database,
    keyRing,
    contents,
    jobs,
    vault,
    sandbox,
    functions,
    findDefinition: runnable,
    checkScript: (source) => sandbox.checkScript(source),
    starter: runs.starter,
    runPorts: webhookPorts,
    publish,
    baseUrl,
    webhookUrl: () => config.webhookUrl ?? `${place.baseUrl}/webhook`,
    daysKept: config.runRetentionDays,
    onQueueChange: (accountId, workflowId) => announce({ type: 'queue.changed', accountId, workflowId, data: {} }),
    ledger,
    onFault: faultsOf('webhooks'),
  })
  const upgrading: UpgradeDeps = {
    database,
    keyRing,
    catalog,
    connections,
    checkScript: checkMerged((source) => sandbox.checkScript(source)),
    jobs,
    publish,
    baseUrl,
    findBrokenRun: (change) => findBrokenRun(replaying, change),
    daysKept: config.runRetentionDays,
    onChanged: (accountId, workflowId, operation) =>
      announce({ type: 'workflow.changed', accountId, workflowId, data: { operation } }),
    onFault: faultsOf('upgrades'),
  }
  return {
    ledger,
    database,
    keyRing,
    contents,
    catalog,
    jobs,
    outbox,
    guard,
    outbound,
    connecting,
    connections,
    events,
    sandbox,
    calls,
    runs,
    replaying,
    webhooks,
    upgrading,
    stream,
    publish,
  }
}

async function openContents({ config, faultsOf }: Context, database: Database, keyRing: KeyRing): Promise<Contents> {
  const onFault = faultsOf('contents')
  const stores = await ContentStores.open({ database, settings: config.contents, onFault })
  return new Contents({ stores, keyRing, bytesMin: config.contents.bytesMin, onFault })
}

const nobody: ReadonlySet<string> = new Set()

/** The key may lie anywhere, also in a directory that script processes need to see. */
function hiddenFromScripts({ dataDir, masterKey }: Config): string[] {
  return masterKey.kind === 'file' ? [dataDir, masterKey.path] : [dataDir]
}

/** Undefined where no traces are wanted: then nothing of the library is loaded. */
async function startTraces({ config, parts }: Context): Promise<RunTraces | undefined> {
  if (!config.traces) return undefined
  const exporter = parts.use(await startExporter({ endpoint: config.traces.endpoint, role: config.role }))
  return new RunTraces((span) => exporter.emit(span), config.traces.targets)
}

function watchScripts(sandbox: SandboxPool, metrics: Metrics): Pick<SandboxPool, 'run'> {
  return {
    run: async (job) => {
      const startedAt = performance.now()
      const outcome = await sandbox.run(job)
      metrics.work.onScriptEnded(outcome.kind, (performance.now() - startedAt) / 1000)
      return outcome
    },
  }
}

function activeMsOf({ startedAt, endedAt, pauseMs }: { startedAt: Date; endedAt: Date; pauseMs: number }): number {
  return Math.max(0, endedAt.getTime() - startedAt.getTime() - pauseMs)
}
