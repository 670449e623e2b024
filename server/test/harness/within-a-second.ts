/**
 * What was changed holds for every request that is sent more than a second later. Only the time of sending counts, so a slow answer fails nothing.
 * To be called when the change was answered.
 */
export async function holdsWithinASecond(ask: () => Promise<boolean>): Promise<void> {
  const changedAt = performance.now()
  for (;;) {
    const isLate = performance.now() - changedAt > 1000
    if (await ask()) return
    if (isLate) throw new Error('What was asked more than a second after the change did not see it.')
    await new Promise((done) => setTimeout(done, 20))
  }
}
