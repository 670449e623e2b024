-- What a block sent to other services, recorded together with the block: JSON as text, null when it called nobody.
alter table run_blocks add column calls text;

-- A write that is about to be sent. The block that sends it is recorded only at its end, so without this a worker that dies in between
-- would leave no trace of what it had sent already. Rows are only added; they go with the day of their run.
create table run_writes (
  run_id uuid not null,
  block_id uuid not null,
  account_id uuid not null,
  -- Which hold of a worker on the run it was.
  attempt integer not null,
  method text not null,
  url text not null,
  idempotency_key text not null,
  sent_at timestamptz not null
) partition by range (run_id);
create index run_writes_of_block on run_writes (run_id, block_id);
call protect('run_writes', 'account_id = current_account()');
create table run_writes_default partition of run_writes default;
call protect('run_writes_default', 'account_id = current_account()');

-- One more table for every day; otherwise as before.
create or replace function ensure_run_partitions(days_ahead integer) returns void language plpgsql security definer set search_path = patchbay, pg_temp as $$
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
      made := 'run_writes_' || to_char(day, 'YYYYMMDD');
      execute format('create table %I partition of run_writes for values from (%L) to (%L)',
        made, first_run_id(day), first_run_id(day + 1));
      call protect(made::regclass, 'account_id = current_account()');
    exception
      -- The default partition holds rows of that day already: there the day stays.
      when check_violation then null;
    end;
  end loop;
end $$;

create or replace function drop_run_partitions(keep_from date) returns setof text language plpgsql security definer set search_path = patchbay, pg_temp as $$
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
    -- Days that were made before there were such tables may have none.
    execute format('drop table if exists %I', 'run_writes_' || day);
    return next day;
  end loop;
end $$;

-- The days that are there already.
do $$
declare
  day date;
  made text;
begin
  for day in
    select to_date(right(c.relname, 8), 'YYYYMMDD') from pg_inherits i join pg_class c on c.oid = i.inhrelid
    where i.inhparent = 'run_blocks'::regclass and c.relname ~ '^run_blocks_\d{8}$' order by 1
  loop
    made := 'run_writes_' || to_char(day, 'YYYYMMDD');
    execute format('create table %I partition of run_writes for values from (%L) to (%L)', made, first_run_id(day), first_run_id(day + 1));
    call protect(made::regclass, 'account_id = current_account()');
  end loop;
end $$;
