-- older processes: may stay
-- Attempts to sign in count for all API processes together. Keys are hashes: whoever reads the table learns no address.
create table sign_in_attempts (
  key bytea primary key,
  failures integer not null,
  blocked_until timestamptz not null
);
create index sign_in_attempts_by_end on sign_in_attempts (blocked_until);
create table sign_in_rates (
  key bytea primary key,
  attempts_left double precision not null,
  counted_at timestamptz not null
);
create index sign_in_rates_by_time on sign_in_rates (counted_at);
alter table sign_in_attempts enable row level security;
alter table sign_in_attempts force row level security;
create policy all_rows on sign_in_attempts to patchbay_system using (true) with check (true);
grant select, insert, update, delete on sign_in_attempts to patchbay_system;
alter table sign_in_rates enable row level security;
alter table sign_in_rates force row level security;
create policy all_rows on sign_in_rates to patchbay_system using (true) with check (true);
grant select, insert, update, delete on sign_in_rates to patchbay_system;
