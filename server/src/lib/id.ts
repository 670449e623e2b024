import { randomFillSync } from 'node:crypto'

// Asking the system for random bytes, and writing them as digits, costs more than everything else here, so it is done for many ids at once.
const pool = Buffer.alloc(10 * 256)
const digitsPerId = 20
let digits = ''
let used = 0
/** The first two groups, which are the same for all ids of a millisecond. */
let time = { at: -1, groups: '' }

/** A version 7 GUID: ordered by time, so that rows made together lie together in an index. */
export function newId(now: number = Date.now()): string {
  if (used === digits.length) {
    digits = randomFillSync(pool).toString('hex')
    used = 0
  }
  if (time.at !== now) {
    const text = now.toString(16).padStart(12, '0')
    time = { at: now, groups: `${text.slice(0, 8)}-${text.slice(8)}` }
  }
  const at = used
  used += digitsPerId
  const variant = '89ab'[digits.charCodeAt(at) & 3]
  return `${time.groups}-7${digits.slice(at + 1, at + 4)}-${variant}${digits.slice(at + 4, at + 7)}-${digits.slice(at + 7, at + 19)}`
}
