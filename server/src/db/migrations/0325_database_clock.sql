-- older processes: may stay
-- The latest time that anybody saw on the server's clock. A clock that shows less was set back, whoever was there to see it.
create table database_clock (
  only_row boolean primary key default true check (only_row),
  seen_at timestamptz not null
);
insert into database_clock (seen_at) values (now());
-- What is still to be moved after a jump of the clock. A row goes in the transaction that moves the times of its table, so that they move exactly once.
create table clock_repairs (
  id bigint generated always as identity primary key,
  table_name text not null,
  shift_ms bigint not null
);
grant select, update on database_clock to patchbay_system;
grant select, insert, delete, update on clock_repairs to patchbay_system;
