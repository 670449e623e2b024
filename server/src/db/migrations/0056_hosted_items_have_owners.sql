-- Who brought an item first: besides SuperPartners and Managers nobody else changes it. Null where it is not known.
create table catalog_owners (
  organization_id uuid not null references organizations on delete cascade,
  kind text not null,
  id uuid not null,
  account_id uuid,
  primary key (organization_id, kind, id)
);
call protect('catalog_owners', 'organization_id = current_organization()');
insert into catalog_owners (organization_id, kind, id, account_id)
select distinct on (organization_id, kind, id) organization_id, kind, id, created_by
from catalog_items order by organization_id, kind, id, created_at, revision;

-- Counts, for an application, the changes of where its credentials go. Credentials given at an earlier count are not used any more.
alter table catalog_items add column credential_epoch integer not null default 0;
alter table registered_applications add column credential_epoch integer not null default 0;

-- The stamp of the change that wrote the item. A deployed workflow keeps the functions as they were at the stamp it was deployed with.
alter table catalog_items add column stamp bigint not null default 0;
alter table workflows add column function_stamp bigint;
update workflows set function_stamp = 0 where state = 'deployed';
