// Contents for whoever takes rows elsewhere, into a backup or another cell: as rows of kept_contents, so that where the rows go nothing else is
// needed to read them.
import type pg from 'pg'
import type { ContentStores } from './content-stores.ts'
import { keyOf } from './reference.ts'

type Found = { table: string; row_id: string; account_id: string; object_id: string }

type CopiedContents = {
  stores: Pick<ContentStores, 'find'>
  /** The condition on rows of each table. */
  rowsOf(table: string): string
  /** The row refers to it, and no storage has it. */
  onMissing(key: string): void
}

const atOnce = 200
const sources: [table: string, rowId: string, columns: string[]][] = [
  ['run_blocks', 'run_id', ['result', 'log', 'session', 'calls']],
  ['run_recordings', 'run_id', ['sealed_tape']],
  ['webhook_requests', 'id', ['sealed_request']],
  ['webhook_samples', 'id', ['sealed_request']],
]

/** Within a transaction of the client. Rows (key, account_id, bytes) in the text format of COPY; those that are in the table already are left out. */
export async function* copyContents(client: pg.Client, copied: CopiedContents): AsyncGenerator<Buffer> {
  const parts = sources.map(([table, rowId, columns]) => {
    const values = columns.map((column) => `(patchbay.content_id(${column}))`).join(', ')
    return `select '${table}' as table, ${rowId}::text as row_id, account_id, v.object_id from patchbay.${table}
      cross join lateral (values ${values}) as v (object_id) where v.object_id is not null and (${copied.rowsOf(table)})`
  })
  await client.query(`declare contents no scroll cursor for ${parts.join(' union all ')}`)
  for (;;) {
    const { rows } = await client.query<Found>(`fetch ${atOnce} from contents`)
    if (rows.length === 0) break
    const keys = rows.map(({ table, row_id, object_id }) =>
      keyOf({ table, rowId: row_id, column: '', accountId: '' }, object_id),
    )
    const { rows: here } = await client.query<{ key: string }>(
      'select key from patchbay.kept_contents where key = any($1)',
      [keys],
    )
    const known = new Set(here.map(({ key }) => key))
    for (const [index, key] of keys.entries()) {
      if (known.has(key)) continue
      const bytes = await copied.stores.find(key)
      if (bytes) yield Buffer.from(`${key}\t${rows[index]?.account_id}\t\\\\x${bytes.toString('hex')}\n`)
      else copied.onMissing(key)
    }
  }
  await client.query('close contents')
}
