import { AggregatorRegistry, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { Queryable } from '../db/index.ts'
import { cellLabel } from '../lib/cell.ts'
import { addHeldMetrics, type RequestSource } from './held.ts'
import { addProcessMetrics, type ProcessSource } from './process.ts'
import { createRequestMetrics, type ObserveRequest } from './requests.ts'
import { addStoredMetrics } from './stored.ts'
import { createWorkMetrics, type WorkMetrics } from './work.ts'

export type Metrics = {
  registry: Registry
  /** What is answered to whoever asks: of this process, or of all that it works with. */
  read(): Promise<string>
  observeRequest: ObserveRequest
  work: WorkMetrics
  /** What requests hold; where this process answers any. */
  watchRequests(source: RequestSource): void
  /** Time that work waited for a connection to the database. */
  observeDatabaseWait(pool: string, seconds: number): void
  /** What can be told only once everything is put together. */
  watch(source: ProcessSource & { db: Queryable; migrationsKnown: number; queues: readonly string[] }): void
}

export function createMetrics(role: string, readOfAll?: () => Promise<string>): Metrics {
  const registry = new Registry()
  // One value a process, and only where there are cells: their series lie in one Prometheus.
  registry.setDefaultLabels(cellLabel())
  if (readOfAll) {
    // Makes this process answer when its parent gathers.
    new AggregatorRegistry()
    AggregatorRegistry.setRegistries(registry)
  }
  collectDefaultMetrics({ register: registry, prefix: 'patchbay_' })
  // Gauges whose names promise a counter.
  for (const name of ['active_handles_total', 'active_requests_total', 'active_resources_total'])
    registry.removeSingleMetric(`patchbay_nodejs_${name}`)
  new Gauge({
    name: 'patchbay_build_info',
    help: 'Always 1; the labels say what runs here.',
    labelNames: ['role', 'node'],
    aggregator: 'max',
    registers: [registry],
  }).set({ role, node: process.version }, 1)
  const waits = new Histogram({
    name: 'patchbay_database_wait_seconds',
    help: 'Time that work waited for a connection to the database.',
    labelNames: ['pool'],
    buckets: [0.001, 0.005, 0.025, 0.1, 0.5, 1, 5, 10],
    registers: [registry],
  })
  return {
    registry,
    read: readOfAll ?? (() => registry.metrics()),
    observeRequest: createRequestMetrics(registry),
    work: createWorkMetrics(registry),
    observeDatabaseWait: (pool, seconds) => waits.observe({ pool }, seconds),
    watchRequests: (source) => addHeldMetrics(registry, source),
    watch: ({ db, migrationsKnown, queues, ...source }) => {
      addProcessMetrics(registry, source)
      addStoredMetrics(registry, db, queues)
      new Gauge({
        name: 'patchbay_migrations_known',
        aggregator: 'max',
        help: 'Migrations that this program has. Fewer than the database has: the program is the older one.',
        registers: [registry],
      }).set(migrationsKnown)
    },
  }
}
