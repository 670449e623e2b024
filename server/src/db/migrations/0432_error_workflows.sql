-- older processes: may stay
-- The workflow that runs after each run of the account, or of the accounts it manages, that ended in Error.
create table error_workflows (
  account_id uuid not null references accounts on delete cascade,
  scope text not null check (scope in ('account', 'managed')),
  workflow_id uuid not null references workflows on delete cascade,
  primary key (account_id, scope)
);
create index error_workflows_by_workflow on error_workflows (workflow_id);
call protect('error_workflows', 'account_id = current_account()');
-- A run of such a workflow: its own failure starts no other, else two of them could start each other for ever.
alter table runs add column is_error_run boolean not null default false;
