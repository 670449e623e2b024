// Group commit: what arrives while the database is busy with the last batch goes there together in the next one. At low load an item
// waits for nothing; at high load one commit serves many.

type Waiting<Item, Result> = { item: Item; weight: number; resolve(result: Result): void; reject(error: unknown): void }

export type GroupCommitOptions<Item> = {
  /** Batches under way at once. */
  batchesAtOnce: number
  itemsMax: number
  /** How long the first item of a batch waits for others, asked each time. Under load fewer, larger batches cost less in all. */
  gatherMs?: () => number
  /** What an item weighs, in bytes for example, and how much a batch may weigh; one item alone may weigh more. */
  weight?: { of(item: Item): number; max: number }
  /** True for a fault that no item caused, a lost connection for example: the batch is tried once more as it is, and then given up whole. */
  isShared?: (error: unknown) => boolean
}

/** A batch that takes longer than this may be stuck. It keeps its chance, but those behind it no longer wait for it. */
const patienceMs = 2000

export class GroupCommit<Item, Result> {
  readonly #commit: (items: Item[]) => Promise<Result[]>
  readonly #options: GroupCommitOptions<Item>
  readonly #waiting: Waiting<Item, Result>[] = []
  #underWay = 0
  /** Those of them that nobody waits for any more. */
  #overdue = 0
  #isArmed = false
  #idle: PromiseWithResolvers<void> | undefined

  /** `commit` answers in the order of the items. When a batch of several fails, each item is tried by itself: one must not spoil the rest. */
  constructor(commit: (items: Item[]) => Promise<Result[]>, options: GroupCommitOptions<Item>) {
    this.#commit = commit
    this.#options = options
  }

  /** Items that no batch has taken yet. */
  get waiting(): number {
    return this.#waiting.length
  }

  add(item: Item): Promise<Result> {
    const { promise, resolve, reject } = Promise.withResolvers<Result>()
    this.#waiting.push({ item, weight: this.#options.weight?.of(item) ?? 0, resolve, reject })
    this.#arm()
    return promise
  }

  /** Resolves when nothing waits and nothing is under way. */
  async drain(): Promise<void> {
    if (this.#underWay === 0 && this.#waiting.length === 0) return
    this.#idle ??= Promise.withResolvers<void>()
    await this.#idle.promise
  }

  #arm(): void {
    if (this.#isArmed || this.#underWay - this.#overdue >= this.#options.batchesAtOnce || this.#waiting.length === 0)
      return
    this.#isArmed = true
    const flush = () => {
      this.#isArmed = false
      void this.#flush()
    }
    // Everything that the event loop has in its hands at this moment joins the batch.
    const { gatherMs, itemsMax } = this.#options
    const waitMs = this.#waiting.length < itemsMax ? (gatherMs?.() ?? 0) : 0
    if (waitMs > 0) setTimeout(flush, waitMs)
    else setImmediate(flush)
  }

  async #flush(): Promise<void> {
    const batch = this.#waiting.splice(0, this.#countOfBatch())
    if (batch.length === 0) return
    this.#underWay++
    this.#arm()
    let isOverdue = false
    const patience = setTimeout(() => {
      isOverdue = true
      this.#overdue++
      this.#arm()
    }, patienceMs)
    const deliver = await this.#settle(batch)
    clearTimeout(patience)
    if (isOverdue) this.#overdue--
    this.#underWay--
    this.#next()
    deliver()
    if (this.#underWay === 0 && this.#waiting.length === 0) {
      this.#idle?.resolve()
      this.#idle = undefined
    }
  }

  /** What waited for the batch before goes first: the database works on it while the results of that one are handed out. */
  #next(): void {
    if (this.#underWay - this.#overdue >= this.#options.batchesAtOnce) return
    const isPatient = (this.#options.gatherMs?.() ?? 0) > 0
    if (isPatient || this.#isArmed) this.#arm()
    else void this.#flush()
  }

  #countOfBatch(): number {
    const { itemsMax, weight } = this.#options
    if (!weight) return itemsMax
    let sum = 0
    const over = this.#waiting.findIndex((waiting, index) => {
      sum += waiting.weight
      return index > 0 && (sum > weight.max || index >= itemsMax)
    })
    return over === -1 ? itemsMax : over
  }

  /** Returns what tells those who wait; never rejects. */
  async #settle(batch: Waiting<Item, Result>[], isLastTry = false): Promise<() => void> {
    try {
      const results = await this.#commit(batch.map(({ item }) => item))
      return () => {
        for (const [index, { resolve }] of batch.entries()) resolve(results[index] as Result)
      }
    } catch (error) {
      const isShared = this.#options.isShared?.(error) ?? false
      if (isShared && !isLastTry) return this.#settle(batch, true)
      if (isShared || batch.length === 1) {
        return () => {
          for (const { reject } of batch) reject(error)
        }
      }
      for (const single of batch) (await this.#settle([single]))()
      return () => {}
    }
  }
}
