export type TurnstileLimits = {
  insideMax: number
  waitingMax: number
  /** Inside and waiting together, of one visitor: nobody fills the queue alone. */
  perVisitorMax: number
}

/** Lets a few in at once, keeps a few more waiting in order, and turns the rest away. */
export class Turnstile {
  readonly #limits: TurnstileLimits
  readonly #refusal: () => Error
  readonly #waiting: (() => void)[] = []
  readonly #ofVisitor = new Map<string, number>()
  #inside = 0

  constructor(limits: TurnstileLimits, refusal: () => Error) {
    this.#limits = limits
    this.#refusal = refusal
  }

  async pass<Result>(visitor: string, work: () => Promise<Result>): Promise<Result> {
    const { insideMax, waitingMax, perVisitorMax } = this.#limits
    const count = this.#ofVisitor.get(visitor) ?? 0
    const mustWait = this.#inside >= insideMax
    if (count >= perVisitorMax || (mustWait && this.#waiting.length >= waitingMax)) throw this.#refusal()
    this.#ofVisitor.set(visitor, count + 1)
    // Whoever leaves hands its place on, so the count stays as it is.
    if (mustWait) await new Promise<void>((enter) => this.#waiting.push(enter))
    else this.#inside++
    try {
      return await work()
    } finally {
      this.#leave(visitor)
    }
  }

  #leave(visitor: string): void {
    const left = (this.#ofVisitor.get(visitor) ?? 1) - 1
    if (left === 0) this.#ofVisitor.delete(visitor)
    else this.#ofVisitor.set(visitor, left)
    const next = this.#waiting.shift()
    if (next) next()
    else this.#inside--
  }
}
