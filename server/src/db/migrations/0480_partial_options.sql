-- older processes: may stay

-- What a partial run was asked for beside its range: {"items": [keys], "waitForReal": true}. Null for most.
alter table runs add column partial jsonb;
