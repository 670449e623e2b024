import { type Queryable, sql, type Tx } from '../db/index.ts'

export type ScheduledWorkflow = {
  id: string
  name: string
  state: string
  frequency: string | null
  timeZone: string | null
  lastTick: Date | null
  /** The database's clock: those of several processes may differ. */
  now: Date
}

export async function findForUpdate(tx: Tx, accountId: string, id: string): Promise<ScheduledWorkflow | undefined> {
  const { rows } = await tx.query<{
    id: string
    name: string
    state: string
    schedule_frequency: string | null
    schedule_time_zone: string | null
    schedule_last_tick: Date | null
    now: Date
  }>(sql`
    select id, name, state, schedule_frequency, schedule_time_zone, schedule_last_tick, clock_timestamp() as now
    from workflows where account_id = ${accountId} and id = ${id} for no key update`)
  const row = rows[0]
  return (
    row && {
      id: row.id,
      name: row.name,
      state: row.state,
      frequency: row.schedule_frequency,
      timeZone: row.schedule_time_zone,
      lastTick: row.schedule_last_tick,
      now: row.now,
    }
  )
}

export async function updateSchedule(
  tx: Tx,
  accountId: string,
  id: string,
  schedule: { isScheduled: boolean; frequency: string | null; timeZone: string | null; nextRunAt: Date | null },
): Promise<void> {
  const { isScheduled, frequency, timeZone, nextRunAt } = schedule
  await tx.query(sql`
    update workflows set is_scheduled = ${isScheduled}, schedule_frequency = ${frequency}, schedule_time_zone = ${timeZone},
      next_run_at = ${nextRunAt}, missed_tick = case when ${isScheduled} then missed_tick end, modified_at = now()
    where account_id = ${accountId} and id = ${id}`)
}

export type DueWorkflow = {
  id: string
  accountId: string
  frequency: string
  timeZone: string | null
  nextRunAt: Date
  lastTick: Date | null
  /** Automatic runs wait: after too many failures, or because an application that the workflow needs is faulted. */
  isPaused: boolean
  /** The last run that the schedule started is still under way. */
  isUnderWay: boolean
  now: Date
}

/** Locked until the transaction ends; what another process has locked is left to it. */
export async function listDue(tx: Tx, limit: number): Promise<DueWorkflow[]> {
  const { rows } = await tx.query<{
    id: string
    account_id: string
    schedule_frequency: string
    schedule_time_zone: string | null
    next_run_at: Date
    schedule_last_tick: Date | null
    is_auto_run_paused: boolean
    is_under_way: boolean
    now: Date
  }>(sql`
    select w.id, w.account_id, w.schedule_frequency, w.schedule_time_zone, w.next_run_at, w.schedule_last_tick,
      w.is_auto_run_paused, clock_timestamp() as now,
      exists (select from runs r where r.id = w.scheduled_run_id and r.ended_at is null) as is_under_way
    from workflows w join accounts a on a.id = w.account_id
    where w.is_scheduled and w.next_run_at <= now() and w.state = 'deployed' and a.state = 'active'
    order by w.next_run_at limit ${limit}
    for no key update of w skip locked`)
  return rows.map((row) => ({
    id: row.id,
    accountId: row.account_id,
    frequency: row.schedule_frequency,
    timeZone: row.schedule_time_zone,
    nextRunAt: row.next_run_at,
    lastTick: row.schedule_last_tick,
    isPaused: row.is_auto_run_paused,
    isUnderWay: row.is_under_way,
    now: row.now,
  }))
}

export type HandledTick = {
  id: string
  /** Null when none of the missed ticks is made up for. */
  tick: Date | null
  nextRunAt: Date
  runId: string | null
  /** Automatic runs are paused: the tick is made up for when they go on. */
  isMissed: boolean
}

export async function updateTicks(tx: Queryable, handled: readonly HandledTick[]): Promise<void> {
  await tx.query(sql`
    update workflows w set
      schedule_last_tick = greatest(w.schedule_last_tick, h.tick), next_run_at = h.next_run_at,
      scheduled_run_id = coalesce(h.run_id, w.scheduled_run_id),
      missed_tick = case when h.is_missed then h.tick when h.run_id is null then w.missed_tick end
    from unnest(
      ${handled.map(({ id }) => id)}::uuid[], ${handled.map(({ tick }) => tick)}::timestamptz[],
      ${handled.map(({ nextRunAt }) => nextRunAt)}::timestamptz[], ${handled.map(({ runId }) => runId)}::uuid[],
      ${handled.map(({ isMissed }) => isMissed)}::boolean[]
    ) as h (id, tick, next_run_at, run_id, is_missed)
    where w.id = h.id`)
}

export type RecoveringWorkflow = { id: string; accountId: string; isTry: boolean }

/**
 * Workflows that may run again although no tick is due: those whose pause has ended with a tick that was missed, and those that are paused
 * by their failures and may try. Locked; what another process has locked is left to it.
 */
export async function listRecovering(tx: Tx, limit: number): Promise<RecoveringWorkflow[]> {
  const { rows } = await tx.query<{ id: string; account_id: string; is_auto_run_paused: boolean }>(sql`
    select w.id, w.account_id, w.is_auto_run_paused
    from workflows w join accounts a on a.id = w.account_id
    where w.id in (
        select id from workflows where missed_tick is not null and not is_auto_run_paused
        union all select id from workflows where next_try_at <= now())
      -- Again for the row itself: when another process has just made up for the tick, only this is looked at anew.
      and (w.missed_tick is not null and not w.is_auto_run_paused or w.next_try_at <= now())
      and w.is_scheduled and w.state = 'deployed' and a.state = 'active' and not has_faulted_application(w.id)
      and not exists (select from runs r where r.id = w.scheduled_run_id and r.ended_at is null)
    order by w.id limit ${limit}
    for no key update of w skip locked`)
  return rows.map((row) => ({ id: row.id, accountId: row.account_id, isTry: row.is_auto_run_paused }))
}

export async function updateRecovering(tx: Queryable, runIds: ReadonlyMap<string, string>): Promise<void> {
  await tx.query(sql`
    update workflows w set missed_tick = null, scheduled_run_id = s.run_id
    from unnest(${[...runIds.keys()]}::uuid[], ${[...runIds.values()]}::uuid[]) as s (id, run_id)
    where w.id = s.id`)
}
