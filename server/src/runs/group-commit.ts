// Group commit: what arrives while the database is busy with the last batch goes there together in the next one. At low load an item
// waits for nothing; at high load one commit serves many.

type Waiting<Item, Result> = { item: Item; resolve(result: Result): void; reject(error: unknown): void }

export type GroupCommitOptions = {
  /** Batches under way at once. */
  batchesAtOnce: number
  itemsMax: number
}

export class GroupCommit<Item, Result> {
  readonly #commit: (items: Item[]) => Promise<Result[]>
  readonly #options: GroupCommitOptions
  readonly #waiting: Waiting<Item, Result>[] = []
  #underWay = 0
  #isArmed = false
  #idle: PromiseWithResolvers<void> | undefined

  /** `commit` answers in the order of the items. When a batch of several fails, each item is tried by itself: one must not spoil the rest. */
  constructor(commit: (items: Item[]) => Promise<Result[]>, options: GroupCommitOptions) {
    this.#commit = commit
    this.#options = options
  }

  add(item: Item): Promise<Result> {
    const { promise, resolve, reject } = Promise.withResolvers<Result>()
    this.#waiting.push({ item, resolve, reject })
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
    if (this.#isArmed || this.#underWay >= this.#options.batchesAtOnce || this.#waiting.length === 0) return
    this.#isArmed = true
    // Everything that the event loop has in its hands at this moment joins the batch.
    setImmediate(() => {
      this.#isArmed = false
      void this.#flush()
    })
  }

  async #flush(): Promise<void> {
    const batch = this.#waiting.splice(0, this.#options.itemsMax)
    if (batch.length === 0) return
    this.#underWay++
    this.#arm()
    try {
      await this.#settle(batch)
    } finally {
      this.#underWay--
      this.#arm()
      if (this.#underWay === 0 && this.#waiting.length === 0) {
        this.#idle?.resolve()
        this.#idle = undefined
      }
    }
  }

  async #settle(batch: Waiting<Item, Result>[]): Promise<void> {
    try {
      const results = await this.#commit(batch.map(({ item }) => item))
      for (const [index, { resolve }] of batch.entries()) resolve(results[index] as Result)
    } catch (error) {
      if (batch.length === 1) batch[0]?.reject(error)
      else for (const single of batch) await this.#settle([single])
    }
  }
}
