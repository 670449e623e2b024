import type { Db, Tx } from './database.ts'
import { sql } from './sql.ts'

/** Reads in one transaction, which sees one moment: what one statement counts, another lists. It takes a single connection, however much is read. */
export function readOneMoment<Result>(db: Db, read: (tx: Tx) => Promise<Result>): Promise<Result> {
  return db.transaction(async (tx) => {
    await tx.query(sql`set transaction isolation level repeatable read, read only`)
    return read(tx)
  })
}
