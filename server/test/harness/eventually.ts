/**
 * Waits for a condition instead of sleeping: asks again until the answer is not undefined or false. The limit only ends what hangs, so that a busy
 * machine fails nothing; it then throws what it last saw.
 */
export async function eventually<Value>(
  ask: () => Promise<Value | undefined | false> | Value | undefined | false,
  withinMs = 300_000,
): Promise<Value> {
  const startedAt = Date.now()
  let last: unknown
  for (;;) {
    try {
      const value = await ask()
      if (value !== undefined && value !== false) return value as Value
    } catch (error) {
      last = error
    }
    const waitedMs = Date.now() - startedAt
    if (waitedMs > withinMs) throw new Error(`The condition did not come true within ${withinMs} ms.`, { cause: last })
    // What takes long is asked about less often: on a busy machine the questions themselves would be what keeps it busy.
    await new Promise((done) => setTimeout(done, Math.min(250, Math.max(20, waitedMs / 20))))
  }
}
