-- older processes: may stay
-- The ledger: items that failed and that nobody has seen to yet. It outlives the runs.
create table failed_items (
  -- The first run in a row of retries: an item has one entry, however often it is retried.
  root_run_id uuid not null,
  block_id uuid not null,
  key text not null,
  account_id uuid not null,
  workflow_id uuid not null,
  -- The run in which it failed first.
  run_id uuid not null,
  run_number integer not null,
  block_name text not null,
  item_index integer not null,
  error_message text not null,
  tries integer not null,
  failed_at timestamptz not null,
  -- {item, calls}, sealed.
  sealed_item bytea not null,
  -- The latest run that was given the item again.
  retry_run_id uuid,
  retry_run_number integer,
  primary key (root_run_id, block_id, key)
);
create index failed_items_of_account on failed_items (account_id, failed_at);
create index failed_items_of_workflow on failed_items (workflow_id, failed_at);
create index failed_items_by_age on failed_items (failed_at);
call protect('failed_items', 'account_id = current_account()');
