-- The last measurement before a day, of each of many accounts.
create index usage_days_measured on usage_days (account_id, day) where stored_bytes is not null;
