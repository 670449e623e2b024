-- Key-value entries of a workflow or of an account. The value is sealed for exactly this account, holder and key.
create table vault_entries (
  account_id uuid not null references accounts on delete cascade,
  -- The workflow, or the account itself for entries that all its workflows see.
  holder_id uuid not null,
  -- SHA-256 of the key: keys may be longer than an index entry can be.
  key_hash bytea not null,
  -- UTF-8. Not text, because a key may hold NUL.
  key bytea not null,
  sealed_value bytea not null,
  created_at timestamptz not null default now(),
  modified_at timestamptz not null default now(),
  -- Null for entries of the account: what a foreign key to workflows can stand on.
  workflow_id uuid generated always as (nullif(holder_id, account_id)) stored,
  primary key (account_id, holder_id, key_hash)
);
-- Ciphertext does not compress: trying would only cost time.
alter table vault_entries alter column sealed_value set storage external;
create index vault_entries_by_workflow on vault_entries (workflow_id) where workflow_id is not null;
call protect('vault_entries', 'account_id = current_account()');
