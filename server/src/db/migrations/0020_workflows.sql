-- A workflow's identity and present state. What it does stands in its revisions; what lists and filters need of the newest one is repeated here.
create table workflows (
  id uuid primary key,
  organization_id uuid not null references organizations,
  account_id uuid not null references accounts on delete cascade,
  state text not null default 'inDevelopment' check (state in ('inDevelopment', 'deployed', 'archived')),
  -- The newest revision: the one that the next run takes.
  revision integer not null default 1,
  name text not null,
  description text not null,
  -- The catalogue is data of its own life: a template may go, the workflow made from it stays.
  workflow_template_id uuid,
  template_version text,
  is_customized_structure boolean not null,
  -- {"<short name>": "<id of the registered application>"}
  applications jsonb not null default '{}',
  -- Kept by schedules.
  is_scheduled boolean not null default false,
  schedule_frequency text,
  schedule_time_zone text,
  next_run_at timestamptz,
  -- Kept by runs, schedules and webhooks.
  is_auto_run_paused boolean not null default false,
  is_webhook_active boolean not null default false,
  -- Kept by runs. No index names these three: every run writes them, and only so the write stays on its page.
  last_run_number integer,
  last_run_status text,
  date_last_run timestamptz,
  created_at timestamptz not null default now(),
  modified_at timestamptz not null default now()
) with (fillfactor = 80);
create index workflows_by_account on workflows (account_id, id);
create index workflows_by_state on workflows (account_id, state, id);
create index workflows_by_template on workflows (account_id, workflow_template_id, id);
create index workflows_scheduled on workflows (account_id, id) where is_scheduled;
create index workflows_paused on workflows (account_id, id) where is_auto_run_paused;
create index workflows_with_webhook on workflows (account_id, id) where is_webhook_active;
call protect('workflows', 'account_id = current_account()');

-- Immutable: a run keeps the number of the revision it ran, and reads it again at any time.
create table workflow_revisions (
  workflow_id uuid not null references workflows on delete cascade,
  revision integer not null,
  account_id uuid not null references accounts on delete cascade,
  definition jsonb not null,
  -- The values of password variables, which the definition leaves out; null when there are none.
  sealed_secrets bytea,
  created_at timestamptz not null default now(),
  created_by uuid,
  primary key (workflow_id, revision)
);
create index workflow_revisions_by_account on workflow_revisions (account_id);
call protect('workflow_revisions', 'account_id = current_account()');
revoke update on workflow_revisions from patchbay_app, patchbay_system;

-- What the newest revision uses, for filters and for "who uses this?".
create table workflow_uses (
  workflow_id uuid not null references workflows on delete cascade,
  account_id uuid not null references accounts on delete cascade,
  kind text not null check (kind in ('application', 'registeredApplication', 'blockTemplate')),
  -- An upper-case short name for applications, an id for the others.
  target text not null,
  primary key (account_id, kind, target, workflow_id)
);
create index workflow_uses_by_workflow on workflow_uses (workflow_id);
call protect('workflow_uses', 'account_id = current_account()');
