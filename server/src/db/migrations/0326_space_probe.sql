-- older processes: may stay
-- After a statement met a full disk, readiness writes here what needs new pages: a row that fits into a page says nothing about the disk.
create table space_probe (filler bytea not null);
alter table space_probe alter column filler set storage external;
grant select, insert, delete on space_probe to patchbay_system;
