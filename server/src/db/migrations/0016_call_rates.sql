-- The start times of the latest calls to a registered application whose provider limits the rate, shared by all processes.
create table call_rates (
  registered_application_id uuid primary key references registered_applications on delete cascade,
  -- A ring of milliseconds since 1970; `position` is the oldest, the next to be overwritten.
  starts double precision[] not null,
  position integer not null,
  last_ms double precision not null
) with (fillfactor = 50);
alter table call_rates enable row level security;
alter table call_rates force row level security;
create policy all_rows on call_rates to patchbay_system using (true) with check (true);
grant select, insert, update, delete on call_rates to patchbay_system;

-- Reserves the next free moment and answers how many milliseconds to wait for it; null, with nothing reserved, when that is longer than
-- wait_ms_max. Never more than `calls` starts in any window of per_ms.
create function reserve_call(connection uuid, calls integer, per_ms double precision, wait_ms_max double precision)
returns double precision language plpgsql as $$
declare
  rate call_rates;
  now_ms double precision;
  start_ms double precision;
begin
  select * into rate from call_rates where registered_application_id = connection for update;
  if not found then
    insert into call_rates values (connection, array_fill(0::double precision, array[calls]), 1, 0) on conflict do nothing;
    select * into rate from call_rates where registered_application_id = connection for update;
  end if;
  -- Read only now: waiting for the row takes time too.
  now_ms := extract(epoch from clock_timestamp()) * 1000;
  if cardinality(rate.starts) <> calls then
    -- A changed limit begins anew, but not before what was promised under the old one.
    rate.starts := array_fill(rate.last_ms - per_ms, array[calls]);
    rate.position := 1;
  end if;
  start_ms := greatest(now_ms, rate.last_ms, rate.starts[rate.position] + per_ms);
  if start_ms - now_ms > wait_ms_max then
    return null;
  end if;
  rate.starts[rate.position] := start_ms;
  update call_rates set starts = rate.starts, position = rate.position % calls + 1, last_ms = start_ms
  where registered_application_id = connection;
  return start_ms - now_ms;
end $$;
