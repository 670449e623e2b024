// The composition root: Config -> App. With services.ts and what that is made of, worker.ts and api.ts, the only files that know everyone.

import type { Logger } from 'pino'
import { addressOf, startApi } from './api.ts'
import { startBesideDatabase } from './beside-database.ts'
import type { Config } from './config.ts'
import type { Context } from './context.ts'
import {
  awaitServer,
  type ConnectionSettings,
  countMigrations,
  explainFault,
  migrate,
  startEmbeddedServer,
} from './db/index.ts'
import { FaultLog } from './fault-log.ts'
import { startMetricsServer } from './http/index.ts'
import { createMetrics } from './metrics/index.ts'
import { queues } from './queues.ts'
import { ReadinessWatch } from './readiness.ts'
import { createServices } from './services.ts'
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

type Start = Pick<Context, 'config' | 'log' | 'say' | 'parts'> & {
  readMetrics: (() => Promise<string>) | undefined
  logLinesDropped: () => number
  signal: AbortSignal | undefined
}

async function compose({ config, log, say, parts, readMetrics, logLinesDropped, signal }: Start): Promise<App> {
  const metrics = createMetrics(config.role, readMetrics)
  const faults = parts.use(new FaultLog(log, metrics.work.onFault))
  // A worker has no port of its own: without a base address its links lead to where an API process would be.
  const place = { baseUrl: config.baseUrl ?? `http://${config.host}:${config.port}` }
  const context: Context = { config, log, say, parts, faultsOf: (part) => faults.of(part), metrics, place }
  const starting = config.databaseUrl === undefined ? startEmbeddedServer(config.dataDir, say, { signal }) : undefined
  const beside = startBesideDatabase(context)
  const embedded = starting && parts.use(await starting)
  const connection: ConnectionSettings = embedded?.connection ?? { connectionString: config.databaseUrl as string }
  if (!embedded) await awaitServer(connection, { onFault: sayEachMinute(say), signal })
  const applied = await migrate(connection, signal)
  if (applied.length > 0) say(`Database brought up to date: ${applied.join(', ')}.`)

  const services = await createServices(context, connection, beside)
  signal?.throwIfAborted()

  const { database, sandbox, ledger } = services
  const readiness = parts.use(new ReadinessWatch(database, log))
  metrics.watch({
    pools: () => database.pools,
    sandbox: () => sandbox.load,
    logLinesDropped,
    isReady: () => readiness.isReady,
    disk: () => ledger.disk,
    db: database.system,
    migrationsKnown: countMigrations(),
    queues: Object.keys(queues),
  })
  readiness.start()
  if (config.metricsPort !== undefined) {
    const watched = await startMetricsServer(config.host, config.metricsPort, metrics, () => readiness.whyNotYet())
    parts.defer(() => watched.close())
    say(`Metrics and health at ${addressOf(watched)}.`)
  }
  const worker = config.role === 'api' ? undefined : await startWorker(context, services)
  signal?.throwIfAborted()
  if (config.role !== 'worker') await startApi(context, services, () => readiness.whyNot())
  signal?.throwIfAborted()
  if (worker) {
    worker.takeRuns()
    // The first thing at a stop: runs end their block while everything else stops. Requests alone may take ten seconds of the time there is.
    parts.defer(() => worker.leaveRuns())
  }
  readiness.open()
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

/** A database that is not there yet is waited for: whoever starts both at once need not know the order. */
function sayEachMinute(say: (line: string) => void): (error: unknown) => void {
  let saidAt = Number.NEGATIVE_INFINITY
  return (error) => {
    if (performance.now() - saidAt < 60_000) return
    saidAt = performance.now()
    say(`Waiting for the database. ${explainFault(error)}`)
  }
}
