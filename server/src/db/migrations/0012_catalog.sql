-- An organization's own applications, block templates, workflow templates and functions. Shipped ones are files, not rows.
create table catalog_items (
  organization_id uuid not null references organizations on delete cascade,
  kind text not null check (kind in ('application', 'blockTemplate', 'workflowTemplate', 'function')),
  id uuid not null,
  -- 0 is the draft. Published ones count from 1, the highest is the one in use, and none of them ever changes.
  revision integer not null check (revision >= 0),
  -- What its author calls a published template; null for drafts, applications and functions.
  version text,
  -- json and not jsonb: the order of a function's arguments is the order of its keys.
  definition json not null,
  created_by uuid,
  created_at timestamptz not null default now(),
  primary key (organization_id, kind, id, revision)
);
create unique index catalog_items_version on catalog_items (organization_id, kind, id, version) where version is not null;
call protect('catalog_items', 'organization_id = current_organization()');
create policy published_stays on catalog_items as restrictive for update to patchbay_app, patchbay_system using (revision = 0);
create policy published_remains on catalog_items as restrictive for delete to patchbay_app, patchbay_system using (revision = 0);

-- Counts the changes of an organization's items, so that a process knows by one small read whether what it remembers still holds.
-- Its row is also the lock under which items change.
create table catalog_stamps (
  organization_id uuid primary key references organizations on delete cascade,
  stamp bigint not null
);
call protect('catalog_stamps', 'organization_id = current_organization()');
