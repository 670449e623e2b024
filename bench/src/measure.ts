import autocannon from 'autocannon'

export type Load = {
  url: string
  headers?: Record<string, string>
  seconds?: number
  /** So many requests instead of a time. */
  amount?: number
  connections?: number
  method?: 'GET' | 'POST'
  body?: string
  /** These in turn, instead of one. */
  bodies?: string[]
  /** Not at full load, but at this rate. */
  perSecondMax?: number
}

/** Requests per second at full load; refuses to report a figure that holds failures. */
export async function requestsPerSecond(load: Load): Promise<{ perSecond: number; p50Ms: number; p99Ms: number }> {
  const result = await autocannon({
    url: load.url,
    method: load.method ?? 'GET',
    ...(load.headers ? { headers: load.headers } : {}),
    ...(load.body === undefined ? {} : { body: load.body }),
    ...(load.bodies === undefined ? {} : { requests: load.bodies.map((body) => ({ body })) }),
    ...(load.perSecondMax === undefined ? {} : { overallRate: load.perSecondMax }),
    connections: load.connections ?? 50,
    ...(load.amount === undefined ? { duration: load.seconds ?? 5 } : { amount: load.amount }),
    // The load comes from a thread of its own, as it would from another machine.
    workers: 1,
  })
  if (result.non2xx > 0 || result.errors > 0)
    throw new Error(`${load.url}: ${result.non2xx} answers were not 2xx, ${result.errors} errors.`)
  return { perSecond: result.requests.average, p50Ms: result.latency.p50, p99Ms: result.latency.p99 }
}

export function medianOf(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
}
