-- older processes: may stay
-- What runs ask people for. An approval outlives the wait for it, so that those who come later see what was decided.
create table approvals (
  id uuid primary key,
  account_id uuid not null references accounts on delete cascade,
  workflow_id uuid not null references workflows on delete cascade,
  run_id uuid not null,
  run_number integer not null,
  block_id uuid not null,
  -- -1 for the block itself.
  item_index integer not null,
  item_key text,
  title text not null,
  message text,
  recipients text[] not null,
  -- [{shortName, displayName, type, required}]
  form jsonb not null,
  -- Approvals that it takes.
  count_needed smallint not null,
  -- [{by, approved, comment, form, dateTimeUTC}]
  decisions jsonb not null default '[]',
  -- Null while it is open.
  outcome text check (outcome in ('approved', 'rejected', 'timedOut', 'resumed', 'stopped')),
  created_at timestamptz not null default clock_timestamp(),
  timeout_at timestamptz not null
);
create unique index approvals_by_run on approvals (run_id, block_id, item_index);
create index approvals_by_account on approvals (account_id, created_at desc);
create index approvals_by_workflow on approvals (workflow_id);
call protect('approvals', 'account_id = current_account()');

-- Each address has a link of its own, known here by its hash.
create table approval_links (
  token_hash bytea primary key,
  approval_id uuid not null references approvals on delete cascade,
  account_id uuid not null references accounts on delete cascade,
  email text not null
);
create index approval_links_by_approval on approval_links (approval_id);
create index approval_links_by_account on approval_links (account_id);
call protect('approval_links', 'account_id = current_account()');
