// Contents that came with a backup or from another cell, in the table kept_contents. Nothing else is put there: what is new and cannot go to
// the storage stays in its own row.
import { type Queryable, sql } from '../db/index.ts'
import type { ObjectStore } from '../files/index.ts'

export function openDatabaseObjects(db: Queryable): Omit<ObjectStore, 'put'> {
  return {
    url: 'database:',
    get: async (key) => {
      const { rows } = await db.query<{ bytes: Buffer }>(sql`select bytes from kept_contents where key = ${key}`)
      return rows[0]?.bytes
    },
    list: async (after, count) => {
      const { rows } = await db.query<{ key: string }>(
        sql`select key from kept_contents where key > ${after} order by key limit ${count}`,
      )
      return rows.map(({ key }) => key)
    },
    remove: async (keys) => void (await db.query(sql`delete from kept_contents where key = any(${keys}::text[])`)),
  }
}
