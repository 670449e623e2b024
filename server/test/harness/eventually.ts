/**
 * Waits for a condition instead of sleeping: asks again until the answer is not undefined or false. The limit only ends what hangs, so that a busy
 * machine fails nothing; it then throws what it last saw.
 */
export async function eventually<Value>(
  ask: () => Promise<Value | undefined | false> | Value | undefined | false,
  withinMs = 180_000,
): Promise<Value> {
  const deadline = Date.now() + withinMs
  let last: unknown
  for (;;) {
    try {
      const value = await ask()
      if (value !== undefined && value !== false) return value as Value
    } catch (error) {
      last = error
    }
    if (Date.now() > deadline)
      throw new Error(`The condition did not come true within ${withinMs} ms.`, { cause: last })
    await new Promise((done) => setTimeout(done, 20))
  }
}
