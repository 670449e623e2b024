-- A published workflow template keeps the block templates it stands on as they were then, so that no later version of a block
-- changes how it reads. Null for drafts, for other kinds, and for what was published before this migration: the service fills those
-- in when it starts, because shipped block templates are files that SQL cannot see.
alter table catalog_items add column pinned json;
create index catalog_items_unpinned on catalog_items (organization_id, id)
  where kind = 'workflowTemplate' and revision > 0 and pinned is null;

-- Pinning an earlier version is the one change a published row still takes, once.
drop policy published_stays on catalog_items;
create policy published_stays on catalog_items as restrictive for update to patchbay_app, patchbay_system
  using (revision = 0 or (kind = 'workflowTemplate' and pinned is null))
  with check (revision = 0 or pinned is not null);

-- What a workflow was made from: its template's version with every block template resolved, in the form of a workflow's definition.
-- Workflows of the same version share a row, whose key is the digest of its content and its organization.
create table workflow_bases (
  digest bytea primary key,
  organization_id uuid not null references organizations on delete cascade,
  workflow_template_id uuid not null,
  -- Null when it was made from a draft.
  template_version text,
  -- json and not jsonb: it is compared and shown, so the order of keys stays.
  definition json not null,
  created_at timestamptz not null default now()
);
create index workflow_bases_by_template on workflow_bases (organization_id, workflow_template_id);
call protect('workflow_bases', 'organization_id = current_organization()');
revoke update, delete on workflow_bases from patchbay_app, patchbay_system;

-- Null for workflows without a template. Each revision names the base it had, so that restoring one restores its base too.
alter table workflow_revisions add column base_digest bytea references workflow_bases;
grant update (base_digest) on workflow_revisions to patchbay_system;

-- Workflows from before this migration, until the service has given them their base.
create table workflows_without_base (
  workflow_id uuid primary key references workflows on delete cascade
);
alter table workflows_without_base enable row level security;
alter table workflows_without_base force row level security;
create policy all_rows on workflows_without_base to patchbay_system using (true) with check (true);
grant select, insert, update, delete on workflows_without_base to patchbay_system;
insert into workflows_without_base select id from workflows where workflow_template_id is not null;
