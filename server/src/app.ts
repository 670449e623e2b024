// The composition root: Config -> App. With services.ts and what that is made of, worker.ts and api.ts, the only files that know everyone.

import type { Client } from 'pg'
import type { Logger } from 'pino'
import { addressOf, startApi } from './api.ts'
import type { Config } from './config.ts'
import { connectionCareQueue } from './connections/index.ts'
import type { Context } from './context.ts'
import { type ConnectionSettings, countMigrations, migrate, startEmbeddedServer } from './db/index.ts'
import { FaultLog } from './fault-log.ts'
import { startMetricsServer } from './http/index.ts'
import { mailQueue, mailRetries } from './mail/index.ts'
import { createMetrics } from './metrics/index.ts'
import { installQueues, type QueueDefinitions } from './queue/index.ts'
import { ReadinessWatch } from './readiness.ts'
import { replayQueue } from './replay/index.ts'
import { runQueue } from './runs/index.ts'
import { createServices } from './services.ts'
import { upgradeQueue } from './upgrades/index.ts'
import { webhookCheckQueue, webhookReplayQueue } from './webhooks/index.ts'
import { startWorker } from './worker.ts'

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

const queues: QueueDefinitions = {
  // The mailer decides which try is the last one; the queue has more, for a worker that dies over that one.
  [mailQueue]: { retryLimit: 2 * mailRetries, retryDelaySeconds: 5, retryDelaySecondsMax: 600 },
  // What a check misses, the next one finds.
  [connectionCareQueue]: { retryLimit: 0, retryDelaySeconds: 0 },
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
  // Rows say how far an upgrade is, so a turn that died is simply taken again.
  [upgradeQueue]: {
    heartbeatSeconds: 10,
    retryLimit: 1_000_000,
    retryDelaySeconds: 1,
    growsDelay: false,
    expireSeconds: 7200,
    waitSecondsMax: 30 * 86_400,
  },
  // Each run of a replay is stored by itself: whoever takes it over goes on with the rest. After a day it is kept no longer.
  [replayQueue]: {
    heartbeatSeconds: 10,
    retryLimit: 1000,
    retryDelaySeconds: 2,
    growsDelay: false,
    expireSeconds: 86_400,
    waitSecondsMax: 86_400,
  },
  [webhookReplayQueue]: { retryLimit: 1000, retryDelaySeconds: 5, growsDelay: false, expireSeconds: 3600 },
}

type StartOptions = {
  /** Of several processes that work together. */
  readMetrics?: (() => Promise<string>) | undefined
  logLinesDropped?: () => number
  /** Aborted to call the start off. */
  signal?: AbortSignal
}

export async function startApp(
  config: Config,
  log: Logger,
  say: (line: string) => void,
  { readMetrics, logLinesDropped = () => 0, signal }: StartOptions = {},
): Promise<App> {
  const parts = new AsyncDisposableStack()
  try {
    return await compose({ config, log, say, parts, readMetrics, logLinesDropped, signal })
  } catch (error) {
    await parts.disposeAsync()
    throw error
  }
}

/** Brings a database up to this program; returns the names of the migrations that were applied. */
export function migrateAndInstall(connection: ConnectionSettings, signal?: AbortSignal): Promise<string[]> {
  return migrate(connection, { afterwards: installServiceQueues, signal })
}

export function installServiceQueues(owner: Client): Promise<void> {
  return installQueues(owner, queues)
}

type Start = Pick<Context, 'config' | 'log' | 'say' | 'parts'> & {
  readMetrics: (() => Promise<string>) | undefined
  logLinesDropped: () => number
  signal: AbortSignal | undefined
}

async function compose({ config, log, say, parts, readMetrics, logLinesDropped, signal }: Start): Promise<App> {
  const metrics = createMetrics(config.role, readMetrics)
  const faults = parts.use(new FaultLog(log, metrics.work.onFault))
  const embedded =
    config.databaseUrl === undefined ? parts.use(await startEmbeddedServer(config.dataDir, say, { signal })) : undefined
  const connection: ConnectionSettings = embedded?.connection ?? { connectionString: config.databaseUrl as string }
  const applied = await migrateAndInstall(connection, signal)
  if (applied.length > 0) say(`Database brought up to date: ${applied.join(', ')}.`)

  // A worker has no port of its own: without a base address its links lead to where an API process would be.
  const place = { baseUrl: config.baseUrl ?? `http://${config.host}:${config.port}` }
  const context: Context = { config, log, say, parts, faultsOf: (part) => faults.of(part), metrics, place }
  const services = await createServices(context, connection)
  signal?.throwIfAborted()

  const { database, sandbox } = services
  metrics.watch({
    pools: () => database.pools,
    sandbox: () => sandbox.load,
    logLinesDropped,
    db: database.system,
    migrationsKnown: countMigrations(),
  })
  const readiness = parts.use(new ReadinessWatch(services.database, log))
  readiness.start()
  const whyNotReady = () => readiness.whyNot()
  if (config.metricsPort !== undefined) {
    const watched = await startMetricsServer(config.host, config.metricsPort, metrics, whyNotReady)
    parts.defer(() => watched.close())
    say(`Metrics and health at ${addressOf(watched)}.`)
  }
  const worker = config.role === 'api' ? undefined : await startWorker(context, services)
  signal?.throwIfAborted()
  if (config.role !== 'worker') await startApi(context, services, whyNotReady)
  signal?.throwIfAborted()
  if (worker) {
    worker.takeRuns()
    // The first thing at a stop: runs end their block while everything else stops. Requests alone may take ten seconds of the time there is.
    parts.defer(() => worker.leaveRuns())
  }
  return {
    baseUrl: config.role === 'worker' ? undefined : place.baseUrl,
    failed: Promise.race([
      readiness.outdated,
      ...(embedded ? [embedded.died.then((output) => `The embedded database stopped unexpectedly:\n${output}`)] : []),
    ]),
    drain: () => readiness.drain(),
    abandon: () => embedded?.abandon(),
    [Symbol.asyncDispose]: () => parts.disposeAsync(),
  }
}
