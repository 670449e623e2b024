-- older processes: may stay
-- Requests that a webhook refused: the newest ten of each workflow, without their bodies, and how many there were by hour and reason.
create table webhook_refusals (
  id bigint generated always as identity primary key,
  workflow_id uuid not null references workflows on delete cascade,
  account_id uuid not null references accounts on delete cascade,
  at timestamptz not null,
  status_code integer not null,
  reason text not null,
  ip_address text not null,
  header_names text[] not null
);
create index webhook_refusals_by_workflow on webhook_refusals (workflow_id, id);
call protect('webhook_refusals', 'account_id = current_account()');

create table webhook_refusal_hours (
  workflow_id uuid not null references workflows on delete cascade,
  account_id uuid not null references accounts on delete cascade,
  hour timestamptz not null,
  status_code integer not null,
  reason text not null,
  refusals bigint not null,
  primary key (workflow_id, hour, status_code, reason)
);
create index webhook_refusal_hours_by_hour on webhook_refusal_hours (hour);
call protect('webhook_refusal_hours', 'account_id = current_account()');

-- A person was mailed that the workflow fails, and not yet that it works again.
alter table workflows add column is_failure_told boolean not null default false;
update workflows set is_failure_told = true where is_failing;
