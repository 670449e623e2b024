-- What open streams are told, kept for a quarter of an hour so that a reader can go on where it was cut off. Rows become visible in the
-- order of their ids (writers take turns), so a reader who remembers the last id misses nothing.
create table stream_events (
  id bigint generated always as identity primary key,
  account_id uuid not null,
  workflow_id uuid,
  type text not null,
  data text not null,
  happened_at timestamptz not null,
  created_at timestamptz not null default now()
) with (autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 5000);
create index stream_events_by_time on stream_events (created_at);
create index stream_events_by_account on stream_events (account_id, id);
call protect('stream_events', 'account_id = current_account()');

-- Whose events somebody wants to see. Nothing is written for others.
create table stream_interest (
  kind text not null check (kind in ('account', 'created', 'organization')),
  scope_id uuid not null,
  wanted_until timestamptz not null,
  primary key (scope_id, kind)
);
alter table stream_interest enable row level security;
alter table stream_interest force row level security;
create policy all_rows on stream_interest to patchbay_system using (true) with check (true);
grant select, insert, update, delete on stream_interest to patchbay_system;
