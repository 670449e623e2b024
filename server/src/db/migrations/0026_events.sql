-- Addresses that an account wants to be told at when something happens to its runs and connections.
create table event_subscriptions (
  id uuid primary key,
  account_id uuid not null references accounts on delete cascade,
  url text not null,
  -- Empty: all of them.
  events text[] not null default '{}',
  sealed_secret bytea not null,
  is_active boolean not null default true,
  last_delivered_at timestamptz,
  last_error text,
  created_at timestamptz not null default now(),
  modified_at timestamptz not null default now()
);
create index event_subscriptions_by_account on event_subscriptions (account_id, created_at);
call protect('event_subscriptions', 'account_id = current_account()');

-- One row an event and address until it was delivered or given up.
create table event_deliveries (
  id uuid primary key,
  account_id uuid not null references accounts on delete cascade,
  subscription_id uuid not null references event_subscriptions on delete cascade,
  event text not null,
  payload text not null,
  created_at timestamptz not null default now()
);
create index event_deliveries_by_subscription on event_deliveries (subscription_id);
create index event_deliveries_by_account on event_deliveries (account_id);
call protect('event_deliveries', 'account_id = current_account()');

-- Accounts that want no mail when a workflow begins to fail.
create table notification_settings (
  account_id uuid primary key references accounts on delete cascade,
  failure_mail boolean not null
);
call protect('notification_settings', 'account_id = current_account()');
