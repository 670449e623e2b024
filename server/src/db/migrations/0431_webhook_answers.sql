-- older processes: may stay
-- Webhooks that answer with what their run says.
alter table webhooks add column respond_with text not null default 'accepted' check (respond_with in ('accepted', 'result'));
alter table webhooks add column respond_seconds integer not null default 25;
-- The response to each request of such a webhook, stored with the block or the end of the run that gave it: the first one counts. It is kept
-- as long as delivery ids are, for senders that repeat theirs.
create table webhook_answers (
  webhook_id uuid primary key,
  account_id uuid not null,
  workflow_id uuid not null references workflows on delete cascade,
  run_id uuid,
  status_code integer not null,
  -- [[name, value], …]
  headers json not null,
  -- Null: the result of the run, which is too large to be kept twice.
  body text,
  created_at timestamptz not null default clock_timestamp()
);
create index webhook_answers_of_workflow on webhook_answers (workflow_id);
create index webhook_answers_by_age on webhook_answers (created_at);
call protect('webhook_answers', 'account_id = current_account()');
