import { type Database, sql, violatedConstraint } from '../../db/index.ts'
import type { RateLimit, RateLimiter } from '../../outbound/index.ts'

// Every reservation rewrites the ring, so a large limit is kept in equal parts of its window.
const ringSizeMax = 100

/** Keeps declared rates across all processes. Keys are ids of registered applications. */
export function createDatabaseRateLimiter(database: Database): RateLimiter {
  return {
    async acquire(key, limit, waitMsMax) {
      const { requests, perMs } = fitRing(limit)
      try {
        const { rows } = await database.system.query<{ wait_ms: number | null }>(
          sql`select reserve_call(${key}::uuid, ${requests}::integer, ${perMs}::float8, ${waitMsMax}::float8) as wait_ms`,
        )
        return rows[0]?.wait_ms ?? undefined
      } catch (error) {
        // Removed while a call through it was under way: there is nothing left to protect.
        if (violatedConstraint(error) !== undefined) return 0
        throw error
      }
    },
  }
}

function fitRing({ requests, perMs }: RateLimit): RateLimit {
  const parts = Math.ceil(requests / ringSizeMax)
  return { requests: Math.max(1, Math.floor(requests / parts)), perMs: perMs / parts }
}
