// A wall against a runaway client, per key pair and process: generous, and nearly free.
import { AppError } from '../../lib/app-error.ts'
import { type BucketState, createTokenBuckets } from '../../lib/token-bucket.ts'

export type RateLimiter = (key: string) => BucketState

/** Allows `perSecond` on average and twice that at once. */
export function rateLimiter(perSecond: number): RateLimiter {
  return createTokenBuckets({ perSecond, burst: perSecond * 2 })
}

export function tooManyRequests(): AppError {
  return new AppError('too_many_requests', 'Rate limit exceeded for this key pair. Wait a second and try again.')
}
