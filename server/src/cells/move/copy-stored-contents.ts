// Contents of runs and webhook requests that lie in a storage of the source. The other cell gets them as rows, in the transaction that brings
// everything else: it may have no storage, or another.
import { type ContentStores, copyContents } from '../../contents/index.ts'
import { copyIn } from '../../db/index.ts'
import { type CopyDeps, withRole } from './copy-rows.ts'
import type { MovedTable } from './tables.ts'

export async function copyStoredContents(
  { source, target }: CopyDeps,
  tables: readonly MovedTable[],
  stores: Pick<ContentStores, 'find'>,
): Promise<number> {
  const conditions = new Map(tables.map(({ name, rows }) => [name, rows]))
  await target.query(`create temporary table moving_contents on commit drop as select key, account_id, bytes from kept_contents with no data;
    grant select on moving_contents to patchbay_system`)
  const rows = copyContents(source, {
    stores,
    rowsOf: (table) => conditions.get(table) ?? 'false',
    // The row goes without it, and says so to whoever reads it, there as here.
    onMissing: () => {},
  })
  await copyIn(target, 'moving_contents (key, account_id, bytes)', rows)
  const { rowCount } = await withRole(target, () =>
    target.query(
      'insert into kept_contents (key, account_id, bytes) select key, account_id, bytes from moving_contents',
    ),
  )
  return rowCount ?? 0
}
