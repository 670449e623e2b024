// Counts over the accounts in reach. Each is one pass over rows that an index on the account finds.
import { accountName, accountsInReach, type Reach } from '../access/index.ts'
import { type Queryable, sql } from '../db/index.ts'

const accountsMax = 1_000

export async function countWorkflows(db: Queryable, reach: Reach) {
  const { rows } = await db.query<{
    in_development: number
    deployed: number
    archived: number
    failing: number
    paused: number
  }>(sql`
    select count(*) filter (where w.state = 'inDevelopment') as in_development, count(*) filter (where w.state = 'deployed') as deployed,
      count(*) filter (where w.state = 'archived') as archived, count(*) filter (where w.state = 'deployed' and w.is_failing) as failing,
      count(*) filter (where w.state = 'deployed' and w.is_auto_run_paused) as paused
    from accounts a join workflows w on w.account_id = a.id where ${accountsInReach(reach)}`)
  const row = rows[0]
  return {
    inDevelopment: row?.in_development ?? 0,
    deployed: row?.deployed ?? 0,
    archived: row?.archived ?? 0,
    failing: row?.failing ?? 0,
    paused: row?.paused ?? 0,
  }
}

export async function countConnections(db: Queryable, reach: Reach) {
  const { rows } = await db.query<{ ok: number; faulted: number; waiting: number }>(sql`
    select count(*) filter (where r.fault_message is null and r.is_authenticated) as ok,
      count(*) filter (where r.fault_message is not null) as faulted,
      count(*) filter (where r.fault_message is null and not r.is_authenticated) as waiting
    from accounts a join registered_applications r on r.account_id = a.id where ${accountsInReach(reach)}`)
  return rows[0] ?? { ok: 0, faulted: 0, waiting: 0 }
}

export async function countQueuedRequests(db: Queryable, reach: Reach) {
  const { rows } = await db.query<{ queued: number; oldest: Date | null }>(sql`
    select count(*) as queued, min(q.created_at) as oldest
    from accounts a join webhook_queue q on q.account_id = a.id where ${accountsInReach(reach)}`)
  return { queued: rows[0]?.queued ?? 0, oldestDateTimeUTC: rows[0]?.oldest?.toISOString() ?? null }
}

/** As it was told and mailed: failed too often, and neither run again nor forgotten since. */
export async function countGivenUp(db: Queryable, reach: Reach): Promise<number> {
  const { rows } = await db.query<{ n: number }>(sql`
    select count(*) as n from accounts a join webhook_history h on h.account_id = a.id where ${accountsInReach(reach)} and h.is_given_up`)
  return rows[0]?.n ?? 0
}

export async function countMails(db: Queryable, reach: Reach) {
  const { rows } = await db.query<{ held: number; failed: number }>(sql`
    select (select count(*) from mails m join accounts a on a.id = m.account_id
        where m.status in ('Held', 'Queued') and m.status = 'Held' and ${accountsInReach(reach)}) as held,
      (select count(*) from mails m join accounts a on a.id = m.account_id where m.status = 'Failed' and ${accountsInReach(reach)}) as failed`)
  return rows[0] ?? { held: 0, failed: 0 }
}

/** From a sum that is kept for each account: see the room of storage. */
export async function sumStoredBytes(db: Queryable, reach: Reach): Promise<number> {
  const { rows } = await db.query<{ bytes: number }>(sql`
    select coalesce(sum(s.bytes), 0)::float8 as bytes from account_storage s join accounts a on a.id = s.account_id where ${accountsInReach(reach)}`)
  return rows[0]?.bytes ?? 0
}

/** Those in trouble first. */
export async function listAccounts(db: Queryable, reach: Reach) {
  const { rows } = await db.query<{
    id: string
    name: string
    email: string
    failing: number
    faulted: number
    queued: number
  }>(sql`
    select a.id, ${accountName} as name, a.email, coalesce(w.failing, 0) as failing, coalesce(r.faulted, 0) as faulted, coalesce(q.queued, 0) as queued
    from accounts a
    left join (select account_id, count(*) as failing from workflows where is_failing and state = 'deployed' group by 1) w on w.account_id = a.id
    left join (select account_id, count(*) as faulted from registered_applications where fault_message is not null group by 1) r on r.account_id = a.id
    left join (select account_id, count(*) as queued from webhook_queue group by 1) q on q.account_id = a.id
    where ${accountsInReach(reach)}
    order by coalesce(w.failing, 0) + coalesce(r.faulted, 0) desc, coalesce(q.queued, 0) desc, a.email limit ${accountsMax}`)
  return rows.map((row) => ({
    accountId: row.id,
    accountName: row.name,
    email: row.email,
    failing: row.failing,
    faulted: row.faulted,
    queued: row.queued,
  }))
}
