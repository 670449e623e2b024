-- older processes: may stay
-- Events that wake runs, kept for a week for waits that begin later.
create table sent_events (
  id uuid primary key,
  account_id uuid not null references accounts on delete cascade,
  name text not null,
  key text,
  -- JSON text.
  data text,
  -- The sender's own: the same one counts once.
  event_id text,
  woken_runs integer not null default 0,
  created_at timestamptz not null default clock_timestamp()
);
create unique index sent_events_once on sent_events (account_id, event_id) where event_id is not null;
create index sent_events_by_name on sent_events (account_id, name, created_at);
create index sent_events_by_age on sent_events (created_at);
call protect('sent_events', 'account_id = current_account()');

-- An event is given to a run once, however many of its blocks wait for it.
create table sent_event_uses (
  event_id uuid not null references sent_events on delete cascade,
  run_id uuid not null,
  account_id uuid not null,
  primary key (event_id, run_id)
);
call protect('sent_event_uses', 'account_id = current_account()');

-- Which waits an event ends.
create table run_event_waits (
  run_id uuid not null,
  block_id uuid not null,
  item_index integer not null,
  account_id uuid not null,
  name text not null,
  key text,
  primary key (run_id, block_id, item_index, name),
  foreign key (run_id, block_id, item_index) references run_waits on delete cascade
);
create index run_event_waits_by_name on run_event_waits (account_id, name, key);
call protect('run_event_waits', 'account_id = current_account()');
