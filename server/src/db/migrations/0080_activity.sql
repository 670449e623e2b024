-- What happened, counted. Whoever ends runs, accepts webhook requests or takes mails appends a row here in its own transaction: nobody waits
-- for a shared counter, and what is counted is counted exactly when it happened. One process at a time adds the rows up.
create table activity_deltas (
  account_id uuid not null,
  workflow_id uuid,
  minute timestamptz not null,
  ready integer not null default 0,
  error integer not null default 0,
  stopped integer not null default 0,
  webhooks integer not null default 0,
  -- How long runs took, as counts in logarithmic buckets (server/src/activity/durations.ts).
  durations bytea,
  runs integer not null default 0,
  blocks integer not null default 0,
  calls integer not null default 0,
  mails integer not null default 0,
  script_ms bigint not null default 0,
  succeeded_at timestamptz,
  received_at timestamptz
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000);
call protect('activity_deltas', 'account_id = current_account()');

-- The same sums for a workflow, an account, the accounts that one account created, and an organization, so that a year of a thousand
-- accounts is as few rows as a year of one. `account_id` is null where a row belongs to more than one account: then only the service reads it.
create table activity_minutes (
  kind text not null check (kind in ('workflow', 'account', 'managed', 'organization')),
  scope_id uuid not null,
  starts_at timestamptz not null,
  account_id uuid references accounts on delete cascade,
  ready integer not null,
  error integer not null,
  stopped integer not null,
  webhooks integer not null,
  durations bytea,
  primary key (scope_id, kind, starts_at)
);
create index activity_minutes_by_account on activity_minutes (account_id);
create index activity_minutes_by_time on activity_minutes (starts_at);
call protect('activity_minutes', 'account_id = current_account()');

-- Days begin at a quarter of an hour in some time zones, and at a whole hour in most: those read the smaller table.
create table activity_quarters (like activity_minutes including all);
alter table activity_quarters add foreign key (account_id) references accounts on delete cascade;
drop index activity_quarters_starts_at_idx;
call protect('activity_quarters', 'account_id = current_account()');
create table activity_hours (like activity_minutes including all);
alter table activity_hours add foreign key (account_id) references accounts on delete cascade;
drop index activity_hours_starts_at_idx;
call protect('activity_hours', 'account_id = current_account()');

-- What an account used on a day, in UTC. Bytes are those last measured on that day; null when none were.
create table usage_days (
  account_id uuid not null references accounts on delete cascade,
  day date not null,
  runs integer not null default 0,
  blocks integer not null default 0,
  calls integer not null default 0,
  webhooks integer not null default 0,
  mails integer not null default 0,
  script_ms bigint not null default 0,
  stored_bytes bigint,
  primary key (account_id, day)
);
call protect('usage_days', 'account_id = current_account()');

-- The calls in the record of a block, those that it had no room for included.
create function count_calls(calls text) returns integer language sql immutable
return case when calls is null then 0 else json_array_length(calls::json -> 'calls') + (calls::json ->> 'omitted')::integer end;

-- Since when a workflow fails or is paused, whoever finds it out.
alter table workflows add column failing_since timestamptz, add column paused_since timestamptz;
update workflows set failing_since = case when is_failing then now() end, paused_since = case when is_auto_run_paused then now() end
where is_failing or is_auto_run_paused;
create function note_trouble() returns trigger language plpgsql as $$
begin
  if new.is_failing is distinct from old.is_failing then new.failing_since := case when new.is_failing then clock_timestamp() end; end if;
  if new.is_auto_run_paused is distinct from old.is_auto_run_paused then
    new.paused_since := case when new.is_auto_run_paused then clock_timestamp() end;
  end if;
  return new;
end $$;
create trigger workflows_note_trouble before update on workflows for each row
  when (old.is_failing is distinct from new.is_failing or old.is_auto_run_paused is distinct from new.is_auto_run_paused)
  execute function note_trouble();

-- Overview asks for the few that are in trouble among many that are not.
create index workflows_failing on workflows (account_id, id) where is_failing;
create index webhook_history_skipped on webhook_history (account_id, workflow_id) where status = 'Skipped';
create index mails_failed on mails (account_id, created_at) where status = 'Failed';
