-- Roles belong to the whole server, so another database of the same server may have made them already, or be making them now.
do $$
declare wanted text;
begin
  foreach wanted in array array['patchbay_app', 'patchbay_system'] loop
    begin
      execute format('create role %I login nosuperuser nobypassrls noinherit', wanted);
    exception when duplicate_object or unique_violation or insufficient_privilege then null;
    end;
    -- The user that was given to us steps down to these roles. One who may make roles has to grant them to himself;
    -- one who may not must have been granted them before.
    if not (select rolsuper from pg_roles where rolname = current_user) then
      begin
        execute format('grant %I to %I', wanted, current_user);
      exception when insufficient_privilege then
        if not pg_has_role(current_user, wanted, 'MEMBER') then raise; end if;
      end;
    end if;
  end loop;
end $$;

grant usage on schema patchbay to patchbay_app, patchbay_system;

create function current_account() returns uuid language sql stable
  return nullif(current_setting('patchbay.account_id', true), '')::uuid;
create function current_organization() returns uuid language sql stable
  return nullif(current_setting('patchbay.organization_id', true), '')::uuid;

-- The second wall between accounts. `owner_condition` is what a row must satisfy to be seen or written by the application role.
create procedure protect(guarded regclass, owner_condition text) language plpgsql as $$
begin
  execute format('alter table %s enable row level security', guarded);
  execute format('alter table %s force row level security', guarded);
  execute format('create policy own_rows on %s to patchbay_app using (%s) with check (%s)', guarded, owner_condition, owner_condition);
  execute format('create policy all_rows on %s to patchbay_system using (true) with check (true)', guarded);
  execute format('grant select, insert, update, delete on %s to patchbay_app, patchbay_system', guarded);
end $$;

create table organizations (
  id uuid primary key,
  name text not null,
  created_at timestamptz not null default now()
);
call protect('organizations', 'id = current_organization()');

create table accounts (
  id uuid primary key,
  organization_id uuid not null references organizations,
  email text not null,
  first_name text not null,
  last_name text not null,
  role text not null check (role in ('User', 'DevPartner', 'SuperPartner', 'Manager')),
  state text not null check (state in ('inActive', 'active', 'locked', 'archived')),
  country_key text,
  permissions text[] not null default '{}',
  -- scrypt; null until a password was set.
  password_hash text,
  failed_sign_ins integer not null default 0,
  created_by uuid references accounts,
  created_at timestamptz not null default now(),
  modified_at timestamptz not null default now()
);
create unique index accounts_email_unique on accounts (lower(email));
create index accounts_by_organization on accounts (organization_id, id);
call protect('accounts', 'organization_id = current_organization()');

-- One data key an account, wrapped by the master key whose id stands beside it.
create table data_keys (
  id uuid primary key,
  account_id uuid not null references accounts on delete cascade,
  master_key_id text not null,
  wrapped bytea not null,
  created_at timestamptz not null default now()
);
create unique index data_keys_one_per_account on data_keys (account_id);
call protect('data_keys', 'account_id = current_account()');

-- Keys of the installation itself (the pepper of key hashes, the session key), wrapped likewise. Also the check that the master key is the right one.
create table system_keys (
  purpose text primary key,
  master_key_id text not null,
  wrapped bytea not null
);
alter table system_keys enable row level security;
alter table system_keys force row level security;
create policy all_rows on system_keys to patchbay_system using (true) with check (true);
grant select, insert, update, delete on system_keys to patchbay_system;

create table api_keys (
  id uuid primary key,
  account_id uuid not null references accounts on delete cascade,
  consumer text not null unique,
  secret_hash bytea not null,
  label text not null default '',
  ip_restriction text[] not null default '{}',
  expires_at timestamptz,
  last_used_at timestamptz,
  created_at timestamptz not null default now(),
  -- The secret of a pair that came with an activated account waits here, sealed, to be read once.
  sealed_secret bytea,
  reveal_until timestamptz
);
create index api_keys_by_account on api_keys (account_id);
call protect('api_keys', 'account_id = current_account()');

create table sessions (
  id_hash bytea primary key,
  account_id uuid not null references accounts on delete cascade,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null
);
create index sessions_by_account on sessions (account_id);
call protect('sessions', 'account_id = current_account()');

-- Mailed or printed links that work once.
create table account_links (
  token_hash bytea primary key,
  account_id uuid not null references accounts on delete cascade,
  purpose text not null check (purpose in ('activate', 'setPassword', 'firstSignIn')),
  expires_at timestamptz not null
);
create index account_links_by_account on account_links (account_id);
call protect('account_links', 'account_id = current_account()');

create table tags (
  organization_id uuid not null references organizations,
  entity_type text not null,
  entity_id uuid not null,
  value text not null,
  created_at timestamptz not null default now(),
  primary key (organization_id, entity_type, entity_id, value)
);
create index tags_by_value on tags (organization_id, entity_type, value);
call protect('tags', 'organization_id = current_organization()');

create table audit_log (
  id bigint generated always as identity primary key,
  at timestamptz not null default now(),
  organization_id uuid not null,
  account_id uuid,
  managed_account_id uuid,
  key_id uuid,
  address text,
  action text not null,
  target text,
  details jsonb
);
create index audit_log_by_organization on audit_log (organization_id, id);
call protect('audit_log', 'organization_id = current_organization()');
revoke update, delete on audit_log from patchbay_app, patchbay_system;

create table mails (
  id uuid primary key,
  account_id uuid not null references accounts on delete cascade,
  -- Held: no SMTP configured. Queued -> Sent, or Failed after the last try.
  status text not null check (status in ('Held', 'Queued', 'Sent', 'Failed')),
  -- Recipients, subject, body and attachments, sealed: mails carry links that open accounts.
  sealed_content bytea not null,
  subject text not null,
  recipients text[] not null,
  attempts integer not null default 0,
  error_message text,
  created_at timestamptz not null default now(),
  sent_at timestamptz
);
create index mails_waiting on mails (created_at) where status in ('Held', 'Queued');
create index mails_by_account on mails (account_id, created_at desc);
call protect('mails', 'account_id = current_account()');
