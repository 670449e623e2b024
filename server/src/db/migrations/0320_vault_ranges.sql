-- older processes: may stay
-- Where the result of a block holds values that its script took from the vault: pairs of positions in the text of the result, as JSON.
-- Search does not index what stands there.
alter table run_blocks add column vault_ranges text;
