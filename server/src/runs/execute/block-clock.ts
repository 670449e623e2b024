/** The run time of one block over all its tries. Waiting for a process is none: at first the block has not started, later it is a pause. */
export class BlockClock {
  startedAt = new Date()
  usedMs = 0
  #startedMs: number | undefined
  #begunMs: number | undefined

  begin(): void {
    this.#begunMs = performance.now()
    if (this.#startedMs !== undefined) return
    this.#startedMs = this.#begunMs
    this.startedAt = new Date()
  }

  end(pauseMs: number): void {
    if (this.#begunMs !== undefined) this.usedMs += Math.max(0, performance.now() - this.#begunMs - pauseMs)
    this.#begunMs = undefined
  }

  /** A try that a fault of the service ended takes nothing of the block's time. */
  forgetTry(): void {
    this.#begunMs = undefined
  }

  /** All that was not run time since the block started. */
  get pauseMs(): number {
    return this.#startedMs === undefined ? 0 : Math.round(performance.now() - this.#startedMs - this.usedMs)
  }
}
