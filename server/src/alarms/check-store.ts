// What the keeper of alarms looks at.
import { type Queryable, sql } from '../db/index.ts'

type Ended = { id: string; accountId: string; workflowId: string; processorType: string; status: string }

/** In the transaction that ends the runs: each is looked at exactly once. Costs next to nothing where nobody expects anything. */
export async function insertChecks(tx: Queryable, ended: readonly Ended[]): Promise<void> {
  const runs = ended.filter(({ processorType, status }) => processorType === 'Standard' && status === 'Ready')
  if (runs.length === 0) return
  await tx.query(sql`
    insert into alarm_checks (run_id, account_id, workflow_id)
    select r.run_id, r.account_id, r.workflow_id
    from unnest(${runs.map(({ id }) => id)}::uuid[], ${runs.map(({ accountId }) => accountId)}::uuid[],
      ${runs.map(({ workflowId }) => workflowId)}::uuid[]) as r (run_id, account_id, workflow_id)
    where exists (select from expectations e where e.workflow_id = r.workflow_id)`)
}

export type CheckedRun = { runId: string; workflowId: string; runNumber: number; endedAt: Date }

/**
 * Takes checks of one workflow; another process takes those of another one. Those of an organization that moves to another cell go with it:
 * nobody may change its rows, and one of them would keep all others from being taken.
 */
export async function takeChecks(tx: Queryable, countMax: number): Promise<CheckedRun[]> {
  const { rows } = await tx.query<{ run_id: string; workflow_id: string; run_number: number; ended_at: Date }>(sql`
    with first as (
      select workflow_id from alarm_checks c where (select a.state from accounts a where a.id = c.account_id) is distinct from 'moving'
      order by run_id limit 1 for update skip locked
    ), taken as (
      delete from alarm_checks where run_id = any(array(
        select c.run_id from alarm_checks c join first f on f.workflow_id = c.workflow_id order by c.run_id limit ${countMax} for update of c skip locked))
      returning run_id, workflow_id
    )
    select t.run_id, t.workflow_id, r.run_number, r.ended_at from taken t join runs r on r.id = t.run_id order by r.ended_at`)
  return rows.map((row) => ({
    runId: row.run_id,
    workflowId: row.workflow_id,
    runNumber: row.run_number,
    endedAt: row.ended_at,
  }))
}

export async function listItemCounts(db: Queryable, runIds: readonly string[]) {
  const { rows } = await db.query<{ run_id: string; block_id: string; item_count: number }>(sql`
    select run_id, block_id, item_count from run_blocks where run_id = any(${runIds}::uuid[]) and item_count is not null`)
  return new Map(rows.map((row) => [`${row.run_id} ${row.block_id}`, row.item_count]))
}

export async function noteSuccess(tx: Queryable, workflowId: string, at: Date): Promise<void> {
  await tx.query(sql`
    update expectations set last_seen_at = ${at}, has_been_seen = true
    where workflow_id = ${workflowId} and kind = 'succeedsWithin' and (last_seen_at < ${at} or not has_been_seen)`)
}

export type Sampled = { workflowId: string; blockId: string; accountId: string; at: Date; items: number }

export async function insertSample(tx: Queryable, sample: Sampled): Promise<void> {
  const { workflowId, blockId, accountId, at, items } = sample
  await tx.query(
    sql`insert into item_samples (workflow_id, block_id, account_id, at, items) values (${workflowId}, ${blockId}, ${accountId}, ${at}, ${items})`,
  )
}

/** At the same time of the week, give or take 90 minutes, in the 30 days before; the newest, if there are very many. */
export async function listSamples(db: Queryable, workflowId: string, blockId: string, at: Date): Promise<number[]> {
  const { rows } = await db.query<{ items: number }>(sql`
    select items from item_samples
    where workflow_id = ${workflowId} and block_id = ${blockId} and at < ${at} and at > ${at}::timestamptz - interval '30 days'
      and abs(mod(extract(epoch from ${at}::timestamptz - at)::bigint + 302400, 604800) - 302400) <= 5400
    order by at desc limit 500`)
  return rows.map((row) => row.items)
}

/** Nobody is asked about an alarm that was cleared so long ago. */
export async function deleteOldAlarms(db: Queryable, daysKept: number): Promise<void> {
  await db.query(
    sql`delete from alarms where not is_open and coalesce(cleared_at, raised_at) < now() - ${daysKept}::integer * interval '1 day'`,
  )
}

export async function deleteOldSamples(db: Queryable): Promise<void> {
  await db.query(sql`delete from item_samples where at < now() - interval '31 days'`)
}

/**
 * The newest request of each workflow that is expected to get some: it waits, or is in the history. Nobody may change rows of an
 * organization that moves.
 */
export async function noteRequests(db: Queryable): Promise<void> {
  await db.query(sql`
    update expectations e set last_seen_at = d.at, has_been_seen = true
    from (
      select x.id, last_request_at(x.account_id, x.workflow_id) as at from expectations x join accounts a on a.id = x.account_id
      where x.kind = 'receivesWithin' and a.state <> 'moving'
    ) d
    where e.id = d.id and d.at is not null and (e.last_seen_at < d.at or not e.has_been_seen)`)
}

/** Workflows of which something that depends on time has changed since it was last judged. */
export async function listDue(db: Queryable): Promise<string[]> {
  const { rows } = await db.query<{ workflow_id: string }>(sql`
    select distinct e.workflow_id from expectations e join workflows w on w.id = e.workflow_id join accounts a on a.id = e.account_id
    where e.hours is not null and w.state = 'deployed' and a.state = 'active'
      and e.is_met <> (e.last_seen_at + e.hours * interval '1 hour' > now())`)
  return rows.map((row) => row.workflow_id)
}
