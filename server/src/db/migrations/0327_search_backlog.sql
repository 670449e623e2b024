-- older processes: may stay
-- Runs and requests from before there was an index, on their way into it, newest first. A row is gone when all of its kind are in.
create table search_backlog (
  kind text primary key check (kind in ('run', 'webhook')),
  -- What ended, or was accepted, after this is in the index; null until a worker has found out.
  since timestamptz,
  -- The last one that was put into the feed.
  reached uuid
);
insert into search_backlog (kind) values ('run'), ('webhook');
grant select, update, delete on search_backlog to patchbay_system;
