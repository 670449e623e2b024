// Filling tables from outside. While rows arrive in no order that the tables know of, references, triggers and guards are set aside; all of it in
// the transaction that brings the rows, so that nobody ever sees the tables without them.
import pg from 'pg'
import { copyIn, isPartitionOverlap } from '../db/index.ts'
import type { Partition, Sequence, Table } from './database-shape.ts'

type Opened = { references: { table: string; name: string; definition: string }[]; guarded: string[]; all: string[] }

/** References, triggers and forced guards of every table go; what migrations put into the tables goes too. */
export async function openTables(owner: pg.Client): Promise<Opened> {
  const { rows: references } = await owner.query<Opened['references'][number]>(
    `select conrelid::regclass::text as table, conname as name, pg_get_constraintdef(oid) as definition from pg_constraint
     where contype = 'f' and connamespace = 'patchbay'::regnamespace and conparentid = 0`,
  )
  const { rows: tables } = await owner.query<{ name: string; is_forced: boolean; is_partition: boolean }>(
    `select oid::regclass::text as name, relforcerowsecurity as is_forced, relispartition as is_partition from pg_class
     where relnamespace = 'patchbay'::regnamespace and relkind in ('r', 'p') and relname <> all('{migrations,file_pieces,content_stores}')`,
  )
  const all = tables.filter(({ is_partition }) => !is_partition).map(({ name }) => name)
  const guarded = tables.filter(({ is_forced }) => is_forced).map(({ name }) => name)
  await owner.query(`truncate ${all.join(', ')}`)
  for (const { table, name } of references)
    await owner.query(`alter table ${table} drop constraint ${pg.escapeIdentifier(name)}`)
  for (const table of all) await owner.query(`alter table ${table} disable trigger user`)
  for (const table of guarded) await owner.query(`alter table ${table} no force row level security`)
  return { references, guarded, all }
}

/** Puts back what was set aside. A reference that leads nowhere fails here, and with it the whole transaction. */
export async function shutTables(owner: pg.Client, { references, guarded, all }: Opened): Promise<void> {
  for (const { table, name, definition } of references)
    await owner.query(`alter table ${table} add constraint ${pg.escapeIdentifier(name)} ${definition}`)
  for (const table of all) await owner.query(`alter table ${table} enable trigger user`)
  for (const table of guarded) await owner.query(`alter table ${table} force row level security`)
}

/** Days and months that had a partition of their own get one again: history is dropped by the day. */
export async function makePartitions(owner: pg.Client, partitions: Partition[]): Promise<void> {
  for (const { parent, name, bound, options, ownRows, grants } of partitions) {
    const { rows } = await owner.query('select to_regclass($1) is not null as is_there', [`patchbay.${name}`])
    if (rows[0].is_there) continue
    const table = pg.escapeIdentifier(name)
    const settings = options === null ? '' : ` with (${options.join(', ')})`
    const isMade = await tryIn(
      owner,
      `create table ${table} partition of ${pg.escapeIdentifier(parent)} ${bound}${settings}`,
    )
    if (!isMade) continue
    if (ownRows !== null) await owner.query(`call protect($1::regclass, $2)`, [name, ownRows])
    await owner.query(`revoke all on ${table} from patchbay_app, patchbay_system`)
    for (const { role, privileges } of grants)
      await owner.query(`grant ${privileges} on ${table} to ${pg.escapeIdentifier(role)}`)
  }
}

/** False when another partition has that room already: the migrations made one for all time up to today, and rows go there. */
async function tryIn(owner: pg.Client, statement: string): Promise<boolean> {
  await owner.query('savepoint partition')
  try {
    await owner.query(statement)
    return true
  } catch (error) {
    if (!isPartitionOverlap(error)) throw error
    await owner.query('rollback to savepoint partition')
    return false
  }
}

export async function loadTable(owner: pg.Client, table: Table, rows: AsyncIterable<Buffer>): Promise<void> {
  const columns = table.columns.map((column) => pg.escapeIdentifier(column)).join(', ')
  await copyIn(owner, `${pg.escapeIdentifier(table.schema)}.${pg.escapeIdentifier(table.name)} (${columns})`, rows)
}

export async function setSequences(owner: pg.Client, sequences: Sequence[]): Promise<void> {
  for (const { name, lastValue, isCalled } of sequences)
    await owner.query('select setval($1::regclass, $2::bigint, $3)', [`patchbay.${name}`, lastValue, isCalled])
}
