// Fetches when it is woken, again and again while there is room and something came meanwhile; never twice at once.

export type FetchLoopDeps = {
  hasRoom(): boolean
  fetch(): Promise<void>
  onFault(error: unknown): void
}

export class FetchLoop {
  readonly #deps: FetchLoopDeps
  #isWanted = false
  #isStopping = false
  #fetching: Promise<void> | undefined

  constructor(deps: FetchLoopDeps) {
    this.#deps = deps
  }

  wake(): void {
    this.#isWanted = true
    this.#fetching ??= this.#fetchAll()
  }

  /** Nothing more is fetched; resolves when what was asked for is there. */
  async stop(): Promise<void> {
    this.#isStopping = true
    await this.#fetching
  }

  async #fetchAll(): Promise<void> {
    // Without room it would be over before `wake` has noted that it began, and then be noted for good.
    await undefined
    try {
      while (this.#isWanted && !this.#isStopping && this.#deps.hasRoom()) {
        this.#isWanted = false
        await this.#deps.fetch()
      }
    } catch (error) {
      this.#deps.onFault(error)
    } finally {
      this.#fetching = undefined
    }
  }
}
