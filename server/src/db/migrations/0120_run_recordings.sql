-- What the newest runs of a workflow heard from outside, sealed, so that they can be run again without anybody outside. Written with the end
-- of the run; older ones go at the same moment.
create table run_recordings (
  run_id uuid primary key,
  account_id uuid not null,
  workflow_id uuid not null,
  run_number integer not null,
  sealed_tape bytea,
  -- Why there is no tape.
  problem text,
  check ((sealed_tape is null) <> (problem is null))
);
-- Sealed bytes cannot be made smaller, so the server need not try.
alter table run_recordings alter column sealed_tape set storage external;
-- Rows come and go with every run, however few there are at a time.
alter table run_recordings set (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000, autovacuum_vacuum_cost_delay = 0);
create index run_recordings_of_workflow on run_recordings (workflow_id, run_number);
call protect('run_recordings', 'account_id = current_account()');
