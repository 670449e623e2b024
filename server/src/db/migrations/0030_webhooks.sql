-- Webhooks. What a sender gave us lives in three places: the request itself (immutable, sealed, dropped by the day), its place in the queue
-- while it waits or is worked on (narrow and hot), and one line of history once it left.

-- Settings; no row: not configured. Whether requests are taken stands in workflows.is_webhook_active.
create table webhooks (
  workflow_id uuid primary key references workflows on delete cascade,
  account_id uuid not null references accounts on delete cascade,
  -- New with every change: a request that was checked against other settings is not stored, but checked again.
  version uuid not null,
  ip_restriction text[] not null default '{}',
  url_parameters text not null default '',
  is_strict_order boolean not null default false,
  order_key text not null default '',
  skip_after_errors integer not null default 5,
  skip_script text not null default '',
  is_batch boolean not null default false,
  batch_size integer not null default 50,
  moves_date_last_run boolean not null default false,
  -- By hand of an operator: requests are taken and wait.
  is_held boolean not null default false,
  sealed_secret bytea not null,
  -- The secret before the last change is good for a while longer, so that senders can follow.
  sealed_previous_secret bytea,
  previous_secret_until timestamptz,
  modified_by uuid not null,
  modified_at timestamptz not null default now()
);
create index webhooks_by_account on webhooks (account_id);
call protect('webhooks', 'account_id = current_account()');

-- The smallest version 7 GUID of a day (UTC): they begin with their time.
create function first_webhook_id(day date) returns uuid language sql immutable
  return (lpad(to_hex((extract(epoch from day::timestamp) * 1000)::bigint), 12, '0') || repeat('0', 20))::uuid;

-- Method, headers, query and body as they came, sealed: headers carry credentials of others, bodies their customers' data.
create table webhook_requests (
  id uuid not null primary key,
  account_id uuid not null,
  workflow_id uuid not null,
  created_at timestamptz not null,
  sealed_request bytea not null
) partition by range (id);
alter table webhook_requests alter column sealed_request set storage external;
call protect('webhook_requests', 'account_id = current_account()');

-- One line a request that left the queue.
create table webhook_history (
  webhook_id uuid not null primary key,
  account_id uuid not null,
  workflow_id uuid not null,
  created_at timestamptz not null,
  left_at timestamptz not null,
  due_at timestamptz not null,
  status text not null check (status in ('Done', 'Skipped')),
  error_counter integer not null,
  -- Null: no run ever took it.
  run_number integer,
  error_message text
) partition by range (webhook_id);
create index webhook_history_by_workflow on webhook_history (account_id, workflow_id, created_at, webhook_id);
call protect('webhook_history', 'account_id = current_account()');

create table webhook_requests_default partition of webhook_requests default;
create table webhook_history_default partition of webhook_history default;
call protect('webhook_requests_default', 'account_id = current_account()');
call protect('webhook_history_default', 'account_id = current_account()');

-- The queue. Pending -> Processing -> gone to the history, or Failed -> Processing … -> gone.
create table webhook_queue (
  webhook_id uuid primary key,
  account_id uuid not null,
  workflow_id uuid not null,
  -- Order of acceptance.
  seq bigint generated always as identity,
  -- Requests of one lane are processed one after the other; null: in no particular order.
  lane text,
  -- True when nothing in its lane is before it. Exactly one row of a lane that is not empty has it.
  is_ready boolean not null,
  status text not null default 'Pending' check (status in ('Pending', 'Processing', 'Failed')),
  error_counter integer not null default 0,
  -- Not before this time.
  due_at timestamptz not null,
  -- The run, or the check by the skip script, that has it while it is Processing.
  holder uuid,
  run_number integer,
  error_message text,
  created_at timestamptz not null,
  modified_at timestamptz not null
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_cost_delay = 0);
create index webhook_queue_in_order on webhook_queue (account_id, workflow_id, seq);
create index webhook_queue_startable on webhook_queue (account_id, workflow_id, due_at, seq) where is_ready and status <> 'Processing';
create index webhook_queue_lanes on webhook_queue (workflow_id, lane, seq) where lane is not null;
create index webhook_queue_held on webhook_queue (account_id, holder) where status = 'Processing';
call protect('webhook_queue', 'account_id = current_account()');

