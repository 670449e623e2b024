-- older processes: may stay
-- Readiness writes here now and then: a server that reads well may be a standby, out of disk, or closed to us.
create table write_probe (
  only_row boolean primary key default true check (only_row),
  probed_at timestamptz not null
);
grant select, insert, update on write_probe to patchbay_system;

-- Whether processes that do not know a migration yet go on working beside it. Earlier ones never said so.
alter table migrations add column older_may_stay boolean not null default false;
