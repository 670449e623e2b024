-- older processes: may stay
alter table runs
  -- The number of the run that it retries.
  add column retry_of_number integer,
  -- The run that began to retry single items, its own id included: it and its retries are a row of their own, beside retries of the whole run.
  add column items_retry_id uuid;
-- The latest run that was given the item again.
alter table run_items add column retried_by integer;
