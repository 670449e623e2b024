-- Uploading -> Ready -> Locked (too many wrong codes); Ready or Locked -> Erased (expired or taken back) -> gone with its files.
-- A row is written before the first byte of its files and goes after the last, so files without a row do not exist. For the same reason an
-- account cannot be deleted under its shares.
create table shares (
  id uuid primary key,
  account_id uuid not null references accounts,
  status text not null check (status in ('Uploading', 'Ready', 'Locked', 'Erased')),
  -- Which data directory holds the files.
  storage_id uuid not null,
  -- Machine and process that receive the upload, and its last sign of life.
  uploader text not null,
  touched_at timestamptz not null default now(),
  -- The key of the files: wrapped by a key derived from the code, and that sealed for this row. Destroying it destroys the files.
  sealed_key bytea check ((sealed_key is not null) = (status in ('Ready', 'Locked'))),
  code_salt bytea,
  is_code_chosen boolean not null default false,
  -- Names, sizes, recipients, note.
  sealed_content bytea,
  wrong_codes integer not null default 0,
  downloads integer not null default 0,
  last_download_at timestamptz,
  created_at timestamptz not null default now(),
  expires_at timestamptz
);
create index shares_by_account on shares (account_id, created_at desc) where status in ('Ready', 'Locked');
create index shares_by_expiry on shares (expires_at) where status in ('Ready', 'Locked');
create index shares_to_clean on shares (storage_id) where status in ('Uploading', 'Erased');
call protect('shares', 'account_id = current_account()');
