-- An instance of an application of the catalogue, with an account's credentials for it. The catalogue is data of its own life, so what
-- lists and searches show of the application is repeated here.
create table registered_applications (
  id uuid primary key,
  organization_id uuid not null references organizations,
  account_id uuid not null references accounts on delete cascade,
  application_id uuid not null,
  short_name text not null,
  name text not null,
  tag_text text not null,
  -- Access is given by a person at the provider; until then is_authenticated is false.
  is_oauth boolean not null,
  is_authenticated boolean not null,
  sealed_credentials bytea not null,
  -- Null: not faulted. The source says whose success clears it: 'token' a renewed token or any, 'target' only an answer of the target.
  fault_message text,
  fault_source text check (fault_source in ('token', 'target')),
  faulted_at timestamptz,
  fault_mailed_at timestamptz,
  -- The target asked all of us to leave it alone until then.
  quiet_until timestamptz,
  last_used_at timestamptz,
  -- When a worker next looks after it; null when there is nothing to look after.
  next_check_at timestamptz,
  created_at timestamptz not null default now(),
  modified_at timestamptz not null default now(),
  -- Compared byte by byte, which is several times faster and finds the same.
  search_text text collate "C" not null generated always as (lower(tag_text || ' ' || name || ' ' || short_name)) stored
);
-- Pages, counts and searches of an account read this alone.
create index registered_applications_by_account on registered_applications (account_id, id) include (search_text);
create index registered_applications_by_application on registered_applications (account_id, application_id, id);
create index registered_applications_by_short_name on registered_applications (account_id, lower(short_name)) where is_authenticated;
create index registered_applications_faulted on registered_applications (account_id, id) where fault_message is not null;
create index registered_applications_due on registered_applications (next_check_at) where next_check_at is not null;
call protect('registered_applications', 'account_id = current_account()');

-- Tokens and sessions that were obtained with the credentials. Whoever renews them holds the lease; what is written counts up the
-- generation, and a write for a generation that has passed changes nothing.
create table connection_tokens (
  registered_application_id uuid primary key references registered_applications on delete cascade,
  account_id uuid not null references accounts on delete cascade,
  generation integer not null default 0,
  -- Null until the first one was obtained.
  sealed_tokens bytea,
  obtained_at timestamptz,
  -- Null: the provider did not say.
  expires_at timestamptz,
  lease_id uuid,
  lease_until timestamptz,
  failed_at timestamptz,
  failure_message text,
  failure_is_final boolean
) with (fillfactor = 70);
create index connection_tokens_by_account on connection_tokens (account_id);
call protect('connection_tokens', 'account_id = current_account()');

-- An authorization under way. The state is random and known here by its hash only; taking the row uses it up.
create table oauth_states (
  state_hash bytea primary key,
  account_id uuid not null references accounts on delete cascade,
  registered_application_id uuid not null references registered_applications on delete cascade,
  -- Code verifier, redirect address and the credentials that become valid with the tokens.
  sealed_request bytea not null,
  expires_at timestamptz not null
);
create index oauth_states_by_connection on oauth_states (registered_application_id);
create index oauth_states_by_account on oauth_states (account_id);
create index oauth_states_by_expiry on oauth_states (expires_at);
call protect('oauth_states', 'account_id = current_account()');

-- Mailed links to the page on which access is given again.
create table reconnect_links (
  token_hash bytea primary key,
  account_id uuid not null references accounts on delete cascade,
  registered_application_id uuid not null references registered_applications on delete cascade,
  expires_at timestamptz not null
);
create index reconnect_links_by_connection on reconnect_links (registered_application_id);
create index reconnect_links_by_account on reconnect_links (account_id);
create index reconnect_links_by_expiry on reconnect_links (expires_at);
call protect('reconnect_links', 'account_id = current_account()');
