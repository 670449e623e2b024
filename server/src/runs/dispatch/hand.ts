// The runs that a worker holds at this moment.
import type { RunClaim } from '../run.ts'

export type RunInHand = {
  claim: Omit<RunClaim, 'partition'>
  accountId: string
  /** It need not wait for its account's turn. */
  goesFirst: boolean
  abort: AbortController
  /** Aborted when somebody stops the run. */
  stop: AbortController
  /** It shows as Processing. */
  isMarked: boolean
  sinceMs: number
  /** A run that sleeps leaves its slot to others. */
  isAsleep: boolean
  work: Promise<void> | undefined
}

export class Hand {
  readonly #runs = new Map<string, RunInHand>()
  readonly #works = new Set<Promise<void>>()

  /** Those asleep included. */
  get size(): number {
    return this.#runs.size
  }

  find(runId: string): RunInHand | undefined {
    return this.#runs.get(runId)
  }

  holds(run: RunInHand): boolean {
    return this.#runs.get(run.claim.runId) === run
  }

  list(): RunInHand[] {
    return [...this.#runs.values()]
  }

  /** By account. Those that sleep leave their slots to others. */
  countAwake(): Map<string, number> {
    const counts = new Map<string, number>()
    for (const { accountId, isAsleep } of this.#runs.values())
      if (!isAsleep) counts.set(accountId, (counts.get(accountId) ?? 0) + 1)
    return counts
  }

  listAsleep(): string[] {
    return [...this.#runs].flatMap(([runId, { isAsleep }]) => (isAsleep ? [runId] : []))
  }

  /** Holds the run until its work is over. */
  hold(run: RunInHand, work: () => Promise<void>, onOver: () => void): void {
    const { runId } = run.claim
    // Lost without noticing, and taken again: what was begun then goes on in vain.
    this.#runs.get(runId)?.abort.abort()
    this.#runs.set(runId, run)
    const working = work()
    run.work = working
    this.#works.add(working)
    void working.finally(() => {
      this.#works.delete(working)
      if (this.holds(run)) this.#runs.delete(runId)
      onOver()
    })
  }

  /** Resolves when nothing else is in hand. */
  async untilAlone(run: RunInHand): Promise<void> {
    while (this.#runs.size > 1 && this.holds(run))
      await Promise.race([...this.#works].filter((work) => work !== run.work))
  }

  async untilEmpty(): Promise<void> {
    while (this.#works.size > 0) await Promise.all(this.#works)
  }

  abortAll(): void {
    for (const { abort } of this.#runs.values()) abort.abort()
  }
}
