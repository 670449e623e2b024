import { type ReceivedRequest, unpackRequest } from './request-record.ts'

/** Those of a moment at full load; a run that begins later reads its request from the database. */
const bytesMax = 8 * 1024 * 1024
/** What an entry takes beside its bytes, roughly. */
const entryBytes = 200

/**
 * Requests that were just made durable, as they were before they were sealed. Most runs begin within milliseconds in the process that took
 * their request: they need not ask for it nor open it.
 */
export class RecentRequests {
  readonly #packed = new Map<string, Buffer>()
  #bytes = 0
  #isWanted = false

  /** Only a process that runs workflows has a use for it. */
  begin(): void {
    this.#isWanted = true
  }

  keep(id: string, packed: Buffer): void {
    if (!this.#isWanted) return
    this.#packed.set(id, packed)
    this.#bytes += packed.length + entryBytes
    for (const [oldest] of this.#packed) {
      if (this.#bytes <= bytesMax) break
      this.#drop(oldest)
    }
  }

  /** Once: who needs it again has failed before, and comes later. */
  take(id: string): ReceivedRequest | undefined {
    const packed = this.#drop(id)
    return packed && unpackRequest(packed)
  }

  #drop(id: string): Buffer | undefined {
    const packed = this.#packed.get(id)
    if (!packed) return undefined
    this.#packed.delete(id)
    this.#bytes -= packed.length + entryBytes
    return packed
  }
}
