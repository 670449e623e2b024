-- Blocks that are skipped, fail without ending their run, or wait.
alter table runs drop constraint runs_status_check;
alter table runs add constraint runs_status_check
  check (status in ('Pending', 'Processing', 'Waiting', 'Ready', 'Error', 'Stopping', 'Stopped')) not valid;
alter table run_blocks drop constraint run_blocks_status_check;
alter table run_blocks add constraint run_blocks_status_check check (status in ('Ready', 'Error', 'Skipped')) not valid;

alter table runs
  -- While it waits: {kind, uniqueBlockId, itemKey, untilDateTimeUTC} of what is due first.
  add column waiting_for jsonb,
  -- Blocks that failed without ending the run.
  add column block_errors integer not null default 0;
-- What only some blocks have: {tries, error: {statusCode, response}, childRun}.
alter table run_blocks add column flow jsonb;

-- One row for each block or item that waits for its next try, a time, an event, a person or another run. It stays until the run ends, so that a worker
-- that takes the run over knows how often the block was tried.
create table run_waits (
  run_id uuid not null,
  block_id uuid not null,
  -- -1 for the block itself.
  item_index integer not null default -1,
  account_id uuid not null,
  kind text not null check (kind in ('retry', 'time', 'event', 'approval', 'subWorkflow', 'limit')),
  -- Null: nothing but what it waits for ends it.
  due_at timestamptz,
  -- JSON text: what going on takes.
  details text not null,
  -- JSON text, written by whoever ends the wait.
  outcome text,
  primary key (run_id, block_id, item_index)
);
call protect('run_waits', 'account_id = current_account()');
