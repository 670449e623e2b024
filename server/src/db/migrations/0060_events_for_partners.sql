-- Whoever acts for other accounts can be told of what happens to them.
alter table event_subscriptions
  -- account: what happens to the account itself. managed: what happens to every other account that it may act for.
  add column scope text not null default 'account' check (scope in ('account', 'managed'));
create index event_subscriptions_managed on event_subscriptions (account_id) where scope = 'managed';

alter table notification_settings add column managed_failure_mail boolean not null default false;
alter table notification_settings alter column failure_mail set default true;

-- What happened, written in the transaction in which it did, until a worker has handed it on: as deliveries, and as mails.
create table events (
  id uuid primary key,
  account_id uuid not null references accounts on delete cascade,
  type text not null,
  payload text not null,
  -- Null: nobody is mailed.
  mail_subject text,
  mail_text text,
  -- False: the account's owner was mailed in another way.
  mails_owner boolean not null default true,
  -- Later than now where several of the same kind are told in one mail.
  mail_after timestamptz,
  is_delivered boolean not null default false
);
create index events_by_account on events (account_id, type);
call protect('events', 'account_id = current_account()');

-- Deliveries take turns by account and organization, so that a target that is silent holds up its own account alone.
alter table event_deliveries
  add column organization_id uuid references organizations,
  add column due_at timestamptz not null default now(),
  add column attempts integer not null default 0;
update event_deliveries d set organization_id = a.organization_id from accounts a where a.id = d.account_id;
alter table event_deliveries alter column organization_id set not null;
drop index event_deliveries_by_account;
create index event_deliveries_due on event_deliveries (account_id, due_at);
create index event_deliveries_by_organization on event_deliveries (organization_id);
