-- How many items a block gave: the length of an array, 1 for anything else, 0 for null.
alter table run_blocks add column item_count integer;

-- What people expect of a workflow. `is_met` is what was found last; an alarm is raised when it becomes false, and cleared when it becomes true.
create table expectations (
  id uuid primary key,
  account_id uuid not null references accounts on delete cascade,
  workflow_id uuid not null references workflows on delete cascade,
  kind text not null check (kind in ('succeedsWithin', 'itemsBetween', 'receivesWithin', 'usual')),
  unique_block_id uuid,
  hours double precision,
  items_min integer,
  items_max integer,
  position integer not null,
  is_met boolean not null default true,
  -- When it was last met, as far as that is a moment: a success, a request; else when it was set.
  last_seen_at timestamptz not null,
  has_been_seen boolean not null default false
);
create index expectations_by_workflow on expectations (workflow_id);
create index expectations_by_account on expectations (account_id);
call protect('expectations', 'account_id = current_account()');

create table alarms (
  id uuid primary key,
  account_id uuid not null references accounts on delete cascade,
  workflow_id uuid not null references workflows on delete cascade,
  expectation_id uuid not null,
  kind text not null,
  unique_block_id uuid,
  message text not null,
  is_open boolean not null default true,
  raised_at timestamptz not null default now(),
  acknowledged_at timestamptz,
  cleared_at timestamptz
);
create unique index alarms_one_open on alarms (expectation_id) where is_open;
create index alarms_by_account on alarms (account_id, raised_at desc);
create index alarms_by_workflow on alarms (workflow_id);
call protect('alarms', 'account_id = current_account()');

-- Runs that ended well and are still to be looked at, written in the transaction that ends them.
create table alarm_checks (
  run_id uuid primary key,
  account_id uuid not null,
  workflow_id uuid not null
);
call protect('alarm_checks', 'account_id = current_account()');

-- What blocks gave in the last 30 days, for `usual`.
create table item_samples (
  workflow_id uuid not null references workflows on delete cascade,
  block_id uuid not null,
  account_id uuid not null references accounts on delete cascade,
  at timestamptz not null,
  items integer not null
);
create index item_samples_in_order on item_samples (workflow_id, block_id, at);
create index item_samples_by_account on item_samples (account_id);
call protect('item_samples', 'account_id = current_account()');

-- When the newest webhook request of a workflow was accepted: it is in the queue or in the history.
create function last_request_at(account uuid, workflow uuid) returns timestamptz language sql stable
return greatest(
  (select q.created_at from webhook_queue q where q.account_id = account and q.workflow_id = workflow order by q.seq desc limit 1),
  (select max(h.created_at) from webhook_history h where h.account_id = account and h.workflow_id = workflow));
