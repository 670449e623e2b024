import { Patience } from './patience.ts'
import { describeWaiting, noteState } from './waiting-for.ts'

/**
 * Waits for a condition instead of sleeping: asks again until the answer is not undefined or false. The limit only ends what hangs, and grows with
 * the load of the machine, so that a busy one fails nothing; the error then tells the last request and what was last seen.
 */
export async function eventually<Value>(
  ask: () => Promise<Value | undefined | false> | Value | undefined | false,
  withinMs = Number.POSITIVE_INFINITY,
): Promise<Value> {
  const startedAt = Date.now()
  const patience = new Patience()
  let last: unknown
  for (;;) {
    try {
      const value = await ask()
      if (value !== undefined && value !== false) return value as Value
    } catch (error) {
      last = error
      noteState(error)
    }
    const waitedMs = Date.now() - startedAt
    const isOver = Number.isFinite(withinMs) ? waitedMs > withinMs : patience.isOver()
    if (isOver) {
      const seconds = Math.round(waitedMs / 1000)
      throw new Error(`The condition did not come true within ${seconds} s.\n${describeWaiting()}`, { cause: last })
    }
    // What takes long is asked about less often: on a busy machine the questions themselves would be what keeps it busy.
    await new Promise((done) => setTimeout(done, Math.min(250, Math.max(20, waitedMs / 20))))
  }
}
