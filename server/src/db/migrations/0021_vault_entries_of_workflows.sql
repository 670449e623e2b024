-- Entries of a workflow go with it, and none can be written for one that is gone.
alter table vault_entries add foreign key (workflow_id) references workflows on delete cascade;
