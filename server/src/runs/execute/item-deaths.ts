// Items that were in progress when a worker died. One that may be the cause runs alone, and at the third death it fails.
import type { ItemDeps } from './item-ends.ts'

const deathsMax = 3
/** An item that was in progress at so many deaths runs alone: nothing else is to blame for the next one. */
const deathsToBeAlone = 2

type Place = { accountId: string; runId: string; blockId: string }

/** `inProgress`: those that were when the worker died. */
export async function countDeaths(
  { items }: ItemDeps,
  at: Place,
  inProgress: readonly number[],
): Promise<{ fatal: number[]; alone: number[] }> {
  const { counts = {}, alone } = await items.findDeaths(at)
  const blamed = alone !== undefined && inProgress.includes(alone) ? [alone] : inProgress
  for (const index of blamed) counts[index] = (counts[index] ?? 0) + 1
  await items.putDeaths(at, { counts })
  return {
    fatal: inProgress.filter((index) => (counts[index] ?? 0) >= deathsMax),
    alone: inProgress.filter((index) => counts[index] === deathsToBeAlone),
  }
}

export async function noteAlone({ items }: ItemDeps, at: Place, index: number | undefined): Promise<void> {
  const { counts = {} } = await items.findDeaths(at)
  await items.putDeaths(at, index === undefined ? { counts } : { counts, alone: index })
}

export const fatalMessage = 'The worker died three times while running this item.'
