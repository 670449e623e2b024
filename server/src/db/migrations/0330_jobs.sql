-- Who works on what, now. The rows that jobs serve belong to the features; a job is gone once it is done.
--
--   waiting ─(taken)─► active ─(done)─► gone
--      ▲                 │ handed back, or its worker is no longer heard of: waiting, or parked until the next try
--      └─(due, woken)─ parked ◄─(nobody can go on with it for now)
--
-- Processes that know only the tables from before cannot stay: what they filed there would be lost.
create table jobs (
  queue text not null,
  id uuid not null default gen_random_uuid(),
  -- The account that it is for, where accounts take turns.
  group_id uuid,
  data jsonb,
  state text not null default 'waiting' check (state in ('waiting', 'parked', 'active')),
  -- Its organization is about to leave for another cell: nobody takes it.
  is_held boolean not null default false,
  -- Woken while somebody worked on it: it is not parked again before somebody has looked.
  is_woken boolean not null default false,
  -- Goes up each time that it is taken, and fences the claim. -1: nobody took it yet.
  attempt integer not null default -1,
  -- Since when it waits or is parked, which is its place among those that wait.
  queued_at timestamptz not null default clock_timestamp(),
  -- When a parked one is due; null where only somebody who wakes it ends the wait.
  due_at timestamptz,
  taken_at timestamptz,
  heartbeat_at timestamptz,
  primary key (queue, id)
-- Jobs come and go by the thousand: vacuum follows their number, not the size of a table that is nearly empty. Heartbeats find room beside what they replace.
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000, autovacuum_vacuum_cost_delay = 0);
-- Parked jobs are in none of the first two, so taking costs the same however many there are.
create index jobs_waiting on jobs (queue, queued_at) where state = 'waiting' and not is_held;
create index jobs_waiting_by_group on jobs (queue, group_id, queued_at) where state = 'waiting' and not is_held;
create index jobs_due on jobs (due_at) where state = 'parked' and not is_held and due_at is not null;
create index jobs_active on jobs (queue) where state = 'active';
grant select, insert, update, delete on jobs to patchbay_system;
-- A request files jobs in its own transaction; it can neither read nor change the jobs of others.
grant insert on jobs to patchbay_app;

do $$
begin
  if to_regclass('pgboss.job') is not null then
    -- Nobody files a job there between the copy and the end of the table.
    lock table pgboss.job in access exclusive mode;
    insert into jobs (queue, id, group_id, data, state, is_held, attempt, queued_at, due_at, taken_at, heartbeat_at)
    select name, id, group_id::uuid, data,
      case when state::text = 'active' then 'active' when start_after > now() then 'parked' else 'waiting' end,
      blocked, case when started_on is null then -1 else retry_count end, created_on,
      case when state::text <> 'active' and start_after > now() then start_after end,
      -- Whoever works on it may have a moment left; then another takes it over.
      case when state::text = 'active' then now() end, case when state::text = 'active' then now() end
    from pgboss.job where state::text in ('created', 'retry', 'active')
    order by created_on;
    drop schema pgboss cascade;
  end if;
end $$;
drop table if exists installed_queues;
