-- older processes: may stay
-- Addresses that wake a block which waits, known here by their hash. They stay until retention takes their run, so that whoever comes later is told.
create table resume_links (
  token_hash bytea primary key,
  account_id uuid not null references accounts on delete cascade,
  workflow_id uuid not null references workflows on delete cascade,
  run_id uuid not null,
  block_id uuid not null,
  -- -1 for the block itself.
  item_index integer not null,
  -- JSON text, once it was used: the wait takes it up, also when it begins later.
  outcome text
);
create index resume_links_by_run on resume_links (run_id, block_id, item_index);
create index resume_links_by_account on resume_links (account_id);
create index resume_links_by_workflow on resume_links (workflow_id);
call protect('resume_links', 'account_id = current_account()');
