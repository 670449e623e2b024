-- Upgrades of a template: what somebody asked for, and how far it is. The rows are the truth; jobs only say that it is time to look.
create table template_upgrades (
  id uuid primary key,
  organization_id uuid not null references organizations on delete cascade,
  -- Who started it, and by what: revisions and audit rows of every wave name them.
  started_by uuid not null references accounts on delete cascade,
  key_id uuid,
  address text,
  workflow_template_id uuid not null,
  to_version text not null,
  -- What the workflows descend from afterwards.
  base_digest bytea not null references workflow_bases,
  state text not null check (state in ('Running', 'Paused', 'Stopped', 'Completed', 'RolledBack')),
  -- Running in this direction.
  is_rolling_back boolean not null default false,
  wave_size integer not null,
  wave_minutes double precision not null,
  watch_runs integer not null,
  failures_max integer not null,
  failures integer not null default 0,
  wave integer not null default 1,
  -- Jobs of an earlier turn have no effect: pausing, resuming and rolling back begin a new one.
  turn integer not null default 1,
  created_at timestamptz not null default now()
);
call protect('template_upgrades', 'organization_id = current_organization()');
create index template_upgrades_of_organization on template_upgrades (organization_id, id);
create index template_upgrades_of_starter on template_upgrades (started_by, id);
-- One at a time for a template.
create unique index template_upgrades_under_way on template_upgrades (organization_id, workflow_template_id)
  where state in ('Running', 'Paused');

create table template_upgrade_items (
  upgrade_id uuid not null references template_upgrades on delete cascade,
  workflow_id uuid not null,
  organization_id uuid not null,
  account_id uuid not null,
  position integer not null,
  wave integer not null,
  outcome text not null check (outcome in ('pending', 'upgraded', 'upToDate', 'conflict', 'problem', 'skipped', 'rolledBack')),
  revision_before integer,
  revision_after integer,
  message text,
  -- Resolutions and values for this workflow, which may hold passwords; null when there are none, and once they are used.
  sealed_choices bytea,
  -- Set while the next runs decide whether the workflow goes back.
  watched_until timestamptz,
  runs_seen integer not null default 0,
  primary key (upgrade_id, workflow_id)
);
call protect('template_upgrade_items', 'organization_id = current_organization()');
create index template_upgrade_items_in_turn on template_upgrade_items (upgrade_id, wave, position) where outcome = 'pending';
create index template_upgrade_items_watched on template_upgrade_items (workflow_id) where watched_until is not null;
