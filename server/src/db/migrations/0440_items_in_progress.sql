-- older processes: may stay
alter table run_item_lists
  -- Time that workers have spent on the block, in the first chunk.
  add column used_ms bigint not null default 0,
  -- How many of its items run at the same time, at most.
  add column lanes integer not null default 1,
  -- The block whose list it is; null for a list of its own.
  add column same_as uuid;

-- Vault values that the item set for the end of the run, sealed for first run, block and key.
alter table run_items add column sealed_deferred bytea;
