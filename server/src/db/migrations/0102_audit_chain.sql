-- Who started a run stands in the run, so that a start needs no row in the audit log. Null: schedule or webhook.
alter table runs add column started_by uuid;

-- The audit log is chained: the hash of a row covers the row and the hash of the one before it in the same organization. Rows are chained
-- shortly after they became final, in the order in which they are found, so that nobody who writes one waits for another.
create table audit_chain (
  position bigint generated always as identity primary key,
  audit_id bigint not null unique,
  organization_id uuid not null,
  hash bytea not null
);
create index audit_chain_by_organization on audit_chain (organization_id, position desc);
call protect('audit_chain', 'organization_id = current_organization()');
revoke update, delete on audit_chain from patchbay_app, patchbay_system;

-- Where a chain begins when older rows were removed by retention: the hash of the last one that was removed.
create table audit_chain_starts (
  organization_id uuid primary key,
  hash bytea not null
);
grant select, insert, update on audit_chain_starts to patchbay_system;
