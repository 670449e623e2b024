import { type Queryable, sql } from '../../db/index.ts'

/** How many sent events were deleted, of those that no wait may take up any more. */
export async function deleteOldEvents(db: Queryable, limit: number): Promise<number> {
  const { rowCount } = await db.query(sql`
    delete from sent_events where id = any(array(
      select id from sent_events where created_at < now() - interval '7 days' limit ${limit}))`)
  return rowCount
}
