/**
 * Work that is done again and again, with a pause between its end and the next beginning, and so never twice at once:
 *
 *   idle ─(start)─► pausing ─(pauseMs)─► working ─► pausing …
 *
 * Disposal ends the pause, and waits for the work if it is under way. A failure is reported and does not end the repetition.
 */
export class Recurring implements AsyncDisposable {
  readonly #work: () => Promise<unknown>
  readonly #pauseMs: number
  readonly #onFault: (error: unknown) => void
  #timer: NodeJS.Timeout | undefined
  #working: Promise<void> = Promise.resolve()
  #isStopping = false

  constructor(work: () => Promise<unknown>, options: { pauseMs: number; onFault(error: unknown): void }) {
    this.#work = work
    this.#pauseMs = options.pauseMs
    this.#onFault = options.onFault
  }

  /** For long work, which should look now and then whether it is still wanted. */
  get isStopping(): boolean {
    return this.#isStopping
  }

  /** The first time after a pause. */
  start(): void {
    if (this.#isStopping) return
    this.#timer = setTimeout(() => this.startNow(), this.#pauseMs)
    this.#timer.unref()
  }

  startNow(): void {
    if (this.#isStopping) return
    this.#working = this.#workOnce().then(() => this.start())
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isStopping = true
    clearTimeout(this.#timer)
    await this.#working
  }

  async #workOnce(): Promise<void> {
    try {
      await this.#work()
    } catch (error) {
      this.#onFault(error)
    }
  }
}
