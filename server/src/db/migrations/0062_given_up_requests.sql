-- Requests that were given up after too many errors are told and counted. The index holds them alone, so counting them is cheap.
alter table webhook_history add column is_given_up boolean not null default false;
create index webhook_history_given_up on webhook_history (account_id, webhook_id) where is_given_up;
-- Some 14 hours of growing waits.
alter table webhooks alter column skip_after_errors set default 20;
