-- older processes: may stay
-- Large contents of runs and webhook requests outside the tables (PATCHBAY_CONTENTS_URL). Where one lies elsewhere, its column holds a reference:
-- '@<object> <bytes> <count>'. JSON never begins so, and neither does a sealed value.

-- Where contents were ever put, so that a process without the setting still finds them. `folder`: two installations that name one bucket keep apart.
create table content_stores (
  url text primary key,
  folder uuid not null default gen_random_uuid(),
  endpoint text,
  region text,
  created_at timestamptz not null default now()
);
alter table content_stores enable row level security;
alter table content_stores force row level security;
create policy all_rows on content_stores to patchbay_system using (true) with check (true);
grant select, insert, update, delete on content_stores to patchbay_system;

-- Contents that came with a backup or from another cell. Sealed, as they were in the storage there.
create table kept_contents (
  key text collate "C" primary key,
  account_id uuid not null,
  bytes bytea not null
);
alter table kept_contents alter column bytes set storage external;
create index kept_contents_by_account on kept_contents (account_id);
call protect('kept_contents', 'account_id = current_account()');

-- The object that a column refers to. A reference is short, so nothing long is unpacked to find out that it is none.
create function content_id(value text) returns uuid language sql stable
return case when pg_column_size(value) < 128 and starts_with(value, '@') then split_part(substr(value, 2), ' ', 1)::uuid end;
create function content_id(value bytea) returns uuid language sql stable
return case when pg_column_size(value) < 128 and substr(value, 1, 1) = '\x40'::bytea then split_part(substr(convert_from(value, 'UTF8'), 2), ' ', 1)::uuid end;

-- What it weighs elsewhere; 0 for what lies in the column itself.
create function content_bytes(value text) returns bigint language sql stable
return case when pg_column_size(value) < 128 and starts_with(value, '@') then split_part(value, ' ', 2)::bigint else 0 end;
create function content_bytes(value bytea) returns bigint language sql stable
return case when pg_column_size(value) < 128 and substr(value, 1, 1) = '\x40'::bytea then split_part(convert_from(value, 'UTF8'), ' ', 2)::bigint else 0 end;

create or replace function count_calls(calls text) returns integer language sql immutable
return case when calls is null then 0 when starts_with(calls, '@') then split_part(calls, ' ', 3)::integer
  else json_array_length(calls::json -> 'calls') + (calls::json ->> 'omitted')::integer end;
