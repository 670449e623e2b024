// What is left at the source once the other cell has the organization. In parts, so that nobody waits for it; the barrier stays up until the end.
import type pg from 'pg'
import { auditTables } from '../../audit/index.ts'
import { deleteJobs } from './jobs.ts'
import { asService } from './side.ts'
import type { MovedTable, Organization } from './tables.ts'

const rowsAtOnce = 5000
/** Nobody may delete from these; they go with their organization. */
const goWithIt = ['catalog_items', 'workflow_bases']
/** Rows of others are found through these, so they go after them, and before the workflows that they are found by themselves. */
const foundThrough = ['webhook_history', 'webhook_queue', 'runs']

export async function eraseRows(client: pg.Client, organization: Organization, tables: readonly MovedTable[]) {
  await asService(client, () => deleteJobs(client, organization))
  for (const table of eraseOrder(tables)) await eraseTable(client, table)
}

/** Those that refer to others go before them. */
function eraseOrder(tables: readonly MovedTable[]): MovedTable[] {
  const backwards = [...tables].reverse().filter(({ name }) => !goWithIt.includes(name) && !foundThrough.includes(name))
  const later = foundThrough.flatMap((name) => tables.filter((table) => table.name === name))
  const at = backwards.findIndex(({ name }) => name === 'workflows')
  return [...backwards.slice(0, at), ...later, ...backwards.slice(at)]
}

async function eraseTable(client: pg.Client, { name, rows }: MovedTable): Promise<void> {
  const statement = `delete from ${name} where (tableoid, ctid) in (select tableoid, ctid from ${name} where ${rows} limit ${rowsAtOnce})`
  // The service may add to the audit log, but not delete from it; the owner of the tables may.
  for (;;) {
    const erase = () => client.query(statement)
    const { rowCount } = await (auditTables.includes(name) ? erase() : asService(client, erase, false))
    if ((rowCount ?? 0) < rowsAtOnce) return
  }
}
