import { type Queryable, sql, type Tx } from '../db/index.ts'

/** Notes the time that the clock shows now, and returns it with the one noted before. Whoever else looks waits until the transaction ends. */
export async function updateSeen(tx: Tx): Promise<{ seenMs: number; databaseMs: number }> {
  const before = await tx.query<{ ms: number }>(sql`
    select extract(epoch from seen_at)::float8 * 1000 as ms from database_clock for update`)
  const after = await tx.query<{ ms: number }>(sql`
    update database_clock set seen_at = clock_timestamp() returning extract(epoch from seen_at)::float8 * 1000 as ms`)
  const databaseMs = after.rows[0]?.ms ?? 0
  return { seenMs: before.rows[0]?.ms ?? databaseMs, databaseMs }
}

export async function insertRepairs(tx: Tx, tables: readonly string[], shiftMs: number): Promise<void> {
  await tx.query(sql`
    insert into clock_repairs (table_name, shift_ms) select name, ${Math.round(shiftMs)}::bigint from unnest(${tables}::text[]) as t (name)`)
}

export async function listRepairs(db: Queryable): Promise<string[]> {
  const { rows } = await db.query<{ id: string }>(sql`select id::text from clock_repairs order by clock_repairs.id`)
  return rows.map(({ id }) => id)
}

/** Undefined when another process has it in hand, or is done with it. */
export async function deleteRepair(tx: Tx, id: string): Promise<{ table: string; shiftMs: number } | undefined> {
  const { rows } = await tx.query<{ table_name: string; shift_ms: string }>(sql`
    delete from clock_repairs where id = (select id from clock_repairs where id = ${id}::bigint for update skip locked)
    returning table_name, shift_ms::text`)
  return rows[0] && { table: rows[0].table_name, shiftMs: Number(rows[0].shift_ms) }
}
