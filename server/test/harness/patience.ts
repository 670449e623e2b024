// How long a test waits before it gives up. The limit is for a machine that does nothing else: where more processes want to work than there are
// cores, time counts as much less as each of them gets.
import { availableParallelism, loadavg } from 'node:os'

/** PATCHBAY_TEST_TIMEOUT, in seconds, is for machines that are slow by themselves. Proofs have a longer one. */
const given = process.env['PATCHBAY_TEST_TIMEOUT'] ?? process.env['PATCHBAY_PROJECT_TIMEOUT'] ?? '60'
export const patienceMs = Number(given) * 1000

export class Patience {
  #usedMs = 0
  #lookedAt = performance.now()

  /** Whether the time is over. To be asked again and again, because the load changes. */
  isOver(): boolean {
    const now = performance.now()
    this.#usedMs += (now - this.#lookedAt) / crowd()
    this.#lookedAt = now
    return this.#usedMs > patienceMs
  }
}

/** How many processes there are for each core, at least one. */
function crowd(): number {
  return Math.max(1, (loadavg()[0] ?? 0) / availableParallelism())
}
