import { type Queryable, sql } from '../../db/index.ts'

/** Requests in the history that failed too often and were neither run again nor forgotten since, by account; others are left out. */
export async function countGivenUp(db: Queryable, accountIds: readonly string[]): Promise<Map<string, number>> {
  const { rows } = await db.query<{ account_id: string; count: number }>(sql`
    select account_id, count(*)::integer as count from webhook_history
    where account_id = any(${accountIds}::uuid[]) and is_given_up group by account_id`)
  return new Map(rows.map((row) => [row.account_id, row.count]))
}
