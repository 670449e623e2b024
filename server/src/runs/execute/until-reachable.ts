import { setTimeout as wait } from 'node:timers/promises'
import { ContentAwayError } from '../../contents/index.ts'

const patienceMs = 60_000
const againMs = 1000

/** A run whose contents lie in a storage that is away waits for it, as it would for the database; then others may try. */
export async function untilReachable<Result>(read: () => Promise<Result>, signal: AbortSignal): Promise<Result> {
  const until = performance.now() + patienceMs
  for (;;) {
    try {
      return await read()
    } catch (error) {
      if (!(error instanceof ContentAwayError) || signal.aborted || performance.now() > until) throw error
      await wait(againMs, undefined, { signal }).catch(() => {})
    }
  }
}
