-- Files of shares, for installations that keep them in the database (PATCHBAY_STORAGE_URL=database:). The bytes are sealed; compressing them
-- again would only cost time. Requests of accounts never reach this table: it is granted to the system role alone.
create table file_pieces (
  group_id uuid not null,
  file_id uuid not null,
  number integer not null,
  bytes bytea not null,
  primary key (group_id, file_id, number)
);
alter table file_pieces alter column bytes set storage external;
grant select, insert, update, delete on file_pieces to patchbay_system;
