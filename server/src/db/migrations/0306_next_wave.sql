-- older processes: may stay
-- When the next wave may begin. A pause does not change that.
alter table template_upgrades add column wave_due_at timestamptz;
