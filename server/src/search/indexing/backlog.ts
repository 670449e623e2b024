// What ran and arrived before there was an index, after an upgrade from a version without one. It is put into the feed piece by piece, newest first, while
// the feed has nothing newer to offer; a piece is noted in the transaction that feeds it, so nothing is fed twice.
import { type Queryable, sql, type Tx } from '../../db/index.ts'
import { type FeedKind, insertFeed } from '../store.ts'

const piece = 200

/** False when there is nothing left to feed. */
export async function feedBacklog(tx: Tx): Promise<boolean> {
  const { rows } = await tx.query<{ kind: FeedKind; since: Date | null; reached: string | null }>(sql`
    select kind, since, reached from search_backlog order by kind limit 1 for update`)
  const backlog = rows[0]
  // Another process may just have finished this kind, and have left the other one.
  if (!backlog) return (await tx.query(sql`select from search_backlog`)).rowCount > 0
  const since = backlog.since ?? (await findBeginning(tx))
  const ids = await listBefore(tx, backlog.kind, { since, reached: backlog.reached ?? lastId })
  await insertFeed(tx, backlog.kind, ids)
  if (ids.length < piece) await tx.query(sql`delete from search_backlog where kind = ${backlog.kind}`)
  else
    await tx.query(sql`
      update search_backlog set since = ${since}, reached = ${ids.at(-1)}::uuid where kind = ${backlog.kind}`)
  return true
}

const lastId = 'ffffffff-ffff-ffff-ffff-ffffffffffff'

/**
 * When the index was made. A restored database says when it was restored, and has an index that goes back further: then the oldest that is in it
 * tells. A run that was under way when the index was made is in it with blocks from some hours before.
 */
async function findBeginning(db: Queryable): Promise<Date> {
  const { rows } = await db.query<{ since: Date }>(sql`
    select case when s.oldest < m.applied_at - interval '1 day' then s.oldest else m.applied_at end as since
    from (select min(oldest) as oldest from search_segments) s, migrations m where m.name = '0101_search'`)
  return rows[0]?.since ?? new Date(0)
}

async function listBefore(
  db: Queryable,
  kind: FeedKind,
  { since, reached }: { since: Date; reached: string },
): Promise<string[]> {
  const statement =
    kind === 'run'
      ? sql`select id from runs where id < ${reached}::uuid and ended_at <= ${since} order by id desc limit ${piece}`
      : sql`select id from webhook_requests where id < ${reached}::uuid and created_at <= ${since} order by id desc limit ${piece}`
  const { rows } = await db.query<{ id: string }>(statement)
  return rows.map(({ id }) => id)
}
