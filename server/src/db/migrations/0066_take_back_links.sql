-- Whoever gave access at a provider can take it back for a while, on the page that told of it.
create table take_back_links (
  token_hash bytea primary key,
  account_id uuid not null references accounts on delete cascade,
  registered_application_id uuid not null references registered_applications on delete cascade,
  -- The tokens that were given. Those that came later are somebody else's to take back.
  generation integer not null,
  was_authenticated boolean not null,
  expires_at timestamptz not null
);
create index take_back_links_by_connection on take_back_links (registered_application_id);
create index take_back_links_by_account on take_back_links (account_id);
create index take_back_links_by_expiry on take_back_links (expires_at);
call protect('take_back_links', 'account_id = current_account()');
