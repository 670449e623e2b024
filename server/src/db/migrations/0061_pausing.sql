-- A workflow that failed ten times in a row is paused, but not given up: now and then it tries one run, and a success resumes it.
alter table workflows
  -- Paused by its failures: when it tries again. Null: not paused by them.
  add column next_try_at timestamptz,
  -- How often it tried since it was paused.
  add column pause_tries integer not null default 0,
  -- The latest tick that passed while automatic runs were paused: it is made up for once they go on.
  add column missed_tick timestamptz;
update workflows set next_try_at = now() + interval '5 minutes' where auto_failures >= 10 and is_auto_run_paused;
create index workflows_to_try on workflows (next_try_at) where next_try_at is not null;
create index workflows_with_missed_tick on workflows (id) where missed_tick is not null;

-- How long a paused workflow waits after so many tries: 5, 10, 20, 40, then always 60 minutes.
create function wait_before_try(tries integer) returns interval language sql immutable
  return least(5 * 2 ^ least(tries, 4), 60) * interval '1 minute';

-- What stopped after ten failures in a row stays stopped when a fault ends.
create or replace function pause_while_faulted(workflow uuid) returns void language sql volatile
begin atomic
  update workflows w set is_auto_run_paused = w.next_try_at is not null or has_faulted_application(w.id)
  where w.id = workflow and w.state = 'deployed'
    and w.is_auto_run_paused is distinct from (w.next_try_at is not null or has_faulted_application(w.id));
end;
