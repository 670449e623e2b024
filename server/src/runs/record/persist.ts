import { setTimeout as wait } from 'node:timers/promises'
import { isTransient } from '../../db/index.ts'

/** Below the time in which others take the run over: after that a write would be fenced anyway. */
const persistMs = 20_000

/** A result must not be lost because the database was away for a moment. Every write may be repeated: the fence and the keys see to that. */
export async function persist<Result>(
  onFault: (error: unknown) => void,
  write: () => Promise<Result>,
): Promise<Result> {
  const deadline = performance.now() + persistMs
  for (let delayMs = 50; ; delayMs = Math.min(delayMs * 2, 2000)) {
    try {
      return await write()
    } catch (error) {
      if (!isTransient(error) || performance.now() + delayMs > deadline) throw error
      onFault(error)
      await wait(delayMs)
    }
  }
}
