-- older processes: may stay
-- Items that succeeded in a block with forEach.once: until they expire, runs skip their keys and take these results.
create table remembered_items (
  workflow_id uuid not null references workflows on delete cascade,
  block_id uuid not null,
  key text not null,
  account_id uuid not null,
  -- JSON as text.
  result text,
  succeeded_at timestamptz not null,
  expires_at timestamptz not null,
  primary key (workflow_id, block_id, key)
);
create index remembered_items_by_expiry on remembered_items (expires_at);
call protect('remembered_items', 'account_id = current_account()');
