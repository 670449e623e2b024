/**
 * Keeps the rate that an application declares. The interface is what all processes share; the implementation here
 * keeps its memory in one process.
 */
export type RateLimit = { requests: number; perMs: number }

export type RateLimiter = {
  /**
   * Reserves the next free moment for `key` and answers how many milliseconds to wait for it. Undefined, with nothing
   * reserved, when the wait would be longer than `waitMsMax`: a caller who gives up must not push back the others.
   */
  acquire(key: string, limit: RateLimit, waitMsMax: number): Promise<number | undefined>
}

/**
 * Never more than `requests` starts in any window of `perMs`: the start times of the last `requests` calls are
 * remembered in a ring, and the next start is at least one window after the one that it overwrites.
 */
const ringSizeMax = 1_000

export function createMemoryRateLimiter(now: () => number = () => performance.now()): RateLimiter {
  const rings = new Map<string, { starts: Float64Array; next: number; lastMs: number; perMs: number }>()

  function forgetIdle(nowMs: number): void {
    for (const [key, ring] of rings) if (ring.lastMs + ring.perMs < nowMs) rings.delete(key)
  }

  return {
    acquire(key, limit, waitMsMax) {
      const { requests, perMs } = fitRing(limit)
      const nowMs = now()
      let ring = rings.get(key)
      if (ring === undefined || ring.starts.length !== requests) {
        forgetIdle(nowMs)
        // A changed limit starts anew but not before the reservations already given out.
        const earliestMs = ring === undefined ? Number.NEGATIVE_INFINITY : ring.lastMs - perMs
        ring = { starts: new Float64Array(requests).fill(earliestMs), next: 0, lastMs: earliestMs, perMs }
        rings.set(key, ring)
      }
      const startMs = Math.max(nowMs, ring.lastMs, ring.starts[ring.next]! + perMs)
      if (startMs - nowMs > waitMsMax) return Promise.resolve(undefined)
      ring.starts[ring.next] = startMs
      ring.next = (ring.next + 1) % requests
      ring.lastMs = startMs
      ring.perMs = perMs
      return Promise.resolve(startMs - nowMs)
    },
  }
}

/** A large limit is kept in equal parts of its window, which holds the whole and needs a small ring only. */
function fitRing({ requests, perMs }: RateLimit): RateLimit {
  const parts = Math.ceil(requests / ringSizeMax)
  return parts <= 1
    ? { requests: Math.max(1, Math.floor(requests)), perMs }
    : { requests: Math.floor(requests / parts), perMs: perMs / parts }
}
