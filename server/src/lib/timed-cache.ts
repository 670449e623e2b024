/**
 * Remembers answers for a short, fixed time and asks once however many ask at the same moment.
 * An entry lives from the moment its question was asked, so a change elsewhere shows after at most `lifeMs`.
 */
export class TimedCache<Value> {
  readonly #entries = new Map<string, { askedAt: number; value: Promise<Value>; settled?: Value }>()
  readonly #lifeMs: number
  readonly #entriesMax: number

  constructor(lifeMs: number, entriesMax: number) {
    this.#lifeMs = lifeMs
    this.#entriesMax = entriesMax
  }

  /** The remembered value without a promise, for paths where one more microtask counts. */
  peek(key: string): Value | undefined {
    const entry = this.#entries.get(key)
    return entry && performance.now() - entry.askedAt < this.#lifeMs ? entry.settled : undefined
  }

  get(key: string, ask: () => Promise<Value>): Promise<Value> {
    const now = performance.now()
    const known = this.#entries.get(key)
    if (known && now - known.askedAt < this.#lifeMs) return known.value
    if (this.#entries.size >= this.#entriesMax) this.#forgetOldest(now)
    const entry: { askedAt: number; value: Promise<Value>; settled?: Value } = { askedAt: now, value: ask() }
    this.#entries.set(key, entry)
    entry.value.then(
      (value) => {
        entry.settled = value
      },
      // A failed question is not an answer: the next one asks again.
      () => {
        if (this.#entries.get(key) === entry) this.#entries.delete(key)
      },
    )
    return entry.value
  }

  forget(key: string): void {
    this.#entries.delete(key)
  }

  #forgetOldest(now: number): void {
    for (const [key, entry] of this.#entries) {
      if (now - entry.askedAt >= this.#lifeMs || this.#entries.size >= this.#entriesMax) this.#entries.delete(key)
    }
  }
}
