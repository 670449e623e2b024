// Entries of one holder that are set in the same moment are written together, each with its row in the audit log: at low load a write waits
// for nothing, at high load one commit serves many.
import { type AuditRow, recordAudits } from '../audit/index.ts'
import type { Database, Scope, Tx } from '../db/index.ts'
import { notFound } from '../lib/app-error.ts'
import { GroupCommit } from '../lib/group-commit.ts'
import { type SealedEntry, upsertEntries } from './store.ts'
import { writeToHolder } from './write-to-holder.ts'

type Write = { entry: SealedEntry; audit: AuditRow }
export type EntryWriter = (scope: Scope, write: Write) => Promise<true>

export type WriterDeps = {
  database: Database
  /** Keeps the workflow from being deleted until the transaction ends; false when the account has none of this id. */
  holdWorkflow(tx: Tx, scope: Scope, workflowId: string): Promise<boolean>
}

const entriesMax = 64
const bytesMax = 4 * 1024 * 1024

export function createEntryWriter({ database, holdWorkflow }: WriterDeps): EntryWriter {
  const groups = new Map<string, GroupCommit<Write, true>>()

  const commit = (scope: Scope, holderId: string, writes: Write[]): Promise<true[]> =>
    database.forScope(scope).transaction(async (tx) => {
      // The workflow is locked before its entries, as its deletion does it: the other way round the two could wait for each other.
      const held = holderId === scope.accountId ? Promise.resolve(true) : holdWorkflow(tx, scope, holderId)
      const audits = writes.map(({ audit }) => audit)
      const written = writeToHolder(
        Promise.all([upsertEntries(tx, scope.accountId, lastOfEach(writes)), recordAudits(tx, audits)]),
      )
      written.catch(() => {})
      if (!(await held)) throw notFound('workflow')
      await written
      return writes.map(() => true)
    })

  return (scope, write) => {
    const { holderId } = write.entry
    const place = `${scope.accountId} ${holderId}`
    const known = groups.get(place)
    if (known) return known.add(write)
    const group = new GroupCommit<Write, true>((writes) => commit(scope, holderId, writes), {
      batchesAtOnce: 1,
      itemsMax: entriesMax,
      weight: { of: ({ entry }) => entry.sealedValue.length, max: bytesMax },
    })
    groups.set(place, group)
    const written = group.add(write)
    void group.drain().then(() => groups.delete(place))
    return written
  }
}

/** Of several values for one key the last counts. */
function lastOfEach(writes: readonly Write[]): SealedEntry[] {
  return [...new Map(writes.map(({ entry }) => [entry.keyHash.toString('latin1'), entry])).values()]
}
