-- Search for words in what runs and webhooks left behind. The index holds keyed hashes of words, one key an account, in segments: each
-- covers documents of one workflow and one day, so that a deleted workflow and a day that is not kept any more take their segments along.

-- What is not indexed yet. A batch of runs that ended, or of requests that were accepted, is one row, written in their own transaction.
create table search_feed (
  id bigint generated always as identity primary key,
  kind text not null check (kind in ('run', 'webhook')),
  ids uuid[] not null
);
grant select, insert, update, delete on search_feed to patchbay_system;

create table search_segments (
  id bigint generated always as identity primary key,
  account_id uuid not null references accounts on delete cascade,
  workflow_id uuid not null references workflows on delete cascade,
  -- Of the ids of its runs or requests, in UTC: retention drops those by the same days.
  day date not null,
  -- Which order of magnitude it has; segments of one size are merged into one of the next.
  tier smallint not null,
  document_count integer not null,
  oldest timestamptz not null,
  newest timestamptz not null,
  -- Null when it holds requests only.
  highest_run_number integer,
  -- Blocks of 32 bytes in `filter`, a Bloom filter that tells at the cost of one block whether a word may be here.
  filter_blocks integer not null,
  filter bytea not null,
  documents bytea not null,
  -- Where each bucket of `postings` begins, four bytes each: one bucket is read for a word, not all of them.
  bucket_offsets bytea not null,
  postings bytea not null
);
-- Hashes do not get smaller by compressing, and single blocks can be read only from what is not compressed.
alter table search_segments alter column filter set storage external, alter column documents set storage external,
  alter column bucket_offsets set storage external, alter column postings set storage external;
create index search_segments_by_account on search_segments (account_id, newest desc, id desc);
create index search_segments_by_workflow on search_segments (workflow_id, day, tier);
call protect('search_segments', 'account_id = current_account()');
