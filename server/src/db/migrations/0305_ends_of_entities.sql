-- older processes: may stay
-- Ids of registered applications that were deleted within the last day: a workflow that is given one at the moment it is deleted is refused,
-- in whichever order the two requests are processed.
create table deleted_connections (
  id uuid primary key,
  account_id uuid not null references accounts on delete cascade,
  deleted_at timestamptz not null default now()
);
create index deleted_connections_by_account on deleted_connections (account_id, deleted_at);
call protect('deleted_connections', 'account_id = current_account()');

-- Until then no run starts, because whoever deletes the workflow waits for those under way to end. The time passes by itself if that process dies.
alter table workflows add column deleting_until timestamptz;
