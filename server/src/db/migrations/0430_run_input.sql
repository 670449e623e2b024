-- older processes: may stay
-- What a run was given to work on, as JSON text like the results of its blocks. Null: nothing.
alter table runs add column input text;
-- Somebody waits for the end of the run and is told of it.
alter table runs add column is_awaited boolean not null default false;
alter table runs drop constraint runs_run_by_check;
alter table runs add constraint runs_run_by_check
  check (run_by in ('API', 'Scheduler', 'Webhook', 'Manual', 'Retry', 'Workflow')) not valid;
