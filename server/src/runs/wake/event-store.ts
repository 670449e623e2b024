import { type Queryable, sql } from '../../db/index.ts'

export type SentEvent = {
  id: string
  accountId: string
  name: string
  key: string | null
  /** JSON text. */
  data: string | null
  eventId: string | null
}

/** In one order, so that waits for several names never wait for each other. */
export async function lockNames(tx: Queryable, accountId: string, names: readonly string[]): Promise<void> {
  for (const name of [...new Set(names)].toSorted())
    await tx.query(
      sql`select pg_advisory_xact_lock(hashtextextended('event ' || ${accountId}::text || ' ' || ${name}, 0))`,
    )
}

/** False when an event with the same id of its sender is there already. */
export async function insertEvent(tx: Queryable, event: SentEvent): Promise<boolean> {
  const { rowCount } = await tx.query(sql`
    insert into sent_events (id, account_id, name, key, data, event_id)
    values (${event.id}, ${event.accountId}, ${event.name}, ${event.key}, ${event.data}, ${event.eventId})
    on conflict (account_id, event_id) where event_id is not null do nothing`)
  return rowCount > 0
}

/** What the first event of this id said. */
export async function findWoken(tx: Queryable, accountId: string, eventId: string | null): Promise<number> {
  const { rows } = await tx.query<{ woken_runs: number }>(sql`
    select woken_runs from sent_events where account_id = ${accountId} and event_id = ${eventId}`)
  return rows[0]?.woken_runs ?? 0
}

export async function countWoken(tx: Queryable, id: string, count: number): Promise<void> {
  await tx.query(sql`update sent_events set woken_runs = ${count} where id = ${id}`)
}

/** Of each run that waits for the event, the wait that began first is over. Returns the ids of the runs. */
export async function resolveByEvent(tx: Queryable, event: SentEvent): Promise<string[]> {
  const { rows } = await tx.query<{ run_id: string }>(sql`
    with matching as (
      select distinct on (w.run_id) w.run_id, w.block_id, w.item_index
      from run_event_waits e join run_waits w on w.run_id = e.run_id and w.block_id = e.block_id and w.item_index = e.item_index
      where e.account_id = ${event.accountId} and e.name = ${event.name} and e.key is not distinct from ${event.key} and w.outcome is null
      order by w.run_id, w.item_index, w.block_id
    ), resolved as (
      update run_waits w set outcome = ${`{"outcome":"event","data":${event.data ?? 'null'},"dateTimeUTC":"${new Date().toISOString()}"}`}
      from matching m where w.run_id = m.run_id and w.block_id = m.block_id and w.item_index = m.item_index and w.outcome is null
      returning w.run_id
    ), used as (
      insert into sent_event_uses (event_id, run_id, account_id) select ${event.id}, run_id, ${event.accountId} from resolved
    )
    select run_id from resolved`)
  return rows.map(({ run_id }) => run_id)
}

export type EventWait = {
  runId: string
  blockId: string
  itemIndex: number
  accountId: string
  names: readonly string[]
  key: string | null
}

/** After the wait itself was stored. The outcome when an event that came before ends it at once. */
export async function insertEventWait(tx: Queryable, wait: EventWait): Promise<string | null> {
  const { runId, blockId, itemIndex, accountId, names, key } = wait
  await tx.query(sql`
    insert into run_event_waits (run_id, block_id, item_index, account_id, name, key)
    select ${runId}, ${blockId}, ${itemIndex}, ${accountId}, name, ${key} from unnest(${[...new Set(names)]}::text[]) as name`)
  const { rows } = await tx.query<{ outcome: string }>(sql`
    with earlier as (
      select e.id, e.data, e.created_at from sent_events e join runs r on r.id = ${runId}
      where e.account_id = ${accountId} and e.name = any(${names}::text[]) and e.key is not distinct from ${key}
        and e.created_at > now() - interval '7 days' and r.created_at <= e.created_at + interval '1 hour'
        and not exists (select from sent_event_uses u where u.event_id = e.id and u.run_id = ${runId})
      order by e.created_at, e.id limit 1
    ), used as (
      insert into sent_event_uses (event_id, run_id, account_id) select id, ${runId}, ${accountId} from earlier
    )
    update run_waits w set outcome = '{"outcome":"event","data":' || coalesce(e.data, 'null') || ',"dateTimeUTC":"' || ${new Date().toISOString()} || '"}'
    from earlier e where w.run_id = ${runId} and w.block_id = ${blockId} and w.item_index = ${itemIndex}
    returning w.outcome`)
  return rows[0]?.outcome ?? null
}
