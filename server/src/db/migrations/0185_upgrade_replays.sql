-- How many recorded runs of a workflow are replayed before it is upgraded, and since when an upgrade is over.
alter table template_upgrades
  add column replay_runs integer not null default 0,
  add column ended_at timestamptz;
-- When the earlier ones ended is not known; their retention starts now.
update template_upgrades set ended_at = now() where state in ('Stopped', 'Completed', 'RolledBack');
create index template_upgrades_ended on template_upgrades (ended_at) where ended_at is not null;
