-- older processes: may stay
-- A workflow can run others. Who uses which is asked before one is archived or deleted, and for circles.
alter table workflow_uses drop constraint workflow_uses_kind_check;
alter table workflow_uses add constraint workflow_uses_kind_check
  check (kind in ('application', 'registeredApplication', 'blockTemplate', 'subWorkflow')) not valid;
