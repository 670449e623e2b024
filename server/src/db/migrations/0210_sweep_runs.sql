-- older processes: may stay
-- Work that one process of all does at a time. A lease that its holder does not renew is over, so nobody has to clean up after a process that died.
create table leases (
  name text primary key,
  holder uuid not null,
  until timestamptz not null
);
grant select, insert, update, delete on leases to patchbay_system;

-- Frees the tables of a day that is over at once. The caller has put aside what is kept, and puts it back in the same transaction.
create function empty_run_day(day date) returns void language plpgsql security definer set search_path = patchbay, pg_temp as $$
declare
  made text;
begin
  if day >= (now() at time zone 'utc')::date then
    raise exception 'The day % is not over.', day;
  end if;
  for made in select prefix || to_char(day, 'YYYYMMDD') from unnest(array['runs_', 'run_blocks_', 'run_writes_']) prefix loop
    if to_regclass(made) is not null then
      execute format('truncate %I', made);
    end if;
  end loop;
end $$;
revoke execute on function empty_run_day(date) from public;
grant execute on function empty_run_day(date) to patchbay_system;

-- The wall between accounts holds for the owner too, in whose name this function works: an owner that is not a superuser saw no run under way in a
-- table of its own, and would have dropped it. Through the whole it sees them.
create policy retention on runs for select to current_user using (true);

create or replace function drop_run_partitions(keep_from date) returns setof text language plpgsql security definer set search_path = patchbay, pg_temp as $$
declare
  day date;
begin
  for day in
    select to_date(right(c.relname, 8), 'YYYYMMDD') from pg_inherits i join pg_class c on c.oid = i.inhrelid
    where i.inhparent = 'patchbay.runs'::regclass and c.relname ~ '^runs_\d{8}$' and right(c.relname, 8) < to_char(keep_from, 'YYYYMMDD')
    order by 1
  loop
    if exists (select from runs where id >= first_run_id(day) and id < first_run_id(day + 1) and ended_at is null) then continue; end if;
    execute format('drop table %I, %I', 'runs_' || to_char(day, 'YYYYMMDD'), 'run_blocks_' || to_char(day, 'YYYYMMDD'));
    -- Days that were made before there were such tables may have none.
    execute format('drop table if exists %I', 'run_writes_' || to_char(day, 'YYYYMMDD'));
    return next to_char(day, 'YYYYMMDD');
  end loop;
end $$;
