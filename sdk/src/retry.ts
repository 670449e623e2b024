// When a failed request may be sent again, and how long to wait first.
import { ConnectionError } from './errors.ts'
import type { Route } from './request-parts.ts'

const busyStatuses = new Set([502, 503, 504])
const firstWaitMs = 250
const waitMsMax = 20_000

/**
 * Reading can be repeated after any failure. What changes something is repeated only after 429: such a request was turned away before
 * it did anything, while after a cut connection nobody knows whether it did.
 */
export function mayRepeat(route: Route, failure: Response | ConnectionError): boolean {
  if (failure instanceof ConnectionError) return !route.changesState && !failure.isCancelled
  return failure.status === 429 || (!route.changesState && busyStatuses.has(failure.status))
}

/** Twice as long each time, give or take a quarter so that many clients do not return at once; what the service asks for wins. */
export function waitBefore(attempt: number, failure: Response | ConnectionError): number {
  const asked =
    failure instanceof ConnectionError ? Number.NaN : Number(failure.headers.get('retry-after') ?? Number.NaN)
  const waitMs = Number.isFinite(asked) ? asked * 1000 : firstWaitMs * 2 ** attempt * (0.75 + Math.random() / 2)
  return Math.min(waitMs, waitMsMax)
}

/** Rejects when the signal is aborted first. */
export function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((done, fail) => {
    const stop = () => {
      clearTimeout(timer)
      fail(new ConnectionError('The request was cancelled.', { isCancelled: true, cause: signal?.reason }))
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop)
      done()
    }, ms)
    if (signal?.aborted) stop()
    else signal?.addEventListener('abort', stop, { once: true })
  })
}
