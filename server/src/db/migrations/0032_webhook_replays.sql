-- Past requests that are put back into the queue, piece by piece.
create table webhook_replays (
  id uuid primary key,
  account_id uuid not null references accounts on delete cascade,
  workflow_id uuid not null references workflows on delete cascade,
  created_at timestamptz not null default clock_timestamp(),
  search_from timestamptz,
  search_to timestamptz,
  statuses text[] not null,
  total integer not null,
  queued integer not null default 0,
  -- How far it has come in the history, which is passed through once; null before it begins.
  cursor_at timestamptz,
  cursor_id uuid,
  is_queued boolean not null default false
);
create index webhook_replays_by_workflow on webhook_replays (workflow_id);
create index webhook_replays_by_account on webhook_replays (account_id);
call protect('webhook_replays', 'account_id = current_account()');

alter table webhook_queue add column replay_id uuid;
create index webhook_queue_replayed on webhook_queue (replay_id) where replay_id is not null;
