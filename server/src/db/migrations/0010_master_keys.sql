-- The master keys that wrapped keys may name. The keys themselves are never here, only the ids that stand beside what they wrapped.
create table master_keys (
  id text primary key,
  -- New keys are wrapped by the current one; the others are on their way out.
  is_current boolean not null,
  created_at timestamptz not null default now()
);
create unique index master_keys_one_current on master_keys (is_current) where is_current;
alter table master_keys enable row level security;
alter table master_keys force row level security;
create policy all_rows on master_keys to patchbay_system using (true) with check (true);
grant select, insert, update, delete on master_keys to patchbay_system;

insert into master_keys (id, is_current) select master_key_id, true from system_keys limit 1;
insert into master_keys (id, is_current)
  select distinct master_key_id, false from (select master_key_id from system_keys union all select master_key_id from data_keys) as named
  on conflict do nothing;

-- These make retiring a master key safe: its row cannot go while any key is wrapped by it, and no key can be wrapped by it once the row is gone,
-- however stale the process that tries.
alter table data_keys add constraint data_keys_master_key foreign key (master_key_id) references master_keys;
alter table system_keys add constraint system_keys_master_key foreign key (master_key_id) references master_keys;
create index data_keys_by_master_key on data_keys (master_key_id, id);
