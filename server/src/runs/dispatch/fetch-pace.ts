/**
 * How often to ask for jobs. A question that finds nothing may be expensive: the next one waits in proportion to what it cost. Any other may
 * follow at once.
 */
const gapMsMin = 2
const gapMsMax = 500

export class FetchPace {
  #notBefore = 0
  #timer: NodeJS.Timeout | undefined

  note(tookMs: number, found: number): void {
    this.#notBefore = found > 0 ? 0 : performance.now() + Math.min(gapMsMax, Math.max(gapMsMin, tookMs * 2))
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
