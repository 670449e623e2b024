-- Replays: recorded runs that are run again in the background. Kept for a day.
create table replays (
  id uuid primary key,
  account_id uuid not null references accounts on delete cascade,
  workflow_id uuid not null references workflows on delete cascade,
  state text not null default 'Running' check (state in ('Running', 'Completed', 'Failed')),
  created_at timestamptz not null default now(),
  -- What is run, and the answers that were given for calls nobody recorded.
  sealed_request bytea not null
);
create index replays_by_account on replays (account_id, created_at);
create index replays_by_workflow on replays (workflow_id);
call protect('replays', 'account_id = current_account()');

create table replay_runs (
  replay_id uuid not null references replays on delete cascade,
  position integer not null,
  account_id uuid not null references accounts on delete cascade,
  run_number integer not null,
  -- Null until it was run.
  outcome text check (outcome in ('same', 'different', 'failed', 'notReplayable')),
  sealed_result bytea,
  primary key (replay_id, position)
);
create index replay_runs_by_account on replay_runs (account_id);
call protect('replay_runs', 'account_id = current_account()');
