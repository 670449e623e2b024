// A token bucket per key pair and process. A limit is a wall against a runaway client, so it is generous and costs nearly nothing.
import { AppError } from '../lib/app-error.ts'

type Bucket = { tokens: number; refilledAt: number }

export type RateLimiter = (key: string) => { limit: number; remaining: number; resetSeconds: number; refused: boolean }

const bucketsMax = 50_000

/** Allows `perSecond` on average and twice that at once. */
export function rateLimiter(perSecond: number, now: () => number = () => performance.now()): RateLimiter {
  const burst = perSecond * 2
  const buckets = new Map<string, Bucket>()
  return (key) => {
    const time = now()
    let bucket = buckets.get(key)
    if (!bucket) {
      // Forgetting a bucket forgives its debts, so the oldest go first and only when there are very many.
      if (buckets.size >= bucketsMax) buckets.delete(buckets.keys().next().value as string)
      bucket = { tokens: burst, refilledAt: time }
      buckets.set(key, bucket)
    }
    bucket.tokens = Math.min(burst, bucket.tokens + ((time - bucket.refilledAt) * perSecond) / 1000)
    bucket.refilledAt = time
    const refused = bucket.tokens < 1
    if (!refused) bucket.tokens -= 1
    return {
      limit: burst,
      remaining: Math.floor(bucket.tokens),
      resetSeconds: Math.ceil((burst - bucket.tokens) / perSecond),
      refused,
    }
  }
}

export function tooManyRequests(): AppError {
  return new AppError(
    'too_many_requests',
    'This key pair sends more requests than it may. Wait a second and try again.',
  )
}