-- Ids by which senders mark repeated deliveries of one event, as digests; forgotten after seven days.
create table webhook_deliveries (
  workflow_id uuid not null,
  delivery uuid not null,
  account_id uuid not null,
  webhook_id uuid not null,
  created_at timestamptz not null,
  primary key (workflow_id, delivery)
);
create index webhook_deliveries_by_time on webhook_deliveries using brin (created_at);
call protect('webhook_deliveries', 'account_id = current_account()');

-- Requests that came while the workflow was in development: a few, for trying out, kept as long as the workflow.
create table webhook_samples (
  id uuid primary key,
  account_id uuid not null references accounts on delete cascade,
  workflow_id uuid not null references workflows on delete cascade,
  created_at timestamptz not null,
  sealed_request bytea not null,
  is_pinned boolean not null default false
);
create index webhook_samples_by_workflow on webhook_samples (workflow_id, created_at);
create index webhook_samples_by_account on webhook_samples (account_id);
call protect('webhook_samples', 'account_id = current_account()');

-- What a workflow leaves behind in tables that name no foreign key, because that would cost every request a lookup.
create function forget_webhooks() returns trigger language plpgsql as $$
begin
  delete from webhook_requests r using webhook_queue q where q.workflow_id = old.id and q.account_id = old.account_id and r.id = q.webhook_id;
  delete from webhook_requests r using webhook_history h where h.workflow_id = old.id and h.account_id = old.account_id and r.id = h.webhook_id;
  delete from webhook_queue where account_id = old.account_id and workflow_id = old.id;
  delete from webhook_history where account_id = old.account_id and workflow_id = old.id;
  delete from webhook_deliveries where workflow_id = old.id;
  return null;
end $$;
create trigger forget_webhooks after delete on workflows for each row execute function forget_webhooks();

-- Partitions are made and dropped by the owner of the tables, on behalf of workers, which are not.
create function ensure_webhook_partitions(days_ahead integer) returns void language plpgsql security definer set search_path = patchbay, pg_temp as $$
declare
  today date := (now() at time zone 'utc')::date;
  day date;
  parent text;
  made text;
begin
  for day in select today + n from generate_series(0, least(days_ahead, 60)) n loop
    foreach parent in array array['webhook_requests', 'webhook_history'] loop
      made := parent || to_char(day, '_YYYYMMDD');
      if to_regclass('patchbay.' || made) is not null then continue; end if;
      perform pg_advisory_xact_lock(7230118444);
      -- Another process may have made it while this one waited.
      if to_regclass('patchbay.' || made) is not null then continue; end if;
      begin
        execute format('create table %I partition of %I for values from (%L) to (%L)', made, parent,
          first_webhook_id(day), first_webhook_id(day + 1));
        call protect(made::regclass, 'account_id = current_account()');
      exception
        -- The default partition holds rows of that day already: there the day stays.
        when check_violation then null;
      end;
    end loop;
  end loop;
end $$;
revoke execute on function ensure_webhook_partitions(integer) from public;
grant execute on function ensure_webhook_partitions(integer) to patchbay_system;

-- Drops one day for good. The caller has made sure that nothing of that day waits in the queue: row-level security may hide the queue from
-- the owner of this function, but not from the caller.
create function drop_webhook_day(day date) returns void language plpgsql security definer set search_path = patchbay, pg_temp as $$
begin
  execute format('drop table if exists %I, %I', to_char(day, '"webhook_requests_"YYYYMMDD'), to_char(day, '"webhook_history_"YYYYMMDD'));
end $$;
revoke execute on function drop_webhook_day(date) from public;
grant execute on function drop_webhook_day(date) to patchbay_system;

select ensure_webhook_partitions(7);
