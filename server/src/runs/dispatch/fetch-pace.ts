/**
 * How often to ask for jobs. A question that finds nothing, or that has to pass over the backlog of others, may be expensive: the next one
 * of its kind waits in proportion to what it cost. Any other may follow at once.
 */
const gapMsMin = 2
const gapMsMax = 500

export class FetchPace {
  #notBefore = 0
  #notPastOthersBefore = 0
  #timer: NodeJS.Timeout | undefined

  note(tookMs: number, found: number, hasPassedOver: boolean): void {
    const now = performance.now()
    if (hasPassedOver) this.#notPastOthersBefore = now + Math.min(gapMsMax, tookMs * 10)
    this.#notBefore = found > 0 ? 0 : now + Math.min(gapMsMax, Math.max(gapMsMin, tookMs * 2))
  }

  waitMs(passesOver: boolean): number {
    const notBefore = passesOver ? Math.max(this.#notBefore, this.#notPastOthersBefore) : this.#notBefore
    return Math.max(0, notBefore - performance.now())
  }

  /** Calls once, however often it was asked to. */
  later(ms: number, call: () => void): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined
      call()
    }, ms)
  }
}
