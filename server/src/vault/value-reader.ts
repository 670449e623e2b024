import type { Database, Scope } from '../db/index.ts'
import type { EntryId } from './entry.ts'
import { createGathering } from './gather.ts'
import { findValue, findValues } from './store.ts'

/** The sealed value; undefined when there is no such entry. */
export type ValueReader = (scope: Scope, id: EntryId) => Promise<Buffer | undefined>

const batchesAtOnce = 3
// Together they are at most so many megabytes.
const valuesMax = 32

/** Reads values of one account together. */
export function createValueReader(database: Database): ValueReader {
  const read = createGathering<EntryId, Buffer | undefined>({ batchesAtOnce, itemsMax: valuesMax })
  return (scope, id) =>
    read(scope.accountId, id, async (ids) => {
      const db = database.forScope(scope)
      return ids.length === 1 ? [await findValue(db, ids[0] as EntryId)] : findValues(db, ids)
    })
}
