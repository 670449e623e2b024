-- older processes: may stay
-- Moving an organization from the cell of this database to another one (npm run admin -- move-organization).
--
-- Held: its accounts have the state `moving`, so nothing of theirs is begun; then its rows are frozen by triggers that exist only as long. Moved: the
-- other cell has it; what is left here is being erased, and its addresses stay so that whoever still comes here is told where it is.
create table organization_moves (
  organization_id uuid primary key,
  move_id uuid not null,
  state text not null check (state in ('Held', 'Moved')),
  to_cell text not null,
  began_at timestamptz not null default now(),
  frozen_at timestamptz,
  moved_at timestamptz,
  erased_at timestamptz
);
alter table organization_moves enable row level security;
alter table organization_moves force row level security;
create policy all_rows on organization_moves to patchbay_system using (true) with check (true);
grant select, insert, update, delete on organization_moves to patchbay_system;

-- Whatever in a request says whom it is for: `key:`, `webhook:`, `share:` and what stands in the address, `token:` and the hash of a link, a session
-- or the state of an authorization.
create table moved_addresses (
  address text primary key,
  organization_id uuid not null references organization_moves (organization_id) on delete cascade
);
create index moved_addresses_by_organization on moved_addresses (organization_id);
alter table moved_addresses enable row level security;
alter table moved_addresses force row level security;
create policy all_rows on moved_addresses to patchbay_system using (true) with check (true);
grant select, insert, update, delete on moved_addresses to patchbay_system;

-- Written in the transaction that brings an organization here: it is here exactly when its arrival is.
create table organization_arrivals (
  organization_id uuid primary key,
  move_id uuid not null,
  from_cell text not null,
  arrived_at timestamptz not null default now()
);
alter table organization_arrivals enable row level security;
alter table organization_arrivals force row level security;
create policy all_rows on organization_arrivals to patchbay_system using (true) with check (true);
grant select, insert, update, delete on organization_arrivals to patchbay_system;

alter table accounts add column state_before_move text;
alter table accounts drop constraint accounts_state_check;
alter table accounts add constraint accounts_state_check
  check (state in ('inActive', 'active', 'locked', 'archived', 'moving') and (state = 'moving') = (state_before_move is not null));

-- Put before every table while an organization is copied and erased. The move itself says so in its session.
create function refuse_while_moving() returns trigger language plpgsql as $$
begin
  if current_setting('patchbay.is_moving', true) = 'yes' then
    if tg_op = 'DELETE' then return old; end if;
    return new;
  end if;
  raise exception 'The organization is being moved to another cell.' using errcode = 'PBMOV';
end $$;
