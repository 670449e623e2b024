-- Items of blocks that run once for each. The list is recorded before the first item starts; an item has a row once it has ended, and never runs again then.
create table run_item_lists (
  run_id uuid not null,
  block_id uuid not null,
  chunk integer not null,
  account_id uuid not null,
  -- Of the whole list, in each chunk.
  total integer not null,
  first_index integer not null,
  -- JSON text: [[key, item], …]
  content text not null,
  -- {"<index>": number of workers that died on it}, in the first chunk.
  deaths jsonb,
  primary key (run_id, block_id, chunk)
);
call protect('run_item_lists', 'account_id = current_account()');

create table run_items (
  run_id uuid not null,
  block_id uuid not null,
  item_index integer not null,
  account_id uuid not null,
  key text not null,
  status text not null check (status in ('succeeded', 'failed', 'skipped')),
  -- JSON as text.
  result text,
  error_message text,
  log text,
  calls text,
  tries integer not null,
  started_at timestamptz not null,
  ended_at timestamptz not null,
  primary key (run_id, block_id, item_index)
);
call protect('run_items', 'account_id = current_account()');

alter table runs
  add column items_total integer not null default 0,
  add column items_failed integer not null default 0;
