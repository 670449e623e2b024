import { randomFillSync } from 'node:crypto'

// Asking the system for random bytes costs more than everything else here, so they are fetched for many ids at once.
const pool = Buffer.alloc(16 * 256)
let used = pool.length

/** A version 7 GUID: ordered by time, so that rows made together lie together in an index. */
export function newId(now: number = Date.now()): string {
  if (used === pool.length) {
    randomFillSync(pool)
    used = 0
  }
  const bytes = pool.subarray(used, used + 16)
  used += 16
  bytes.writeUIntBE(now, 0, 6)
  bytes[6] = (bytes[6]! & 0x0f) | 0x70
  bytes[8] = (bytes[8]! & 0x3f) | 0x80
  const hex = bytes.toString('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
}
