-- older processes: may stay
-- The blocks that were really running when a worker was last heard of: only those are blamed for its death.
alter table runs add column under_way uuid[];
