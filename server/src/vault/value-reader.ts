// Values of one account that are asked for in the same moment are read by one statement: at low load a read waits for nothing, at high load
// one round trip serves many.
import type { Database, Scope } from '../db/index.ts'
import { GroupCommit } from '../lib/group-commit.ts'
import type { EntryId } from './entry.ts'
import { findValue, findValues } from './store.ts'

/** The sealed value; undefined when there is no such entry. */
export type ValueReader = (scope: Scope, id: EntryId) => Promise<Buffer | undefined>

const batchesAtOnce = 3
// Together they are at most so many megabytes.
const valuesMax = 32

export function createValueReader(database: Database): ValueReader {
  const groups = new Map<string, GroupCommit<EntryId, Buffer | undefined>>()
  return (scope, id) => {
    const known = groups.get(scope.accountId)
    if (known) return known.add(id)
    const db = database.forScope(scope)
    const group = new GroupCommit<EntryId, Buffer | undefined>(
      async (ids) => (ids.length === 1 ? [await findValue(db, ids[0] as EntryId)] : findValues(db, ids)),
      { batchesAtOnce, itemsMax: valuesMax },
    )
    groups.set(scope.accountId, group)
    const value = group.add(id)
    void group.drain().then(() => groups.delete(scope.accountId))
    return value
  }
}
