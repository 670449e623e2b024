/**
 * The time a call may work. It stands still while the call waits for the target's sake (see `pause`).
 * running -> ended (the time is used up, or the caller gave up) | closed (the call is over and the clock with it)
 */
export class Deadline {
  readonly #cancel: AbortSignal | undefined
  readonly #onCancel: (() => void) | undefined
  #leftMs: number
  #startedMs = 0
  #timer: NodeJS.Timeout | undefined
  #controller: AbortController | undefined
  #isEnded = false
  #isExpired = false
  /** Called once when the deadline ends; whoever works at the moment sets it, and takes it away when done. */
  onEnd: (() => void) | undefined

  constructor(limitMs: number, cancel: AbortSignal | undefined) {
    this.#leftMs = limitMs
    this.#cancel = cancel
    if (cancel !== undefined) {
      this.#onCancel = () => this.#end()
      if (cancel.aborted) this.#isEnded = true
      else cancel.addEventListener('abort', this.#onCancel, { once: true })
    }
    this.#run()
  }

  get isEnded(): boolean {
    return this.#isEnded
  }

  /** The time is used up; false when the caller gave up. */
  get isExpired(): boolean {
    return this.#isExpired
  }

  /** Aborted when the deadline ends. Made when first asked for, because most calls never need it. */
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController()
      if (this.#isEnded) this.#controller.abort()
    }
    return this.#controller.signal
  }

  /** Rejects as soon as the deadline ends, however long `work` goes on. */
  async bound<T>(work: Promise<T>): Promise<T> {
    const { signal } = this
    const aborted = Promise.withResolvers<never>()
    const onAbort = () => aborted.reject(new Error('The call was aborted.'))
    if (signal.aborted) onAbort()
    else signal.addEventListener('abort', onAbort, { once: true })
    // Whichever of the two loses the race may still reject, with nobody left to hear it.
    work.catch(() => {})
    aborted.promise.catch(() => {})
    try {
      return await Promise.race([work, aborted.promise])
    } finally {
      signal.removeEventListener('abort', onAbort)
    }
  }

  /** Lets the clock stand still during `work`. */
  async pause<T>(work: Promise<T>): Promise<T> {
    clearTimeout(this.#timer)
    this.#leftMs -= performance.now() - this.#startedMs
    try {
      return await work
    } finally {
      this.#run()
    }
  }

  /** Starts the clock anew with another limit, for the next part of the same call. */
  restart(limitMs: number): void {
    clearTimeout(this.#timer)
    this.#leftMs = limitMs
    this.#run()
  }

  stop(): void {
    clearTimeout(this.#timer)
  }

  /** Stops for good and lets go of the caller's signal. */
  close(): void {
    clearTimeout(this.#timer)
    this.onEnd = undefined
    if (this.#onCancel) this.#cancel?.removeEventListener('abort', this.#onCancel)
  }

  #run(): void {
    this.#startedMs = performance.now()
    this.#timer = setTimeout(expire, Math.max(0, this.#leftMs), this)
  }

  /** One function for all timers, so that none of them needs a closure of its own. */
  static expire(deadline: Deadline): void {
    deadline.#isExpired = !deadline.#isEnded
    deadline.#end()
  }

  #end(): void {
    if (this.#isEnded) return
    this.#isEnded = true
    this.#controller?.abort()
    this.onEnd?.()
  }
}

const { expire } = Deadline
