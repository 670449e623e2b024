/**
 * How often to ask for jobs. A question that finds nothing may be expensive: jobs of an account that has its share in hand are passed over
 * one by one. So after an empty answer the next question waits in proportion to what the last one cost.
 */
const gapMsMin = 2

export class FetchPace {
  #notBefore = 0
  #timer: NodeJS.Timeout | undefined

  note(tookMs: number, found: number): void {
    this.#notBefore = found > 0 ? 0 : performance.now() + Math.min(500, Math.max(gapMsMin, tookMs * 3))
  }

  waitMs(): number {
    return Math.max(0, this.#notBefore - performance.now())
  }

  /** Calls once, however often it was asked to. */
  later(ms: number, call: () => void): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined
      call()
    }, ms)
  }
}
