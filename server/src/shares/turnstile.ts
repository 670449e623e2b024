/** Lets a few in at once, keeps a few more waiting in order, and turns the rest away. */
export class Turnstile {
  readonly #insideMax: number
  readonly #waitingMax: number
  readonly #refusal: () => Error
  readonly #waiting: (() => void)[] = []
  #inside = 0

  constructor(insideMax: number, waitingMax: number, refusal: () => Error) {
    this.#insideMax = insideMax
    this.#waitingMax = waitingMax
    this.#refusal = refusal
  }

  async pass<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.#inside >= this.#insideMax) {
      if (this.#waiting.length >= this.#waitingMax) throw this.#refusal()
      // Whoever leaves hands its place on, so the count stays as it is.
      await new Promise<void>((enter) => this.#waiting.push(enter))
    } else {
      this.#inside++
    }
    try {
      return await work()
    } finally {
      const next = this.#waiting.shift()
      if (next) next()
      else this.#inside--
    }
  }
}
