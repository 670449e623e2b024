// What has arrived of an upload counts for the quota while it is under way: many that are never finished could fill the storage otherwise.
import type { StorageLedger } from '../storage/index.ts'

type Deps = {
  ledger: Pick<StorageLedger, 'add' | 'requireQuota'>
  accountId: string
  /** Writes down that the upload goes on, and how much there is of it. */
  touch(bytes: number): Promise<void>
  onFault(error: unknown): void
}

const touchEveryMs = 20_000
/** Writing so much takes far longer than the statement that tells it. */
const touchEveryBytes = 16 * 1024 * 1024

export class UploadProgress implements Disposable {
  readonly #deps: Deps
  #timer: NodeJS.Timeout | undefined
  #received = 0
  #counted = 0

  constructor(deps: Deps) {
    this.#deps = deps
  }

  /** What the account's quota was told of it. */
  get countedBytes(): number {
    return this.#counted
  }

  start(): void {
    this.#timer = setInterval(() => this.#count(), touchEveryMs)
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer)
  }

  /** Ends the upload as soon as the account has no room left, by whatever it stores. */
  async *watch(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    for await (const chunk of source) {
      this.#deps.ledger.requireQuota(this.#deps.accountId)
      this.#received += chunk.length
      if (this.#received - this.#counted >= touchEveryBytes) this.#count()
      yield chunk
    }
  }

  #count(): void {
    const { ledger, accountId, touch, onFault } = this.#deps
    ledger.add(accountId, this.#received - this.#counted)
    this.#counted = this.#received
    touch(this.#received).catch(onFault)
  }
}
