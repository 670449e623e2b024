/** Waits for a condition instead of sleeping: asks again until the answer is not undefined or false, or throws what it last saw. */
export async function eventually<Value>(
  ask: () => Promise<Value | undefined | false> | Value | undefined | false,
  withinMs = 60_000,
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
