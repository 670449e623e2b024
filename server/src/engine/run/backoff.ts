/** All randomness comes in as `jitter`, a number from 0 up to but not including 1. */

const webhookFirstDelayMs = 30_000
const webhookLongestDelayMs = 3_600_000
const blockFirstDelayMs = 500
const blockLongestDelayMs = 5_000

/** So many workers may die on one block before the block itself is held to be the cause. */
const workerDeathsMax = 3

/** How long a failed webhook request waits: 30 s after its first error, doubling, never longer than 1 hour. */
export function webhookRetryDelayMs(errorCounter: number, jitter: number): number {
  return spread(webhookFirstDelayMs, webhookLongestDelayMs, errorCounter, jitter)
}

/** `skipProcessingAfterErrors` of 0 means that a request is never given up. */
export function isSkippedAfterErrors(errorCounter: number, skipProcessingAfterErrors: number): boolean {
  return skipProcessingAfterErrors > 0 && errorCounter >= skipProcessingAfterErrors
}

/**
 * What becomes of a block whose worker died while it ran, `workerDeaths` counting this one: a short wait before the
 * next try, well inside the 30 seconds within which a run must go on, or null for an end in Error.
 */
export function blockRetryDelayMs(workerDeaths: number, jitter: number): number | null {
  if (workerDeaths >= workerDeathsMax) return null
  return spread(blockFirstDelayMs, blockLongestDelayMs, workerDeaths, jitter)
}

/**
 * Doubles with every failure and spreads the result by a tenth to both sides, so that what failed together does not
 * come back together. The doubling ends early enough for the spread to stay below the longest delay.
 */
function spread(firstMs: number, longestMs: number, failures: number, jitter: number): number {
  const doubled = firstMs * 2 ** Math.max(0, failures - 1)
  return Math.round(Math.min(doubled, longestMs / 1.1) * (0.9 + 0.2 * jitter))
}
