-- Why a revision exists, and which version of its template the workflow followed then: a restored revision brings its bond back.
alter table workflow_revisions
  add column reason text not null default 'Updated' check (reason in ('Created', 'Updated', 'Restored', 'Upgraded', 'RolledBack')),
  add column template_version text;
update workflow_revisions r set template_version = w.template_version, reason = case when r.revision = 1 then 'Created' else 'Updated' end
from workflows w where w.id = r.workflow_id;
alter table workflow_revisions alter column reason drop default;
