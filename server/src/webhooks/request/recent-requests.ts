import { type ReceivedRequest, unpackRequest } from './request-record.ts'

/** Of each of two halves: those of a moment at full load. A run that begins later reads its request from the database. */
const halfBytesMax = 4 * 1024 * 1024
/** What an entry takes beside its bytes, roughly. */
const entryBytes = 200

/**
 * Requests that were just made durable, as they were before they were sealed. Most runs begin within milliseconds in the process that took
 * their request: they need not ask for it nor open it.
 *
 * When the newer half is full it becomes the older one, and what was left of that is dropped as a whole: looking for the oldest of a map at
 * every step would cost more than all the rest.
 */
export class RecentRequests {
  #newer = new Map<string, Buffer>()
  #older = new Map<string, Buffer>()
  #newerBytes = 0
  #isWanted = false

  /** Only a process that runs workflows has a use for it. */
  begin(): void {
    this.#isWanted = true
  }

  keep(id: string, packed: Buffer): void {
    if (!this.#isWanted) return
    this.#newer.set(id, packed)
    this.#newerBytes += packed.length + entryBytes
    if (this.#newerBytes <= halfBytesMax) return
    this.#older = this.#newer
    this.#newer = new Map()
    this.#newerBytes = 0
  }

  /** Once: who needs it again has failed before, and comes later. */
  take(id: string): ReceivedRequest | undefined {
    const packed = this.#newer.get(id) ?? this.#older.get(id)
    if (!packed) return undefined
    if (!this.#newer.delete(id)) this.#older.delete(id)
    return unpackRequest(packed)
  }
}
