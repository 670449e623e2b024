import { randomFillSync } from 'node:crypto'

const bytes = Buffer.alloc(16)

/** A version 7 GUID: ordered by time, so that rows made together lie together in an index. */
export function newId(now: number = Date.now()): string {
  randomFillSync(bytes)
  bytes.writeUIntBE(now, 0, 6)
  bytes[6] = (bytes[6]! & 0x0f) | 0x70
  bytes[8] = (bytes[8]! & 0x3f) | 0x80
  const hex = bytes.toString('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
}
