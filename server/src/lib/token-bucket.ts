export type BucketState = { limit: number; remaining: number; resetSeconds: number; refused: boolean }

type Bucket = { tokens: number; refilledAt: number }

const bucketsMax = 50_000

/** One token bucket a key: `burst` at once, `perSecond` on average. Asking takes a token. */
export function createTokenBuckets(
  rate: { perSecond: number; burst: number },
  now: () => number = () => performance.now(),
): (key: string) => BucketState {
  const { perSecond, burst } = rate
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
