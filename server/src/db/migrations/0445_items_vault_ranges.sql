-- older processes: may stay
-- As in run_blocks: where values from the vault stand in the result of an item, so that search leaves them out.
alter table run_items add column vault_ranges text;
alter table remembered_items add column vault_ranges text;
