-- older processes: may stay
-- Runs that a block of another run started, and waits for.
alter table runs
  add column parent_run_id uuid,
  add column parent_item_index integer,
  -- {workflowId, runNumber, uniqueBlockId, itemKey}
  add column parent_run jsonb,
  -- The first run is level 1.
  add column level smallint not null default 1;
create index runs_by_parent on runs (parent_run_id) where parent_run_id is not null;
