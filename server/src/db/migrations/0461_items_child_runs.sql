-- older processes: may stay
-- The run of another workflow that an item started: {workflowId, runNumber}.
alter table run_items add column child_run jsonb;
