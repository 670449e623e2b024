// The end of runs, for their items: entries of the ledger whose items were retried with success are closed, and runs that did not come to the end of a
// block with items know how many failed there all the same.

import type { OnRunsEnded } from '../record/entries.ts'
import { closeRetried, countItemsOf } from '../record/failed-item-store.ts'

export function settlingItems(onRunsEnded: OnRunsEnded): OnRunsEnded {
  return async (tx, ended, effects, beside) => {
    const cutShort = ended.filter(({ status }) => status !== 'Ready').map(({ id }) => id)
    if (cutShort.length > 0) await countItemsOf(tx, cutShort)
    const retries = ended.filter(({ runBy }) => runBy === 'Retry').map(({ id }) => id)
    if (retries.length > 0) await closeRetried(tx, retries)
    await onRunsEnded(tx, ended, effects, beside)
  }
}
