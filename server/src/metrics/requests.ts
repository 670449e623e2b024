import { Counter, Histogram, type Registry } from 'prom-client'

export type ObserveRequest = (operation: string, status: number, seconds: number) => void

export function createRequestMetrics(registry: Registry): ObserveRequest {
  const duration = new Histogram({
    name: 'patchbay_http_request_duration_seconds',
    help: 'Time from the first byte of a request to the last byte of its answer.',
    labelNames: ['operation'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers: [registry],
  })
  const answers = new Counter({
    name: 'patchbay_http_answers_total',
    help: 'Answers by operation and status.',
    labelNames: ['operation', 'status'],
    registers: [registry],
  })
  // Finding a series by its labels costs more than counting, so each is found once; routes and statuses are few.
  const durations = new Map<string, { observe(value: number): void }>()
  const counters = new Map<string, Map<number, { inc(): void }>>()
  return (operation, status, seconds) => {
    found(durations, operation, () => duration.labels(operation)).observe(seconds)
    const ofOperation = found(counters, operation, () => new Map())
    found(ofOperation, status, () => answers.labels(operation, String(status))).inc()
  }
}

function found<Key, Series>(known: Map<Key, Series>, key: Key, find: () => Series): Series {
  let series = known.get(key)
  if (!series) {
    series = find()
    known.set(key, series)
  }
  return series
}
