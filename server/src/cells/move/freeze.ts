// The barrier. Each table gets triggers that refuse every change of the organization's rows by anybody but the move. Putting one up waits for all
// who are changing the table, so what they did is final before it stands, and nothing comes after: whatever was answered with success is there
// to be copied. Other organizations are not refused anything. The triggers exist only while an organization is copied and erased.
import type pg from 'pg'
import { changeTable } from './side.ts'
import type { MovedTable } from './tables.ts'

const triggers = ['refuse_changes_while_moving', 'refuse_deletes_while_moving'] as const

export async function freezeTable(client: pg.Client, { name, columns, notes, frozen }: MovedTable): Promise<void> {
  if (!frozen) return
  const guarded = columns.filter((column) => !notes.includes(column))
  const changes = notes.length === 0 ? 'insert or update' : `insert or update of ${guarded.join(', ')}`
  const refuse = 'execute function refuse_while_moving()'
  await changeTable(
    client,
    `create or replace trigger ${triggers[0]} before ${changes} on ${name} for each row when (${frozen('new')}) ${refuse}`,
    `create or replace trigger ${triggers[1]} before delete on ${name} for each row when (${frozen('old')}) ${refuse}`,
  )
}

/** Harmless where nothing is frozen. */
export async function thaw(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ table: string; name: string }>(
    `select tgrelid::regclass::text as table, tgname::text as name from pg_trigger where tgname = any($1) and tgparentid = 0`,
    [triggers],
  )
  for (const { table, name } of rows) await changeTable(client, `drop trigger if exists ${name} on ${table}`)
}

export async function isFrozen(client: pg.Client): Promise<boolean> {
  const { rowCount } = await client.query('select from pg_trigger where tgname = any($1) limit 1', [triggers])
  return (rowCount ?? 0) > 0
}
