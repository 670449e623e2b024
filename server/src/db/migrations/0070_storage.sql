-- What each account has stored, in bytes: processes add what they wrote every few seconds, and a worker measures all of it now and then, which also
-- takes off what was deleted.
create table account_storage (
  account_id uuid primary key references accounts on delete cascade,
  bytes bigint not null
);
call protect('account_storage', 'account_id = current_account()');

-- When it was measured last; one row.
create table storage_measures (
  is_only boolean primary key default true check (is_only),
  measured_at timestamptz not null
);
grant select, update on storage_measures to patchbay_system;
insert into storage_measures (measured_at) values ('-infinity');

-- The size of its files, once the share is ready.
alter table shares add column bytes bigint not null default 0;
