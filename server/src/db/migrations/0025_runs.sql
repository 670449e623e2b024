-- Runs and what their blocks did. Ids of runs are version 7 GUIDs, which begin with their time: one partition holds the runs of one day of
-- ids with all their blocks, and old days are dropped as a whole.

-- The smallest id of a day (UTC).
create function first_run_id(day date) returns uuid language sql immutable
  return (lpad(to_hex((extract(epoch from day::timestamp) * 1000)::bigint), 12, '0') || repeat('0', 20))::uuid;

create table runs (
  id uuid not null,
  account_id uuid not null,
  workflow_id uuid not null,
  -- From run_counters, so numbers are unique and without gaps.
  run_number integer not null,
  revision integer not null,
  -- Pending -> Processing -> Ready | Error | Stopping -> Stopped. A run that ends within a moment is never written as Processing.
  status text not null default 'Pending' check (status in ('Pending', 'Processing', 'Ready', 'Error', 'Stopping', 'Stopped')),
  run_by text not null check (run_by in ('API', 'Scheduler', 'Webhook', 'Manual', 'Retry')),
  processor_type text not null default 'Standard' check (processor_type in ('Standard', 'Debug')),
  created_at timestamptz not null,
  ended_at timestamptz,
  pause_ms integer not null default 0,
  is_expired_by_time boolean not null default false,
  error_message text,
  last_block_id uuid,
  last_block_title text,
  -- The fence: every write of a worker names the attempt it holds. A worker that takes a run over raises it first.
  attempt integer not null default 0,
  -- True while the run waits for another worker because one was stopped in order: that is no death.
  is_handed_back boolean not null default false,
  -- {"<block id>": number of workers that died on it}
  deaths jsonb,
  -- Inputs, the same for every attempt.
  run_from integer,
  run_till integer,
  date_last_run timestamptz,
  -- What dateLastRun becomes: the start of this run, or of the failed run whose results it reuses.
  counts_from timestamptz not null,
  moves_date_last_run boolean not null,
  webhook_ids uuid[],
  is_webhook_batch boolean not null default false,
  primary key (id)
) partition by range (id);
-- No index names a column that changes after the start: so the end of a run is written on the same page, without touching an index.
-- What it includes lets a history be counted without reading a run.
create index runs_by_workflow on runs (workflow_id, run_number) include (created_at, account_id);
call protect('runs', 'account_id = current_account()');

-- Numbers of runs are counted apart from the workflows, whose rows are written when runs end: starts and ends do not wait for each other.
create table run_counters (
  workflow_id uuid primary key references workflows on delete cascade,
  account_id uuid not null,
  last_number integer not null
) with (fillfactor = 30);
call protect('run_counters', 'account_id = current_account()');

-- One row a block that ended. Its existence means: this block never runs again in this run.
create table run_blocks (
  run_id uuid not null,
  block_id uuid not null,
  account_id uuid not null,
  -- Order of recording within the run.
  seq integer not null,
  status text not null check (status in ('Ready', 'Error')),
  -- Copied from an earlier run instead of executed.
  is_reused boolean not null default false,
  -- JSON as text: any JSON a script can return fits (jsonb has no NUL), and key order stays.
  result text,
  error_message text,
  log text,
  -- session.vars after this block; null when empty.
  session text,
  -- Deferred vault values are secrets until the end of the run puts them into the vault.
  sealed_deferred bytea,
  -- Set when the block ended its run; the value decides about dateLastRun and deferred writes.
  end_flag boolean,
  started_at timestamptz not null,
  ended_at timestamptz not null,
  pause_ms integer not null default 0,
  primary key (run_id, block_id)
) partition by range (run_id);
call protect('run_blocks', 'account_id = current_account()');

-- Rows of a day for which no partition was made in time.
create table runs_default partition of runs default with (fillfactor = 60);
create table run_blocks_default partition of run_blocks default;
call protect('runs_default', 'account_id = current_account()');
call protect('run_blocks_default', 'account_id = current_account()');

-- Partitions are made and dropped by the owner of the tables, on behalf of workers, which are not.
create function ensure_run_partitions(days_ahead integer) returns void language plpgsql security definer set search_path = patchbay, pg_temp as $$
declare
  today date := (now() at time zone 'utc')::date;
  day date;
  made text;
begin
  for day in select today + n from generate_series(0, least(days_ahead, 60)) n loop
    if to_regclass('patchbay.run_blocks_' || to_char(day, 'YYYYMMDD')) is not null then continue; end if;
    perform pg_advisory_xact_lock(7230118443);
    -- Another process may have made it while this one waited.
    if to_regclass('patchbay.run_blocks_' || to_char(day, 'YYYYMMDD')) is not null then continue; end if;
    begin
      made := 'runs_' || to_char(day, 'YYYYMMDD');
      execute format('create table %I partition of runs for values from (%L) to (%L) with (fillfactor = 60)',
        made, first_run_id(day), first_run_id(day + 1));
      call protect(made::regclass, 'account_id = current_account()');
      made := 'run_blocks_' || to_char(day, 'YYYYMMDD');
      execute format('create table %I partition of run_blocks for values from (%L) to (%L)',
        made, first_run_id(day), first_run_id(day + 1));
      call protect(made::regclass, 'account_id = current_account()');
    exception
      -- The default partition holds rows of that day already: there the day stays.
      when check_violation then null;
    end;
  end loop;
end $$;
revoke execute on function ensure_run_partitions(integer) from public;
grant execute on function ensure_run_partitions(integer) to patchbay_system;

-- Drops the days before `keep_from` in which no run is under way any more, and returns their names.
create function drop_run_partitions(keep_from date) returns setof text language plpgsql security definer set search_path = patchbay, pg_temp as $$
declare
  day text;
  is_busy boolean;
begin
  for day in
    select right(c.relname, 8) from pg_inherits i join pg_class c on c.oid = i.inhrelid
    where i.inhparent = 'patchbay.runs'::regclass and c.relname ~ '^runs_\d{8}$' and right(c.relname, 8) < to_char(keep_from, 'YYYYMMDD')
    order by 1
  loop
    execute format('select exists (select from %I where ended_at is null)', 'runs_' || day) into is_busy;
    if is_busy then continue; end if;
    execute format('drop table %I, %I', 'runs_' || day, 'run_blocks_' || day);
    return next day;
  end loop;
end $$;
revoke execute on function drop_run_partitions(date) from public;
grant execute on function drop_run_partitions(date) to patchbay_system;

select ensure_run_partitions(7);

alter table workflows
  -- Automatic runs that failed one after the other, up to now.
  add column auto_failures integer not null default 0,
  -- Whether the last run that counts failed: people are told of the first failure, and of the recovery.
  add column is_failing boolean not null default false,
  -- The tick that was handled last; a tick is never handled twice, whatever clocks say.
  add column schedule_last_tick timestamptz,
  -- The newest run that the schedule started: while it is under way, ticks are skipped.
  add column scheduled_run_id uuid;
create index workflows_due on workflows (next_run_at) where is_scheduled;
