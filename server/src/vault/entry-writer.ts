import { type AuditRow, recordAudits } from '../audit/index.ts'
import type { Database, Scope, Tx } from '../db/index.ts'
import { notFound } from '../lib/app-error.ts'
import { createGathering } from './gather.ts'
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

/** Writes entries of one holder together, each with its row in the audit log. */
export function createEntryWriter({ database, holdWorkflow }: WriterDeps): EntryWriter {
  const write = createGathering<Write, true>({
    batchesAtOnce: 1,
    itemsMax: entriesMax,
    weight: { of: ({ entry }) => entry.sealedValue.length, max: bytesMax },
  })

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

  return (scope, given) => {
    const { holderId } = given.entry
    return write(`${scope.accountId} ${holderId}`, given, (writes) => commit(scope, holderId, writes))
  }
}

/** Of several values for one key the last counts. */
function lastOfEach(writes: readonly Write[]): SealedEntry[] {
  return [...new Map(writes.map(({ entry }) => [entry.keyHash.toString('latin1'), entry])).values()]
}
