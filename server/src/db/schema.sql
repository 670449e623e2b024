-- Made from the migrations by server/test/schema.test.ts; not run by anything.

table account_links -- row-level security forced (
  token_hash bytea not null,
  account_id uuid not null,
  purpose text not null,
  expires_at timestamp with time zone not null,
  constraint account_links_purpose_check CHECK ((purpose = ANY (ARRAY['activate'::text, 'setPassword'::text, 'firstSignIn'::text]))),
  constraint account_links_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE,
  constraint account_links_pkey PRIMARY KEY (token_hash)
);
CREATE INDEX account_links_by_account ON patchbay.account_links USING btree (account_id);
policy all_rows to {patchbay_system} using (true);
policy own_rows to {patchbay_app} using ((account_id = current_account()));
grant delete, insert, select, update to patchbay_app;
grant delete, insert, select, update to patchbay_system;

table account_storage -- row-level security forced (
  account_id uuid not null,
  bytes bigint not null,
  constraint account_storage_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE,
  constraint account_storage_pkey PRIMARY KEY (account_id)
);
policy all_rows to {patchbay_system} using (true);
policy own_rows to {patchbay_app} using ((account_id = current_account()));
grant delete, insert, select, update to patchbay_app;
grant delete, insert, select, update to patchbay_system;

table accounts -- row-level security forced (
  id uuid not null,
  organization_id uuid not null,
  email text not null,
  first_name text not null,
  last_name text not null,
  role text not null,
  state text not null,
  country_key text,
  permissions text[] not null default '{}'::text[],
  password_hash text,
  created_by uuid,
  created_at timestamp with time zone not null default now(),
  modified_at timestamp with time zone not null default now(),
  state_before_move text,
  constraint accounts_role_check CHECK ((role = ANY (ARRAY['User'::text, 'DevPartner'::text, 'SuperPartner'::text, 'Manager'::text]))),
  constraint accounts_state_check CHECK (((state = ANY (ARRAY['inActive'::text, 'active'::text, 'locked'::text, 'archived'::text, 'moving'::text])) AND ((state = 'moving'::text) = (state_before_move IS NOT NULL)))),
  constraint accounts_created_by_fkey FOREIGN KEY (created_by) REFERENCES accounts(id),
  constraint accounts_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id),
  constraint accounts_pkey PRIMARY KEY (id)
);
CREATE INDEX accounts_by_organization ON patchbay.accounts USING btree (organization_id, id);
CREATE UNIQUE INDEX accounts_email_unique ON patchbay.accounts USING btree (lower(email));
policy all_rows to {patchbay_system} using (true);
policy own_rows to {patchbay_app} using ((organization_id = current_organization()));
grant delete, insert, select, update to patchbay_app;
grant delete, insert, select, update to patchbay_system;

table activity_deltas -- row-level security forced (
  account_id uuid not null,
  workflow_id uuid,
  minute timestamp with time zone not null,
  ready integer not null default 0,
  error integer not null default 0,
  stopped integer not null default 0,
  webhooks integer not null default 0,
  durations bytea,
  runs integer not null default 0,
  blocks integer not null default 0,
  calls integer not null default 0,
  mails integer not null default 0,
  script_ms bigint not null default 0,
  succeeded_at timestamp with time zone,
  received_at timestamp with time zone
);
policy all_rows to {patchbay_system} using (true);
policy own_rows to {patchbay_app} using ((account_id = current_account()));
grant delete, insert, select, update to patchbay_app;
grant delete, insert, select, update to patchbay_system;

table activity_hours -- row-level security forced (
  kind text not null,
  scope_id uuid not null,
  starts_at timestamp with time zone not null,
  account_id uuid,
  ready integer not null,
  error integer not null,
  stopped integer not null,
  webhooks integer not null,
  durations bytea,
  constraint activity_minutes_kind_check CHECK ((kind = ANY (ARRAY['workflow'::text, 'account'::text, 'managed'::text, 'organization'::text]))),
  constraint activity_hours_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE,
  constraint activity_hours_pkey PRIMARY KEY (scope_id, kind, starts_at)
);
CREATE INDEX activity_hours_account_id_idx ON patchbay.activity_hours USING btree (account_id);
policy all_rows to {patchbay_system} using (true);
policy own_rows to {patchbay_app} using ((account_id = current_account()));
grant delete, insert, select, update to patchbay_app;
grant delete, insert, select, update to patchbay_system;

table activity_minutes -- row-level security forced (
  kind text not null,
  scope_id uuid not null,
  starts_at timestamp with time zone not null,
  account_id uuid,
  ready integer not null,
  error integer not null,
  stopped integer not null,
  webhooks integer not null,
  durations bytea,
  constraint activity_minutes_kind_check CHECK ((kind = ANY (ARRAY['workflow'::text, 'account'::text, 'managed'::text, 'organization'::text]))),
  constraint activity_minutes_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE,
  constraint activity_minutes_pkey PRIMARY KEY (scope_id, kind, starts_at)
);
CREATE INDEX activity_minutes_by_account ON patchbay.activity_minutes USING btree (account_id);
CREATE INDEX activity_minutes_by_time ON patchbay.activity_minutes USING btree (starts_at);
policy all_rows to {patchbay_system} using (true);
policy own_rows to {patchbay_app} using ((account_id = current_account()));
grant delete, insert, select, update to patchbay_app;
grant delete, insert, select, update to patchbay_system;

table activity_quarters -- row-level security forced (
  kind text not null,
  scope_id uuid not null,
  starts_at timestamp with time zone not null,
  account_id uuid,
  ready integer not null,
  error integer not null,
  stopped integer not null,
  webhooks integer not null,
  durations bytea,
  constraint activity_minutes_kind_check CHECK ((kind = ANY (ARRAY['workflow'::text, 'account'::text, 'managed'::text, 'organization'::text]))),
  constraint activity_quarters_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE,
  constraint activity_quarters_pkey PRIMARY KEY (scope_id, kind, starts_at)
);
CREATE INDEX activity_quarters_account_id_idx ON patchbay.activity_quarters USING btree (account_id);
policy all_rows to {patchbay_system} using (true);
policy own_rows to {patchbay_app} using ((account_id = current_account()));
grant delete, insert, select, update to patchbay_app;
grant delete, insert, select, update to patchbay_system;

table alarm_checks -- row-level security forced (
  run_id uuid not null,
  account_id uuid not null,
  workflow_id uuid not null,
  constraint alarm_checks_pkey PRIMARY KEY (run_id)
);
policy all_rows to {patchbay_system} using (true);
policy own_rows to {patchbay_app} using ((account_id = current_account()));
grant delete, insert, select, update to patchbay_app;
grant delete, insert, select, update to patchbay_system;

table alarms -- row-level security forced (
  id uuid not null,
  account_id uuid not null,
  workflow_id uuid not null,
  expectation_id uuid not null,
  kind text not null,
  unique_block_id uuid,
  message text not null,
  is_open boolean not null default true,
  raised_at timestamp with time zone not null default now(),
  acknowledged_at timestamp with time zone,
  cleared_at timestamp with time zone,
  constraint alarms_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE,
  constraint alarms_workflow_id_fkey FOREIGN KEY (workflow_id) REFERENCES workflows(id) ON DELETE CASCADE,
  constraint alarms_pkey PRIMARY KEY (id)
);
CREATE INDEX alarms_by_account ON patchbay.alarms USING btree (account_id, raised_at DESC);
CREATE INDEX alarms_by_workflow ON patchbay.alarms USING btree (workflow_id);
CREATE UNIQUE INDEX alarms_one_open ON patchbay.alarms USING btree (expectation_id) WHERE is_open;
policy all_rows to {patchbay_system} using (true);
policy own_rows to {patchbay_app} using ((account_id = current_account()));
grant delete, insert, select, update to patchbay_app;
grant delete, insert, select, update to patchbay_system;

table api_keys -- row-level security forced (
  id uuid not null,
  account_id uuid not null,
  consumer text not null,
  secret_hash bytea not null,
  label text not null default ''::text,
  ip_restriction text[] not null default '{}'::text[],
  expires_at timestamp with time zone,
  last_used_at timestamp with time zone,
  created_at timestamp with time zone not null default now(),
  sealed_secret bytea,
  reveal_until timestamp with time zone,
  constraint api_keys_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE,
  constraint api_keys_pkey PRIMARY KEY (id),
  constraint api_keys_consumer_key UNIQUE (consumer)
);
CREATE INDEX api_keys_by_account ON patchbay.api_keys USING btree (account_id);
policy all_rows to {patchbay_system} using (true);
policy own_rows to {patchbay_app} using ((account_id = current_account()));
grant delete, insert, select, update to patchbay_app;
grant delete, insert, select, update to patchbay_system;

table approval_links -- row-level security forced (
  token_hash bytea not null,
  approval_id uuid not null,
  account_id uuid not null,
  email text not null,
  constraint approval_links_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE,
  constraint approval_links_approval_id_fkey FOREIGN KEY (approval_id) REFERENCES approvals(id) ON DELETE CASCADE,
  constraint approval_links_pkey PRIMARY KEY (token_hash)
);
CREATE INDEX approval_links_by_account ON patchbay.approval_links USING btree (account_id);
CREATE INDEX approval_links_by_approval ON patchbay.approval_links USING btree (approval_id);
policy all_rows to {patchbay_system} using (true);
policy own_rows to {patchbay_app} using ((account_id = current_account()));
grant delete, insert, select, update to patchbay_app;
grant delete, insert, select, update to patchbay_system;

table approvals -- row-level security forced (
  id uuid not null,
  account_id uuid not null,
  workflow_id uuid not null,
  run_id uuid not null,
  run_number integer not null,
  block_id uuid not null,
  item_index integer not null,
  item_key text,
  title text not null,
  message text,
  recipients text[] not null,
  form jsonb not null,
  count_needed smallint not null,
  decisions jsonb not null default '[]'::jsonb,
  outcome text,
  created_at timestamp with time zone not null default clock_timestamp(),
  timeout_at timestamp with time zone not null,
  constraint approvals_outcome_check CHECK ((outcome = ANY (ARRAY['approved'::text, 'rejected'::text, 'timedOut'::text, 'resumed'::text, 'stopped'::text]))),
  constraint approvals_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE,
  constraint approvals_workflow_id_fkey FOREIGN KEY (workflow_id) REFERENCES workflows(id) ON DELETE CASCADE,
  constraint approvals_pkey PRIMARY KEY (id)
);
CREATE INDEX approvals_by_account ON patchbay.approvals USING btree (account_id, created_at DESC);
CREATE UNIQUE INDEX approvals_by_run ON patchbay.approvals USING btree (run_id, block_id, item_index);
CREATE INDEX approvals_by_workflow ON patchbay.approvals USING btree (workflow_id);
policy all_rows to {patchbay_system} using (true);
policy own_rows to {patchbay_app} using ((account_id = current_account()));
grant delete, insert, select, update to patchbay_app;
grant delete, insert, select, update to patchbay_system;

table audit_chain -- row-level security forced (
  position bigint not null,
  audit_id bigint not null,
  organization_id uuid not null,
  hash bytea not null,
  constraint audit_chain_pkey PRIMARY KEY ("position"),
  constraint audit_chain_audit_id_key UNIQUE (audit_id)
);
CREATE INDEX audit_chain_by_organization ON patchbay.audit_chain USING btree (organization_id, "position" DESC);
policy all_rows to {patchbay_system} using (true);
policy own_rows to {patchbay_app} using ((organization_id = current_organization()));
policy retention to {postgres} using (true);
grant insert, select to patchbay_app;
grant insert, select to patchbay_system;

table audit_chain_starts -- row-level security forced (
  organization_id uuid not null,
  hash bytea not null,
  constraint audit_chain_starts_pkey PRIMARY KEY (organization_id)
);
policy all_rows to {patchbay_system} using (true);
policy own_rows to {patchbay_app} using ((organization_id = current_organization()));
policy retention to {postgres} using (true);
grant insert, select, update to patchbay_system;

table audit_log partition by RANGE (at) -- row-level security forced (
  id bigint not null default nextval('audit_ids'::regclass),
  at timestamp with time zone not null default now(),
  organization_id uuid not null,
  account_id uuid,
  managed_account_id uuid,
  key_id uuid,
  address text,
  action text not null,
  target text,
  details jsonb
);
CREATE INDEX audit_log_by_id ON ONLY patchbay.audit_log USING btree (id);
CREATE INDEX audit_log_by_organization ON ONLY patchbay.audit_log USING btree (organization_id, id);
CREATE INDEX audit_log_by_time ON ONLY patchbay.audit_log USING brin (at);
policy all_rows to {patchbay_system} using (true);
policy own_rows to {patchbay_app} using ((organization_id = current_organization()));
policy retention to {postgres} using (true);
grant insert, select to patchbay_app;
grant insert, select to patchbay_system;

table call_rates -- row-level security forced (
  registered_application_id uuid not null,
  starts double precision[] not null,
  position integer not null,
  last_ms double precision not null,
  constraint call_rates_registered_application_id_fkey FOREIGN KEY (registered_application_id) REFERENCES registered_applications(id) ON DELETE CASCADE,
  constraint call_rates_pkey PRIMARY KEY (registered_application_id)
);
policy all_rows to {patchbay_system} using (true);
grant delete, insert, select, update to patchbay_system;

table catalog_items -- row-level security forced (
  organization_id uuid not null,
  kind text not null,
  id uuid not null,
  revision integer not null,
  version text,
  definition json not null,
  created_by uuid,
  created_at timestamp with time zone not null default now(),
  pinned json,
  credential_epoch integer not null default 0,
  stamp bigint not null default 0,
  constraint catalog_items_kind_check CHECK ((kind = ANY (ARRAY['application'::text, 'blockTemplate'::text, 'workflowTemplate'::text, 'function'::text]))),
  constraint catalog_items_revision_check CHECK ((revision >= 0)),
  constraint catalog_items_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id) ON DELETE CASCADE,
  constraint catalog_items_pkey PRIMARY KEY (organization_id, kind, id, revision)
);
CREATE INDEX catalog_items_unpinned ON patchbay.catalog_items USING btree (organization_id, id) WHERE ((kind = 'workflowTemplate'::text) AND (revision > 0) AND (pinned IS NULL));
CREATE UNIQUE INDEX catalog_items_version ON patchbay.catalog_items USING btree (organization_id, kind, id, version) WHERE (version IS NOT NULL);
policy all_rows to {patchbay_system} using (true);
policy own_rows to {patchbay_app} using ((organization_id = current_organization()));
policy published_remains to {patchbay_app,patchbay_system} using (((revision = 0) OR ((id)::text = current_setting('patchbay.deleted_item'::text, true))));
policy published_stays to {patchbay_app,patchbay_system} using (((revision = 0) OR ((kind = 'workflowTemplate'::text) AND (pinned IS NULL))));
grant delete, insert, select, update to patchbay_app;
grant delete, insert, select, update to patchbay_system;

table catalog_owners -- row-level security forced (
  organization_id uuid not null,
  kind text not null,
  id uuid not null,
  account_id uuid,
  constraint catalog_owners_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id) ON DELETE CASCADE,
  constraint catalog_owners_pkey PRIMARY KEY (organization_id, kind, id)
);
policy all_rows to {patchbay_system} using (true);
policy own_rows to {patchbay_app} using ((organization_id = current_organization()));
grant delete, insert, select, update to patchbay_app;
grant delete, insert, select, update to patchbay_system;

table catalog_stamps -- row-level security forced (
  organization_id uuid not null,
  stamp bigint not null,
  constraint catalog_stamps_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id) ON DELETE CASCADE,
  constraint catalog_stamps_pkey PRIMARY KEY (organization_id)
);
policy all_rows to {patchbay_system} using (true);
policy own_rows to {patchbay_app} using ((organization_id = current_organization()));
grant delete, insert, select, update to patchbay_app;
grant delete, insert, select, update to patchbay_system;

table clock_repairs (
  id bigint not null,
  table_name text not null,
  shift_ms bigint not null,
  constraint clock_repairs_pkey PRIMARY KEY (id)
);
grant delete, insert, select, update to patchbay_system;

table connection_tokens -- row-level security forced (
  registered_application_id uuid not null,
  account_id uuid not null,
  generation integer not null default 0,
  sealed_tokens bytea,
  obtained_at timestamp with time zone,
  expires_at timestamp with time zone,
  lease_id uuid,
  lease_until timestamp with time zone,
  failed_at timestamp with time zone,
  failure_message text,
  failure_is_final boolean,
  constraint connection_tokens_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE,
  constraint connection_tokens_registered_application_id_fkey FOREIGN KEY (registered_application_id) REFERENCES registered_applications(id) ON DELETE CASCADE,
  constraint connection_tokens_pkey PRIMARY KEY (registered_application_id)
);
CREATE INDEX connection_tokens_by_account ON patchbay.connection_tokens USING btree (account_id);
policy all_rows to {patchbay_system} using (true);
policy own_rows to {patchbay_app} using ((account_id = current_account()));
grant delete, insert, select, update to patchbay_app;
grant delete, insert, select, update to patchbay_system;

table content_stores -- row-level security forced (
  url text not null,
  folder uuid not null default gen_random_uuid(),
  endpoint text,
  region text,
  created_at timestamp with time zone not null default now(),
  constraint content_stores_pkey PRIMARY KEY (url)
);
policy all_rows to {patchbay_system} using (true);
grant delete, insert, select, update to patchbay_system;

table data_keys -- row-level security forced (
  id uuid not null,
  account_id uuid not null,
  master_key_id text not null,
  wrapped bytea not null,
  created_at timestamp with time zone not null default now(),
  constraint data_keys_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE,
  constraint data_keys_master_key FOREIGN KEY (master_key_id) REFERENCES master_keys(id),
  constraint data_keys_pkey PRIMARY KEY (id)
);
CREATE INDEX data_keys_by_master_key ON patchbay.data_keys USING btree (master_key_id, id);
CREATE UNIQUE INDEX data_keys_one_per_account ON patchbay.data_keys USING btree (account_id);
policy all_rows to {patchbay_system} using (true);
policy own_rows to {patchbay_app} using ((account_id = current_account()));
grant delete, insert, select, update to patchbay_app;
grant delete, insert, select, update to patchbay_system;

table database_clock (
  only_row boolean not null default true,
  seen_at timestamp with time zone not null,
  constraint database_clock_only_row_check CHECK (only_row),
  constraint database_clock_pkey PRIMARY KEY (only_row)
);
grant select, update to patchbay_system;

table deleted_connections -- row-level security forced (
  id uuid not null,
  account_id uuid not null,
  deleted_at timestamp with time zone not null default now(),
  constraint deleted_connections_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE,
  constraint deleted_connections_pkey PRIMARY KEY (id)
);
CREATE INDEX deleted_connections_by_account ON patchbay.deleted_connections USING btree (account_id, deleted_at);
policy all_rows to {patchbay_system} using (true);
policy own_rows to {patchbay_app} using ((account_id = current_account()));
grant delete, insert, select, update to patchbay_app;
grant delete, insert, select, update to patchbay_system;

table error_workflows -- row-level security forced (
  account_id uuid not null,
  scope text not null,
  workflow_id uuid not null,
  constraint error_workflows_scope_check CHECK ((scope = ANY (ARRAY['account'::text, 'managed'::text]))),
  constraint error_workflows_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE,
  constraint error_workflows_workflow_id_fkey FOREIGN KEY (workflow_id) REFERENCES workflows(id) ON DELETE CASCADE,
  constraint error_workflows_pkey PRIMARY KEY (account_id, scope)
);
CREATE INDEX error_workflows_by_workflow ON patchbay.error_workflows USING btree (workflow_id);
policy all_rows to {patchbay_system} using (true);
policy own_rows to {patchbay_app} using ((account_id = current_account()));
grant delete, insert, select, update to patchbay_app;
grant delete, insert, select, update to patchbay_system;

table event_deliveries -- row-level security forced (
  id uuid not null,
  account_id uuid not null,
  subscription_id uuid not null,
  event text not null,
  payload text not null,
  created_at timestamp with time zone not null default now(),
  organization_id uuid not null,
  due_at timestamp with time zone not null default now(),
  attempts integer not null default 0,
  constraint event_deliveries_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE,
  constraint event_deliveries_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id),
  constraint event_deliveries_subscription_id_fkey FOREIGN KEY (subscription_id) REFERENCES event_subscriptions(id) ON DELETE CASCADE,
  constraint event_deliveries_pkey PRIMARY KEY (id)
);
CREATE INDEX event_deliveries_by_organization ON patchbay.event_deliveries USING btree (organization_id);
CREATE INDEX event_deliveries_by_subscription ON patchbay.event_deliveries USING btree (subscription_id);
CREATE INDEX event_deliveries_due ON patchbay.event_deliveries USING btree (account_id, due_at);
policy all_rows to {patchbay_system} using (true);
policy own_rows to {patchbay_app} using ((account_id = current_account()));
grant delete, insert, select, update to patchbay_app;
grant delete, insert, select, update to patchbay_system;

table event_subscriptions -- row-level security forced (
  id uuid not null,
  account_id uuid not null,
  url text not null,
  events text[] not null default '{}'::text[],
  sealed_secret bytea not null,
  is_active boolean not null default true,
  last_delivered_at timestamp with time zone,
  last_error text,
  created_at timestamp with time zone not null default now(),
  modified_at timestamp with time zone not null default now(),
  scope text not null default 'account'::text,
  constraint event_subscriptions_scope_check CHECK ((scope = ANY (ARRAY['account'::text, 'managed'::text]))),
  constraint event_subscriptions_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE,
  constraint event_subscriptions_pkey PRIMARY KEY (id)
);
CREATE INDEX event_subscriptions_by_account ON patchbay.event_subscriptions USING btree (account_id, created_at);
CREATE INDEX event_subscriptions_managed ON patchbay.event_subscriptions USING btree (account_id) WHERE (scope = 'managed'::text);
policy all_rows to {patchbay_system} using (true);
policy own_rows to {patchbay_app} using ((account_id = current_account()));
grant delete, insert, select, update to patchbay_app;
grant delete, insert, select, update to patchbay_system;

table events -- row-level security forced (
  id uuid not null,
  account_id uuid not null,
  type text not null,
  payload text not null,
  mail_subject text,
  mail_text text,
  mails_owner boolean not null default true,
  mail_after timestamp with time zone,
  is_delivered boolean not null default false,
  constraint events_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE,
  constraint events_pkey PRIMARY KEY (id)
);
CREATE INDEX events_by_account ON patchbay.events USING btree (account_id, type);
policy all_rows to {patchbay_system} using (true);
policy own_rows to {patchbay_app} using ((account_id = current_account()));
grant delete, insert, select, update to patchbay_app;
grant delete, insert, select, update to patchbay_system;

table expectations -- row-level security forced (
  id uuid not null,
  account_id uuid not null,
  workflow_id uuid not null,
  kind text not null,
  unique_block_id uuid,
  hours double precision,
  items_min integer,
  items_max integer,
  position integer not null,
  is_met boolean not null default true,
  last_seen_at timestamp with time zone not null,
  has_been_seen boolean not null default false,
  constraint expectations_kind_check CHECK ((kind = ANY (ARRAY['succeedsWithin'::text, 'itemsBetween'::text, 'receivesWithin'::text, 'usual'::text]))),
  constraint expectations_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE,
  constraint expectations_workflow_id_fkey FOREIGN KEY (workflow_id) REFERENCES workflows(id) ON DELETE CASCADE,
  constraint expectations_pkey PRIMARY KEY (id)
);
CREATE INDEX expectations_by_account ON patchbay.expectations USING btree (account_id);
CREATE INDEX expectations_by_workflow ON patchbay.expectations USING btree (workflow_id);
policy all_rows to {patchbay_system} using (true);
policy own_rows to {patchbay_app} using ((account_id = current_account()));
grant delete, insert, select, update to patchbay_app;
grant delete, insert, select, update to patchbay_system;

table failed_items -- row-level security forced (
  root_run_id uuid not null,
  block_id uuid not null,
  key text not null,
  account_id uuid not null,
  workflow_id uuid not null,
  run_id uuid not null,
  run_number integer not null,
  block_name text not null,
  item_index integer not null,
  error_message text not null,
  tries integer not null,
  failed_at timestamp with time zone not null,
  sealed_item bytea not null,
  retry_run_id uuid,
  retry_run_number integer,
  constraint failed_items_pkey PRIMARY KEY (root_run_id, block_id, key)
);
CREATE INDEX failed_items_by_age ON patchbay.failed_items USING btree (failed_at);
CREATE INDEX failed_items_of_account ON patchbay.failed_items USING btree (account_id, failed_at);
CREATE INDEX failed_items_of_workflow ON patchbay.failed_items USING btree (workflow_id, failed_at);
policy all_rows to {patchbay_system} using (true);
policy own_rows to {patchbay_app} using ((account_id = current_account()));
grant delete, insert, select, update to patchbay_app;
grant delete, insert, select, update to patchbay_system;

table file_pieces (
  group_id uuid not null,
  file_id uuid not null,
  number integer not null,
  bytes bytea not null,
  constraint file_pieces_pkey PRIMARY KEY (group_id, file_id, number)
);
grant delete, insert, select, update to patchbay_system;

table item_samples -- row-level security forced (
  workflow_id uuid not null,
  block_id uuid not null,
  account_id uuid not null,
  at timestamp with time zone not null,
  items integer not null,
  constraint item_samples_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE,
  constraint item_samples_workflow_id_fkey FOREIGN KEY (workflow_id) REFERENCES workflows(id) ON DELETE CASCADE
);
CREATE INDEX item_samples_by_account ON patchbay.item_samples USING btree (account_id);
CREATE INDEX item_samples_in_order ON patchbay.item_samples USING btree (workflow_id, block_id, at);
policy all_rows to {patchbay_system} using (true);
policy own_rows to {patchbay_app} using ((account_id = current_account()));
grant delete, insert, select, update to patchbay_app;
grant delete, insert, select, update to patchbay_system;

table jobs (
  queue text not null,
  id uuid not null default gen_random_uuid(),
  group_id uuid,
  data jsonb,
  state text not null default 'waiting'::text,
  is_held boolean not null default false,
  is_woken boolean not null default false,
  attempt integer not null default '-1'::integer,
  queued_at timestamp with time zone not null default clock_timestamp(),
  due_at timestamp with time zone,
  taken_at timestamp with time zone,
  heartbeat_at timestamp with time zone,
  constraint jobs_state_check CHECK ((state = ANY (ARRAY['waiting'::text, 'parked'::text, 'active'::text]))),
  constraint jobs_pkey PRIMARY KEY (queue, id)
);
CREATE INDEX jobs_active ON patchbay.jobs USING btree (queue) WHERE (state = 'active'::text);
CREATE INDEX jobs_due ON patchbay.jobs USING btree (due_at) WHERE ((state = 'parked'::text) AND (NOT is_held) AND (due_at IS NOT NULL));
CREATE INDEX jobs_waiting ON patchbay.jobs USING btree (queue, queued_at) WHERE ((state = 'waiting'::text) AND (NOT is_held));
CREATE INDEX jobs_waiting_by_group ON patchbay.jobs USING btree (queue, group_id, queued_at) WHERE ((state = 'waiting'::text) AND (NOT is_held));
grant insert to patchbay_app;
grant delete, insert, select, update to patchbay_system;

table kept_contents -- row-level security forced (
  key text not null,
  account_id uuid not null,
  bytes bytea not null,
  constraint kept_contents_pkey PRIMARY KEY (key)
);
CREATE INDEX kept_contents_by_account ON patchbay.kept_contents USING btree (account_id);
policy all_rows to {patchbay_system} using (true);
policy own_rows to {patchbay_app} using ((account_id = current_account()));
grant delete, insert, select, update to patchbay_app;
grant delete, insert, select, update to patchbay_system;

table leases (
  name text not null,
  holder uuid not null,
  until timestamp with time zone not null,
  constraint leases_pkey PRIMARY KEY (name)
);
grant delete, insert, select, update to patchbay_system;

table mails -- row-level security forced (
  id uuid not null,
  account_id uuid not null,
  status text not null,
  sealed_content bytea not null,
  subject text not null,
  recipients text[] not null,
  attempts integer not null default 0,
  error_message text,
  created_at timestamp with time zone not null default now(),
  sent_at timestamp with time zone,
  constraint mails_status_check CHECK ((status = ANY (ARRAY['Held'::text, 'Queued'::text, 'Sent'::text, 'Failed'::text]))),
  constraint mails_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE,
  constraint mails_pkey PRIMARY KEY (id)
);
CREATE INDEX mails_by_account ON patchbay.mails USING btree (account_id, created_at DESC);
CREATE INDEX mails_failed ON patchbay.mails USING btree (account_id, created_at) WHERE (status = 'Failed'::text);
CREATE INDEX mails_over ON patchbay.mails USING btree (created_at) WHERE (status = ANY (ARRAY['Sent'::text, 'Failed'::text]));
CREATE INDEX mails_waiting ON patchbay.mails USING btree (created_at) WHERE (status = ANY (ARRAY['Held'::text, 'Queued'::text]));
policy all_rows to {patchbay_system} using (true);
policy own_rows to {patchbay_app} using ((account_id = current_account()));
grant delete, insert, select, update to patchbay_app;
grant delete, insert, select, update to patchbay_system;

table master_keys -- row-level security forced (
  id text not null,
  is_current boolean not null,
  created_at timestamp with time zone not null default now(),
  constraint master_keys_pkey PRIMARY KEY (id)
);
CREATE UNIQUE INDEX master_keys_one_current ON patchbay.master_keys USING btree (is_current) WHERE is_current;
policy all_rows to {patchbay_system} using (true);
grant delete, insert, select, update to patchbay_system;

table migrations (
  name text not null,
  checksum text not null,
  applied_at timestamp with time zone not null default now(),
  older_may_stay boolean not null default false,
  constraint migrations_pkey PRIMARY KEY (name)
);
grant select to patchbay_system;

table moved_addresses -- row-level security forced (
  address text not null,
  organization_id uuid not null,
  constraint moved_addresses_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organization_moves(organization_id) ON DELETE CASCADE,
  constraint moved_addresses_pkey PRIMARY KEY (address)
);
CREATE INDEX moved_addresses_by_organization ON patchbay.moved_addresses USING btree (organization_id);
policy all_rows to {patchbay_system} using (true);
grant delete, insert, select, update to patchbay_system;

table notification_settings -- row-level security forced (
  account_id uuid not null,
  failure_mail boolean not null default true,
  managed_failure_mail boolean not null default false,
  constraint notification_settings_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE,
  constraint notification_settings_pkey PRIMARY KEY (account_id)
);
policy all_rows to {patchbay_system} using (true);
policy own_rows to {patchbay_app} using ((account_id = current_account()));
grant delete, insert, select, update to patchbay_app;
grant delete, insert, select, update to patchbay_system;

table oauth_states -- row-level security forced (
  state_hash bytea not null,
  account_id uuid not null,
  registered_application_id uuid not null,
  sealed_request bytea not null,
  expires_at timestamp with time zone not null,
  constraint oauth_states_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE,
  constraint oauth_states_registered_application_id_fkey FOREIGN KEY (registered_application_id) REFERENCES registered_applications(id) ON DELETE CASCADE,
  constraint oauth_states_pkey PRIMARY KEY (state_hash)
);
CREATE INDEX oauth_states_by_account ON patchbay.oauth_states USING btree (account_id);
CREATE INDEX oauth_states_by_connection ON patchbay.oauth_states USING btree (registered_application_id);
CREATE INDEX oauth_states_by_expiry ON patchbay.oauth_states USING btree (expires_at);
policy all_rows to {patchbay_system} using (true);
policy own_rows to {patchbay_app} using ((account_id = current_account()));
grant delete, insert, select, update to patchbay_app;
grant delete, insert, select, update to patchbay_system;

table organization_arrivals -- row-level security forced (
  organization_id uuid not null,
  move_id uuid not null,
  from_cell text not null,
  arrived_at timestamp with time zone not null default now(),
  constraint organization_arrivals_pkey PRIMARY KEY (organization_id)
);
policy all_rows to {patchbay_system} using (true);
grant delete, insert, select, update to patchbay_system;

table organization_moves -- row-level security forced (
  organization_id uuid not null,
  move_id uuid not null,
  state text not null,
  to_cell text not null,
  began_at timestamp with time zone not null default now(),
  frozen_at timestamp with time zone,
  moved_at timestamp with time zone,
  erased_at timestamp with time zone,
  settled_at timestamp with time zone,
  constraint organization_moves_state_check CHECK ((state = ANY (ARRAY['Held'::text, 'Moved'::text]))),
  constraint organization_moves_pkey PRIMARY KEY (organization_id)
);
policy all_rows to {patchbay_system} using (true);
grant delete, insert, select, update to patchbay_system;

table organizations -- row-level security forced (
  id uuid not null,
  name text not null,
  created_at timestamp with time zone not null default now(),
  constraint organizations_pkey PRIMARY KEY (id)
);
policy all_rows to {patchbay_system} using (true);
policy own_rows to {patchbay_app} using ((id = current_organization()));
grant delete, insert, select, update to patchbay_app;
grant delete, insert, select, update to patchbay_system;

table reconnect_links -- row-level security forced (
  token_hash bytea not null,
  account_id uuid not null,
  registered_application_id uuid not null,
  expires_at timestamp with time zone not null,
  constraint reconnect_links_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE,
  constraint reconnect_links_registered_application_id_fkey FOREIGN KEY (registered_application_id) REFERENCES registered_applications(id) ON DELETE CASCADE,
  constraint reconnect_links_pkey PRIMARY KEY (token_hash)
);
CREATE INDEX reconnect_links_by_account ON patchbay.reconnect_links USING btree (account_id);
CREATE INDEX reconnect_links_by_connection ON patchbay.reconnect_links USING btree (registered_application_id);
CREATE INDEX reconnect_links_by_expiry ON patchbay.reconnect_links USING btree (expires_at);
policy all_rows to {patchbay_system} using (true);
policy own_rows to {patchbay_app} using ((account_id = current_account()));
grant delete, insert, select, update to patchbay_app;
grant delete, insert, select, update to patchbay_system;

table registered_applications -- row-level security forced (
  id uuid not null,
  organization_id uuid not null,
  account_id uuid not null,
  application_id uuid not null,
  short_name text not null,
  name text not null,
  tag_text text not null,
  is_oauth boolean not null,
  is_authenticated boolean not null,
  sealed_credentials bytea not null,
  fault_message text,
  fault_source text,
  faulted_at timestamp with time zone,
  fault_mailed_at timestamp with time zone,
  quiet_until timestamp with time zone,
  last_used_at timestamp with time zone,
  next_check_at timestamp with time zone,
  created_at timestamp with time zone not null default now(),
  modified_at timestamp with time zone not null default now(),
  search_text text not null generated lower(((((tag_text || ' '::text) || name) || ' '::text) || short_name)),
  credential_epoch integer not null default 0,
  constraint registered_applications_fault_source_check CHECK ((fault_source = ANY (ARRAY['token'::text, 'target'::text]))),
  constraint registered_applications_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE,
  constraint registered_applications_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id),
  constraint registered_applications_pkey PRIMARY KEY (id)
);
CREATE INDEX registered_applications_by_account ON patchbay.registered_applications USING btree (account_id, id) INCLUDE (search_text);
CREATE INDEX registered_applications_by_application ON patchbay.registered_applications USING btree (account_id, application_id, id);
CREATE INDEX registered_applications_by_short_name ON patchbay.registered_applications USING btree (account_id, lower(short_name)) WHERE is_authenticated;
CREATE INDEX registered_applications_due ON patchbay.registered_applications USING btree (next_check_at) WHERE (next_check_at IS NOT NULL);
CREATE INDEX registered_applications_faulted ON patchbay.registered_applications USING btree (account_id, id) WHERE (fault_message IS NOT NULL);
policy all_rows to {patchbay_system} using (true);
policy own_rows to {patchbay_app} using ((account_id = current_account()));
grant delete, insert, select, update to patchbay_app;
grant delete, insert, select, update to patchbay_system;

table remembered_items -- row-level security forced (
  workflow_id uuid not null,
  block_id uuid not null,
  key text not null,
  account_id uuid not null,
  result text,
  succeeded_at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  vault_ranges text,
  constraint remembered_items_workflow_id_fkey FOREIGN KEY (workflow_id) REFERENCES workflows(id) ON DELETE CASCADE,
  constraint remembered_items_pkey PRIMARY KEY (workflow_id, block_id, key)
);
CREATE INDEX remembered_items_by_expiry ON patchbay.remembered_items USING btree (expires_at);
policy all_rows to {patchbay_system} using (true);
policy own_rows to {patchbay_app} using ((account_id = current_account()));
grant delete, insert, select, update to patchbay_app;
grant delete, insert, select, update to patchbay_system;

table replay_runs -- row-level security forced (
  replay_id uuid not null,
  position integer not null,
  account_id uuid not null,
  run_number integer not null,
  outcome text,
  sealed_result bytea,
  constraint replay_runs_outcome_check CHECK ((outcome = ANY (ARRAY['same'::text, 'different'::text, 'failed'::text, 'notReplayable'::text]))),
  constraint replay_runs_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE,
  constraint replay_runs_replay_id_fkey FOREIGN KEY (replay_id) REFERENCES replays(id) ON DELETE CASCADE,
  constraint replay_runs_pkey PRIMARY KEY (replay_id, "position")
);
CREATE INDEX replay_runs_by_account ON patchbay.replay_runs USING btree (account_id);
policy all_rows to {patchbay_system} using (true);
policy own_rows to {patchbay_app} using ((account_id = current_account()));
grant delete, insert, select, update to patchbay_app;
grant delete, insert, select, update to patchbay_system;

table replays -- row-level security forced (
  id uuid not null,
  account_id uuid not null,
  workflow_id uuid not null,
  state text not null default 'Running'::text,
  created_at timestamp with time zone not null default now(),
  sealed_request bytea not null,
  constraint replays_state_check CHECK ((state = ANY (ARRAY['Running'::text, 'Completed'::text, 'Failed'::text]))),
  constraint replays_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE,
  constraint replays_workflow_id_fkey FOREIGN KEY (workflow_id) REFERENCES workflows(id) ON DELETE CASCADE,
  constraint replays_pkey PRIMARY KEY (id)
);
CREATE INDEX replays_by_account ON patchbay.replays USING btree (account_id, created_at);
CREATE INDEX replays_by_workflow ON patchbay.replays USING btree (workflow_id);
policy all_rows to {patchbay_system} using (true);
policy own_rows to {patchbay_app} using ((account_id = current_account()));
grant delete, insert, select, update to patchbay_app;
grant delete, insert, select, update to patchbay_system;

table resume_links -- row-level security forced (
  token_hash bytea not null,
  account_id uuid not null,
  workflow_id uuid not null,
  run_id uuid not null,
  block_id uuid not null,
  item_index integer not null,
  outcome text,
  constraint resume_links_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE,
  constraint resume_links_workflow_id_fkey FOREIGN KEY (workflow_id) REFERENCES workflows(id) ON DELETE CASCADE,
  constraint resume_links_pkey PRIMARY KEY (token_hash)
);
CREATE INDEX resume_links_by_account ON patchbay.resume_links USING btree (account_id);
CREATE INDEX resume_links_by_run ON patchbay.resume_links USING btree (run_id, block_id, item_index);
CREATE INDEX resume_links_by_workflow ON patchbay.resume_links USING btree (workflow_id);
policy all_rows to {patchbay_system} using (true);
policy own_rows to {patchbay_app} using ((account_id = current_account()));
grant delete, insert, select, update to patchbay_app;
grant delete, insert, select, update to patchbay_system;

table run_blocks partition by RANGE (run_id) -- row-level security forced (
  run_id uuid not null,
  block_id uuid not null,
  account_id uuid not null,
  seq integer not null,
  status text not null,
  is_reused boolean not null default false,
  result text,
  error_message text,
  log text,
  session text,
  sealed_deferred bytea,
  end_flag boolean,
  started_at timestamp with time zone not null,
  ended_at timestamp with time zone not null,
  pause_ms integer not null default 0,
  calls text,
  item_count integer,
  vault_ranges text,
  flow jsonb,
  constraint run_blocks_status_check CHECK ((status = ANY (ARRAY['Ready'::text, 'Error'::text, 'Skipped'::text]))) NOT VALID,
  constraint run_blocks_pkey PRIMARY KEY (run_id, block_id)
);
policy all_rows to {patchbay_system} using (true);
policy own_rows to {patchbay_app} using ((account_id = current_account()));
grant delete, insert, select, update to patchbay_app;
grant delete, insert, select, update to patchbay_system;

table run_counters -- row-level security forced (
  workflow_id uuid not null,
  account_id uuid not null,
  last_number integer not null,
  constraint run_counters_workflow_id_fkey FOREIGN KEY (workflow_id) REFERENCES workflows(id) ON DELETE CASCADE,
  constraint run_counters_pkey PRIMARY KEY (workflow_id)
);
policy all_rows to {patchbay_system} using (true);
policy own_rows to {patchbay_app} using ((account_id = current_account()));
grant delete, insert, select, update to patchbay_app;
grant delete, insert, select, update to patchbay_system;

table run_event_waits -- row-level security forced (
  run_id uuid not null,
  block_id uuid not null,
  item_index integer not null,
  account_id uuid not null,
  name text not null,
  key text,
  constraint run_event_waits_run_id_block_id_item_index_fkey FOREIGN KEY (run_id, block_id, item_index) REFERENCES run_waits(run_id, block_id, item_index) ON DELETE CASCADE,
  constraint run_event_waits_pkey PRIMARY KEY (run_id, block_id, item_index, name)
);
CREATE INDEX run_event_waits_by_name ON patchbay.run_event_waits USING btree (account_id, name, key);
policy all_rows to {patchbay_system} using (true);
policy own_rows to {patchbay_app} using ((account_id = current_account()));
grant delete, insert, select, update to patchbay_app;
grant delete, insert, select, update to patchbay_system;

table run_item_lists -- row-level security forced (
  run_id uuid not null,
  block_id uuid not null,
  chunk integer not null,
  account_id uuid not null,
  total integer not null,
  first_index integer not null,
  content text not null,
  deaths jsonb,
  used_ms bigint not null default 0,
  lanes integer not null default 1,
  same_as uuid,
  constraint run_item_lists_pkey PRIMARY KEY (run_id, block_id, chunk)
);
policy all_rows to {patchbay_system} using (true);
policy own_rows to {patchbay_app} using ((account_id = current_account()));
grant delete, insert, select, update to patchbay_app;
grant delete, insert, select, update to patchbay_system;

table run_items -- row-level security forced (
  run_id uuid not null,
  block_id uuid not null,
  item_index integer not null,
  account_id uuid not null,
  key text not null,
  status text not null,
  result text,
  error_message text,
  log text,
  calls text,
  tries integer not null,
  started_at timestamp with time zone not null,
  ended_at timestamp with time zone not null,
  sealed_deferred bytea,
  vault_ranges text,
  retried_by integer,
  child_run jsonb,
  constraint run_items_status_check CHECK ((status = ANY (ARRAY['succeeded'::text, 'failed'::text, 'skipped'::text]))),
  constraint run_items_pkey PRIMARY KEY (run_id, block_id, item_index)
);
policy all_rows to {patchbay_system} using (true);
policy own_rows to {patchbay_app} using ((account_id = current_account()));
grant delete, insert, select, update to patchbay_app;
grant delete, insert, select, update to patchbay_system;

table run_recordings -- row-level security forced (
  run_id uuid not null,
  account_id uuid not null,
  workflow_id uuid not null,
  run_number integer not null,
  sealed_tape bytea,
  problem text,
  constraint run_recordings_check CHECK (((sealed_tape IS NULL) <> (problem IS NULL))),
  constraint run_recordings_pkey PRIMARY KEY (run_id)
);
CREATE INDEX run_recordings_of_workflow ON patchbay.run_recordings USING btree (workflow_id, run_number);
policy all_rows to {patchbay_system} using (true);
policy own_rows to {patchbay_app} using ((account_id = current_account()));
grant delete, insert, select, update to patchbay_app;
grant delete, insert, select, update to patchbay_system;

table run_waits -- row-level security forced (
  run_id uuid not null,
  block_id uuid not null,
  item_index integer not null default '-1'::integer,
  account_id uuid not null,
  kind text not null,
  due_at timestamp with time zone,
  details text not null,
  outcome text,
  constraint run_waits_kind_check CHECK ((kind = ANY (ARRAY['retry'::text, 'time'::text, 'event'::text, 'approval'::text, 'subWorkflow'::text, 'limit'::text]))),
  constraint run_waits_pkey PRIMARY KEY (run_id, block_id, item_index)
);
policy all_rows to {patchbay_system} using (true);
policy own_rows to {patchbay_app} using ((account_id = current_account()));
grant delete, insert, select, update to patchbay_app;
grant delete, insert, select, update to patchbay_system;

table run_writes partition by RANGE (run_id) -- row-level security forced (
  run_id uuid not null,
  block_id uuid not null,
  account_id uuid not null,
  attempt integer not null,
  method text not null,
  url text not null,
  idempotency_key text not null,
  sent_at timestamp with time zone not null
);
CREATE INDEX run_writes_of_block ON ONLY patchbay.run_writes USING btree (run_id, block_id);
policy all_rows to {patchbay_system} using (true);
policy own_rows to {patchbay_app} using ((account_id = current_account()));
grant delete, insert, select, update to patchbay_app;
grant delete, insert, select, update to patchbay_system;

table runs partition by RANGE (id) -- row-level security forced (
  id uuid not null,
  account_id uuid not null,
  workflow_id uuid not null,
  run_number integer not null,
  revision integer not null,
  status text not null default 'Pending'::text,
  run_by text not null,
  processor_type text not null default 'Standard'::text,
  created_at timestamp with time zone not null,
  ended_at timestamp with time zone,
  pause_ms integer not null default 0,
  is_expired_by_time boolean not null default false,
  error_message text,
  last_block_id uuid,
  last_block_title text,
  attempt integer not null default 0,
  is_handed_back boolean not null default false,
  deaths jsonb,
  run_from integer,
  run_till integer,
  date_last_run timestamp with time zone,
  counts_from timestamp with time zone not null,
  moves_date_last_run boolean not null,
  webhook_ids uuid[],
  is_webhook_batch boolean not null default false,
  retry_of uuid,
  started_by uuid,
  under_way uuid[],
  waiting_for jsonb,
  block_errors integer not null default 0,
  items_total integer not null default 0,
  items_failed integer not null default 0,
  input text,
  is_awaited boolean not null default false,
  is_error_run boolean not null default false,
  parent_run_id uuid,
  parent_item_index integer,
  parent_run jsonb,
  level smallint not null default 1,
  retry_of_number integer,
  items_retry_id uuid,
  partial jsonb,
  constraint runs_processor_type_check CHECK ((processor_type = ANY (ARRAY['Standard'::text, 'Debug'::text]))),
  constraint runs_run_by_check CHECK ((run_by = ANY (ARRAY['API'::text, 'Scheduler'::text, 'Webhook'::text, 'Manual'::text, 'Retry'::text, 'Workflow'::text]))) NOT VALID,
  constraint runs_status_check CHECK ((status = ANY (ARRAY['Pending'::text, 'Processing'::text, 'Waiting'::text, 'Ready'::text, 'Error'::text, 'Stopping'::text, 'Stopped'::text]))) NOT VALID,
  constraint runs_pkey PRIMARY KEY (id)
);
CREATE INDEX runs_by_parent ON ONLY patchbay.runs USING btree (parent_run_id) WHERE (parent_run_id IS NOT NULL);
CREATE INDEX runs_by_workflow ON ONLY patchbay.runs USING btree (workflow_id, run_number) INCLUDE (created_at, account_id);
CREATE INDEX runs_retries ON ONLY patchbay.runs USING btree (retry_of) WHERE (retry_of IS NOT NULL);
policy all_rows to {patchbay_system} using (true);
policy own_rows to {patchbay_app} using ((account_id = current_account()));
policy retention to {postgres} using (true);
grant delete, insert, select, update to patchbay_app;
grant delete, insert, select, update to patchbay_system;

table search_backlog (
  kind text not null,
  since timestamp with time zone,
  reached uuid,
  constraint search_backlog_kind_check CHECK ((kind = ANY (ARRAY['run'::text, 'webhook'::text]))),
  constraint search_backlog_pkey PRIMARY KEY (kind)
);
grant delete, select, update to patchbay_system;

table search_feed (
  id bigint not null,
  kind text not null,
  ids uuid[] not null,
  constraint search_feed_kind_check CHECK ((kind = ANY (ARRAY['run'::text, 'webhook'::text]))),
  constraint search_feed_pkey PRIMARY KEY (id)
);
grant delete, insert, select, update to patchbay_system;

table search_segments -- row-level security forced (
  id bigint not null,
  account_id uuid not null,
  workflow_id uuid not null,
  day date not null,
  tier smallint not null,
  document_count integer not null,
  oldest timestamp with time zone not null,
  newest timestamp with time zone not null,
  highest_run_number integer,
  filter_blocks integer not null,
  filter bytea not null,
  documents bytea not null,
  bucket_offsets bytea not null,
  postings bytea not null,
  constraint search_segments_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE,
  constraint search_segments_workflow_id_fkey FOREIGN KEY (workflow_id) REFERENCES workflows(id) ON DELETE CASCADE,
  constraint search_segments_pkey PRIMARY KEY (id)
);
CREATE INDEX search_segments_by_account ON patchbay.search_segments USING btree (account_id, newest DESC, id DESC);
CREATE INDEX search_segments_by_workflow ON patchbay.search_segments USING btree (workflow_id, day, tier);
policy all_rows to {patchbay_system} using (true);
policy own_rows to {patchbay_app} using ((account_id = current_account()));
grant delete, insert, select, update to patchbay_app;
grant delete, insert, select, update to patchbay_system;

table sent_event_uses -- row-level security forced (
  event_id uuid not null,
  run_id uuid not null,
  account_id uuid not null,
  constraint sent_event_uses_event_id_fkey FOREIGN KEY (event_id) REFERENCES sent_events(id) ON DELETE CASCADE,
  constraint sent_event_uses_pkey PRIMARY KEY (event_id, run_id)
);
policy all_rows to {patchbay_system} using (true);
policy own_rows to {patchbay_app} using ((account_id = current_account()));
grant delete, insert, select, update to patchbay_app;
grant delete, insert, select, update to patchbay_system;

table sent_events -- row-level security forced (
  id uuid not null,
  account_id uuid not null,
  name text not null,
  key text,
  data text,
  event_id text,
  woken_runs integer not null default 0,
  created_at timestamp with time zone not null default clock_timestamp(),
  constraint sent_events_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE,
  constraint sent_events_pkey PRIMARY KEY (id)
);
CREATE INDEX sent_events_by_age ON patchbay.sent_events USING btree (created_at);
CREATE INDEX sent_events_by_name ON patchbay.sent_events USING btree (account_id, name, created_at);
CREATE UNIQUE INDEX sent_events_once ON patchbay.sent_events USING btree (account_id, event_id) WHERE (event_id IS NOT NULL);
policy all_rows to {patchbay_system} using (true);
policy own_rows to {patchbay_app} using ((account_id = current_account()));
grant delete, insert, select, update to patchbay_app;
grant delete, insert, select, update to patchbay_system;

table sessions -- row-level security forced (
  id_hash bytea not null,
  account_id uuid not null,
  created_at timestamp with time zone not null default now(),
  expires_at timestamp with time zone not null,
  constraint sessions_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE,
  constraint sessions_pkey PRIMARY KEY (id_hash)
);
CREATE INDEX sessions_by_account ON patchbay.sessions USING btree (account_id);
policy all_rows to {patchbay_system} using (true);
policy own_rows to {patchbay_app} using ((account_id = current_account()));
grant delete, insert, select, update to patchbay_app;
grant delete, insert, select, update to patchbay_system;

table shares -- row-level security forced (
  id uuid not null,
  account_id uuid not null,
  status text not null,
  storage_id uuid not null,
  uploader text not null,
  touched_at timestamp with time zone not null default now(),
  sealed_key bytea,
  code_salt bytea,
  is_code_chosen boolean not null default false,
  sealed_content bytea,
  wrong_codes integer not null default 0,
  downloads integer not null default 0,
  last_download_at timestamp with time zone,
  created_at timestamp with time zone not null default now(),
  expires_at timestamp with time zone,
  bytes bigint not null default 0,
  constraint shares_check CHECK (((sealed_key IS NOT NULL) = (status = ANY (ARRAY['Ready'::text, 'Locked'::text])))),
  constraint shares_status_check CHECK ((status = ANY (ARRAY['Uploading'::text, 'Ready'::text, 'Locked'::text, 'Erased'::text]))),
  constraint shares_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id),
  constraint shares_pkey PRIMARY KEY (id)
);
CREATE INDEX shares_by_account ON patchbay.shares USING btree (account_id, created_at DESC) WHERE (status = ANY (ARRAY['Ready'::text, 'Locked'::text]));
CREATE INDEX shares_by_expiry ON patchbay.shares USING btree (expires_at) WHERE (status = ANY (ARRAY['Ready'::text, 'Locked'::text]));
CREATE INDEX shares_to_clean ON patchbay.shares USING btree (storage_id) WHERE (status = ANY (ARRAY['Uploading'::text, 'Erased'::text]));
policy all_rows to {patchbay_system} using (true);
policy own_rows to {patchbay_app} using ((account_id = current_account()));
grant delete, insert, select, update to patchbay_app;
grant delete, insert, select, update to patchbay_system;

table sign_in_attempts -- row-level security forced (
  key bytea not null,
  failures integer not null,
  blocked_until timestamp with time zone not null,
  constraint sign_in_attempts_pkey PRIMARY KEY (key)
);
CREATE INDEX sign_in_attempts_by_end ON patchbay.sign_in_attempts USING btree (blocked_until);
policy all_rows to {patchbay_system} using (true);
grant delete, insert, select, update to patchbay_system;

table sign_in_rates -- row-level security forced (
  key bytea not null,
  attempts_left double precision not null,
  counted_at timestamp with time zone not null,
  constraint sign_in_rates_pkey PRIMARY KEY (key)
);
CREATE INDEX sign_in_rates_by_time ON patchbay.sign_in_rates USING btree (counted_at);
policy all_rows to {patchbay_system} using (true);
grant delete, insert, select, update to patchbay_system;

table space_probe (
  filler bytea not null
);
grant delete, insert, select to patchbay_system;

table storage_measures (
  is_only boolean not null default true,
  measured_at timestamp with time zone not null,
  constraint storage_measures_is_only_check CHECK (is_only),
  constraint storage_measures_pkey PRIMARY KEY (is_only)
);
grant select, update to patchbay_system;

table stream_events -- row-level security forced (
  id bigint not null,
  account_id uuid not null,
  workflow_id uuid,
  type text not null,
  data text not null,
  happened_at timestamp with time zone not null,
  created_at timestamp with time zone not null default now(),
  constraint stream_events_pkey PRIMARY KEY (id)
);
CREATE INDEX stream_events_by_account ON patchbay.stream_events USING btree (account_id, id);
CREATE INDEX stream_events_by_time ON patchbay.stream_events USING btree (created_at);
policy all_rows to {patchbay_system} using (true);
policy own_rows to {patchbay_app} using ((account_id = current_account()));
grant delete, insert, select, update to patchbay_app;
grant delete, insert, select, update to patchbay_system;

table stream_interest -- row-level security forced (
  kind text not null,
  scope_id uuid not null,
  wanted_until timestamp with time zone not null,
  constraint stream_interest_kind_check CHECK ((kind = ANY (ARRAY['account'::text, 'created'::text, 'organization'::text]))),
  constraint stream_interest_pkey PRIMARY KEY (scope_id, kind)
);
policy all_rows to {patchbay_system} using (true);
grant delete, insert, select, update to patchbay_system;

table system_keys -- row-level security forced (
  purpose text not null,
  master_key_id text not null,
  wrapped bytea not null,
  constraint system_keys_master_key FOREIGN KEY (master_key_id) REFERENCES master_keys(id),
  constraint system_keys_pkey PRIMARY KEY (purpose)
);
policy all_rows to {patchbay_system} using (true);
grant delete, insert, select, update to patchbay_system;

table tags -- row-level security forced (
  organization_id uuid not null,
  entity_type text not null,
  entity_id uuid not null,
  value text not null,
  created_at timestamp with time zone not null default now(),
  constraint tags_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id),
  constraint tags_pkey PRIMARY KEY (organization_id, entity_type, entity_id, value)
);
CREATE INDEX tags_by_value ON patchbay.tags USING btree (organization_id, entity_type, value);
policy all_rows to {patchbay_system} using (true);
policy own_rows to {patchbay_app} using ((organization_id = current_organization()));
grant delete, insert, select, update to patchbay_app;
grant delete, insert, select, update to patchbay_system;

table take_back_links -- row-level security forced (
  token_hash bytea not null,
  account_id uuid not null,
  registered_application_id uuid not null,
  generation integer not null,
  was_authenticated boolean not null,
  expires_at timestamp with time zone not null,
  constraint take_back_links_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE,
  constraint take_back_links_registered_application_id_fkey FOREIGN KEY (registered_application_id) REFERENCES registered_applications(id) ON DELETE CASCADE,
  constraint take_back_links_pkey PRIMARY KEY (token_hash)
);
CREATE INDEX take_back_links_by_account ON patchbay.take_back_links USING btree (account_id);
CREATE INDEX take_back_links_by_connection ON patchbay.take_back_links USING btree (registered_application_id);
CREATE INDEX take_back_links_by_expiry ON patchbay.take_back_links USING btree (expires_at);
policy all_rows to {patchbay_system} using (true);
policy own_rows to {patchbay_app} using ((account_id = current_account()));
grant delete, insert, select, update to patchbay_app;
grant delete, insert, select, update to patchbay_system;

table template_upgrade_items -- row-level security forced (
  upgrade_id uuid not null,
  workflow_id uuid not null,
  organization_id uuid not null,
  account_id uuid not null,
  position integer not null,
  wave integer not null,
  outcome text not null,
  revision_before integer,
  revision_after integer,
  message text,
  sealed_choices bytea,
  watched_until timestamp with time zone,
  runs_seen integer not null default 0,
  constraint template_upgrade_items_outcome_check CHECK ((outcome = ANY (ARRAY['pending'::text, 'upgraded'::text, 'upToDate'::text, 'conflict'::text, 'problem'::text, 'skipped'::text, 'rolledBack'::text]))),
  constraint template_upgrade_items_upgrade_id_fkey FOREIGN KEY (upgrade_id) REFERENCES template_upgrades(id) ON DELETE CASCADE,
  constraint template_upgrade_items_pkey PRIMARY KEY (upgrade_id, workflow_id)
);
CREATE INDEX template_upgrade_items_in_turn ON patchbay.template_upgrade_items USING btree (upgrade_id, wave, "position") WHERE (outcome = 'pending'::text);
CREATE INDEX template_upgrade_items_watched ON patchbay.template_upgrade_items USING btree (workflow_id) WHERE (watched_until IS NOT NULL);
policy all_rows to {patchbay_system} using (true);
policy own_rows to {patchbay_app} using ((organization_id = current_organization()));
grant delete, insert, select, update to patchbay_app;
grant delete, insert, select, update to patchbay_system;

table template_upgrades -- row-level security forced (
  id uuid not null,
  organization_id uuid not null,
  started_by uuid not null,
  key_id uuid,
  address text,
  workflow_template_id uuid not null,
  to_version text not null,
  base_digest bytea not null,
  state text not null,
  is_rolling_back boolean not null default false,
  wave_size integer not null,
  wave_minutes double precision not null,
  watch_runs integer not null,
  failures_max integer not null,
  failures integer not null default 0,
  wave integer not null default 1,
  turn integer not null default 1,
  created_at timestamp with time zone not null default now(),
  replay_runs integer not null default 0,
  ended_at timestamp with time zone,
  wave_due_at timestamp with time zone,
  constraint template_upgrades_state_check CHECK ((state = ANY (ARRAY['Running'::text, 'Paused'::text, 'Stopped'::text, 'Completed'::text, 'RolledBack'::text]))),
  constraint template_upgrades_base_digest_fkey FOREIGN KEY (base_digest) REFERENCES workflow_bases(digest),
  constraint template_upgrades_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id) ON DELETE CASCADE,
  constraint template_upgrades_started_by_fkey FOREIGN KEY (started_by) REFERENCES accounts(id) ON DELETE CASCADE,
  constraint template_upgrades_pkey PRIMARY KEY (id)
);
CREATE INDEX template_upgrades_ended ON patchbay.template_upgrades USING btree (ended_at) WHERE (ended_at IS NOT NULL);
CREATE INDEX template_upgrades_of_organization ON patchbay.template_upgrades USING btree (organization_id, id);
CREATE INDEX template_upgrades_of_starter ON patchbay.template_upgrades USING btree (started_by, id);
CREATE UNIQUE INDEX template_upgrades_under_way ON patchbay.template_upgrades USING btree (organization_id, workflow_template_id) WHERE (state = ANY (ARRAY['Running'::text, 'Paused'::text]));
policy all_rows to {patchbay_system} using (true);
policy own_rows to {patchbay_app} using ((organization_id = current_organization()));
grant delete, insert, select, update to patchbay_app;
grant delete, insert, select, update to patchbay_system;

table usage_days -- row-level security forced (
  account_id uuid not null,
  day date not null,
  runs integer not null default 0,
  blocks integer not null default 0,
  calls integer not null default 0,
  webhooks integer not null default 0,
  mails integer not null default 0,
  script_ms bigint not null default 0,
  stored_bytes bigint,
  constraint usage_days_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE,
  constraint usage_days_pkey PRIMARY KEY (account_id, day)
);
CREATE INDEX usage_days_measured ON patchbay.usage_days USING btree (account_id, day) WHERE (stored_bytes IS NOT NULL);
policy all_rows to {patchbay_system} using (true);
policy own_rows to {patchbay_app} using ((account_id = current_account()));
grant delete, insert, select, update to patchbay_app;
grant delete, insert, select, update to patchbay_system;

table vault_entries -- row-level security forced (
  account_id uuid not null,
  holder_id uuid not null,
  key_hash bytea not null,
  key bytea not null,
  sealed_value bytea not null,
  created_at timestamp with time zone not null default now(),
  modified_at timestamp with time zone not null default now(),
  workflow_id uuid generated NULLIF(holder_id, account_id),
  constraint vault_entries_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE,
  constraint vault_entries_workflow_id_fkey FOREIGN KEY (workflow_id) REFERENCES workflows(id) ON DELETE CASCADE,
  constraint vault_entries_pkey PRIMARY KEY (account_id, holder_id, key_hash)
);
CREATE INDEX vault_entries_by_workflow ON patchbay.vault_entries USING btree (workflow_id) WHERE (workflow_id IS NOT NULL);
policy all_rows to {patchbay_system} using (true);
policy own_rows to {patchbay_app} using ((account_id = current_account()));
grant delete, insert, select, update to patchbay_app;
grant delete, insert, select, update to patchbay_system;

table webhook_answers -- row-level security forced (
  webhook_id uuid not null,
  account_id uuid not null,
  workflow_id uuid not null,
  run_id uuid,
  status_code integer not null,
  headers json not null,
  body text,
  created_at timestamp with time zone not null default clock_timestamp(),
  constraint webhook_answers_workflow_id_fkey FOREIGN KEY (workflow_id) REFERENCES workflows(id) ON DELETE CASCADE,
  constraint webhook_answers_pkey PRIMARY KEY (webhook_id)
);
CREATE INDEX webhook_answers_by_age ON patchbay.webhook_answers USING btree (created_at);
CREATE INDEX webhook_answers_of_workflow ON patchbay.webhook_answers USING btree (workflow_id);
policy all_rows to {patchbay_system} using (true);
policy own_rows to {patchbay_app} using ((account_id = current_account()));
grant delete, insert, select, update to patchbay_app;
grant delete, insert, select, update to patchbay_system;

table webhook_deliveries -- row-level security forced (
  workflow_id uuid not null,
  delivery uuid not null,
  account_id uuid not null,
  webhook_id uuid not null,
  created_at timestamp with time zone not null,
  constraint webhook_deliveries_pkey PRIMARY KEY (workflow_id, delivery)
);
CREATE INDEX webhook_deliveries_by_time ON patchbay.webhook_deliveries USING brin (created_at);
policy all_rows to {patchbay_system} using (true);
policy own_rows to {patchbay_app} using ((account_id = current_account()));
grant delete, insert, select, update to patchbay_app;
grant delete, insert, select, update to patchbay_system;

table webhook_history partition by RANGE (webhook_id) -- row-level security forced (
  webhook_id uuid not null,
  account_id uuid not null,
  workflow_id uuid not null,
  created_at timestamp with time zone not null,
  left_at timestamp with time zone not null,
  due_at timestamp with time zone not null,
  status text not null,
  error_counter integer not null,
  run_number integer,
  error_message text,
  is_given_up boolean not null default false,
  constraint webhook_history_status_check CHECK ((status = ANY (ARRAY['Done'::text, 'Skipped'::text]))),
  constraint webhook_history_pkey PRIMARY KEY (webhook_id)
);
CREATE INDEX webhook_history_by_workflow ON ONLY patchbay.webhook_history USING btree (account_id, workflow_id, created_at, webhook_id);
CREATE INDEX webhook_history_given_up ON ONLY patchbay.webhook_history USING btree (account_id, webhook_id) WHERE is_given_up;
CREATE INDEX webhook_history_skipped ON ONLY patchbay.webhook_history USING btree (account_id, workflow_id) WHERE (status = 'Skipped'::text);
policy all_rows to {patchbay_system} using (true);
policy own_rows to {patchbay_app} using ((account_id = current_account()));
grant delete, insert, select, update to patchbay_app;
grant delete, insert, select, update to patchbay_system;

table webhook_queue -- row-level security forced (
  webhook_id uuid not null,
  account_id uuid not null,
  workflow_id uuid not null,
  seq bigint not null,
  lane text,
  is_ready boolean not null,
  status text not null default 'Pending'::text,
  error_counter integer not null default 0,
  due_at timestamp with time zone not null,
  holder uuid,
  run_number integer,
  error_message text,
  created_at timestamp with time zone not null,
  modified_at timestamp with time zone not null,
  replay_id uuid,
  constraint webhook_queue_status_check CHECK ((status = ANY (ARRAY['Pending'::text, 'Processing'::text, 'Failed'::text]))),
  constraint webhook_queue_pkey PRIMARY KEY (webhook_id)
);
CREATE INDEX webhook_queue_held ON patchbay.webhook_queue USING btree (account_id, holder) WHERE (status = 'Processing'::text);
CREATE INDEX webhook_queue_in_order ON patchbay.webhook_queue USING btree (account_id, workflow_id, seq);
CREATE INDEX webhook_queue_lanes ON patchbay.webhook_queue USING btree (workflow_id, lane, seq) WHERE (lane IS NOT NULL);
CREATE INDEX webhook_queue_replayed ON patchbay.webhook_queue USING btree (replay_id) WHERE (replay_id IS NOT NULL);
CREATE INDEX webhook_queue_startable ON patchbay.webhook_queue USING btree (account_id, workflow_id, due_at, seq) WHERE (is_ready AND (status <> 'Processing'::text));
policy all_rows to {patchbay_system} using (true);
policy own_rows to {patchbay_app} using ((account_id = current_account()));
grant delete, insert, select, update to patchbay_app;
grant delete, insert, select, update to patchbay_system;

table webhook_refusal_hours -- row-level security forced (
  workflow_id uuid not null,
  account_id uuid not null,
  hour timestamp with time zone not null,
  status_code integer not null,
  reason text not null,
  refusals bigint not null,
  constraint webhook_refusal_hours_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE,
  constraint webhook_refusal_hours_workflow_id_fkey FOREIGN KEY (workflow_id) REFERENCES workflows(id) ON DELETE CASCADE,
  constraint webhook_refusal_hours_pkey PRIMARY KEY (workflow_id, hour, status_code, reason)
);
CREATE INDEX webhook_refusal_hours_by_hour ON patchbay.webhook_refusal_hours USING btree (hour);
policy all_rows to {patchbay_system} using (true);
policy own_rows to {patchbay_app} using ((account_id = current_account()));
grant delete, insert, select, update to patchbay_app;
grant delete, insert, select, update to patchbay_system;

table webhook_refusals -- row-level security forced (
  id bigint not null,
  workflow_id uuid not null,
  account_id uuid not null,
  at timestamp with time zone not null,
  status_code integer not null,
  reason text not null,
  ip_address text not null,
  header_names text[] not null,
  constraint webhook_refusals_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE,
  constraint webhook_refusals_workflow_id_fkey FOREIGN KEY (workflow_id) REFERENCES workflows(id) ON DELETE CASCADE,
  constraint webhook_refusals_pkey PRIMARY KEY (id)
);
CREATE INDEX webhook_refusals_by_workflow ON patchbay.webhook_refusals USING btree (workflow_id, id);
policy all_rows to {patchbay_system} using (true);
policy own_rows to {patchbay_app} using ((account_id = current_account()));
grant delete, insert, select, update to patchbay_app;
grant delete, insert, select, update to patchbay_system;

table webhook_replays -- row-level security forced (
  id uuid not null,
  account_id uuid not null,
  workflow_id uuid not null,
  created_at timestamp with time zone not null default clock_timestamp(),
  search_from timestamp with time zone,
  search_to timestamp with time zone,
  statuses text[] not null,
  total integer not null,
  queued integer not null default 0,
  cursor_at timestamp with time zone,
  cursor_id uuid,
  is_queued boolean not null default false,
  constraint webhook_replays_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE,
  constraint webhook_replays_workflow_id_fkey FOREIGN KEY (workflow_id) REFERENCES workflows(id) ON DELETE CASCADE,
  constraint webhook_replays_pkey PRIMARY KEY (id)
);
CREATE INDEX webhook_replays_by_account ON patchbay.webhook_replays USING btree (account_id);
CREATE INDEX webhook_replays_by_workflow ON patchbay.webhook_replays USING btree (workflow_id);
policy all_rows to {patchbay_system} using (true);
policy own_rows to {patchbay_app} using ((account_id = current_account()));
grant delete, insert, select, update to patchbay_app;
grant delete, insert, select, update to patchbay_system;

table webhook_requests partition by RANGE (id) -- row-level security forced (
  id uuid not null,
  account_id uuid not null,
  workflow_id uuid not null,
  created_at timestamp with time zone not null,
  sealed_request bytea not null,
  constraint webhook_requests_pkey PRIMARY KEY (id)
);
policy all_rows to {patchbay_system} using (true);
policy own_rows to {patchbay_app} using ((account_id = current_account()));
grant delete, insert, select, update to patchbay_app;
grant delete, insert, select, update to patchbay_system;

table webhook_samples -- row-level security forced (
  id uuid not null,
  account_id uuid not null,
  workflow_id uuid not null,
  created_at timestamp with time zone not null,
  sealed_request bytea not null,
  is_pinned boolean not null default false,
  constraint webhook_samples_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE,
  constraint webhook_samples_workflow_id_fkey FOREIGN KEY (workflow_id) REFERENCES workflows(id) ON DELETE CASCADE,
  constraint webhook_samples_pkey PRIMARY KEY (id)
);
CREATE INDEX webhook_samples_by_account ON patchbay.webhook_samples USING btree (account_id);
CREATE INDEX webhook_samples_by_workflow ON patchbay.webhook_samples USING btree (workflow_id, created_at);
policy all_rows to {patchbay_system} using (true);
policy own_rows to {patchbay_app} using ((account_id = current_account()));
grant delete, insert, select, update to patchbay_app;
grant delete, insert, select, update to patchbay_system;

table webhooks -- row-level security forced (
  workflow_id uuid not null,
  account_id uuid not null,
  version uuid not null,
  ip_restriction text[] not null default '{}'::text[],
  url_parameters text not null default ''::text,
  is_strict_order boolean not null default false,
  order_key text not null default ''::text,
  skip_after_errors integer not null default 20,
  skip_script text not null default ''::text,
  is_batch boolean not null default false,
  batch_size integer not null default 50,
  moves_date_last_run boolean not null default false,
  is_held boolean not null default false,
  sealed_secret bytea not null,
  sealed_previous_secret bytea,
  previous_secret_until timestamp with time zone,
  modified_by uuid not null,
  modified_at timestamp with time zone not null default now(),
  signature jsonb,
  respond_with text not null default 'accepted'::text,
  respond_seconds integer not null default 25,
  constraint webhooks_respond_with_check CHECK ((respond_with = ANY (ARRAY['accepted'::text, 'result'::text]))),
  constraint webhooks_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE,
  constraint webhooks_workflow_id_fkey FOREIGN KEY (workflow_id) REFERENCES workflows(id) ON DELETE CASCADE,
  constraint webhooks_pkey PRIMARY KEY (workflow_id)
);
CREATE INDEX webhooks_by_account ON patchbay.webhooks USING btree (account_id);
policy all_rows to {patchbay_system} using (true);
policy own_rows to {patchbay_app} using ((account_id = current_account()));
grant delete, insert, select, update to patchbay_app;
grant delete, insert, select, update to patchbay_system;

table workflow_bases -- row-level security forced (
  digest bytea not null,
  organization_id uuid not null,
  workflow_template_id uuid not null,
  template_version text,
  definition json not null,
  created_at timestamp with time zone not null default now(),
  constraint workflow_bases_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id) ON DELETE CASCADE,
  constraint workflow_bases_pkey PRIMARY KEY (digest)
);
CREATE INDEX workflow_bases_by_template ON patchbay.workflow_bases USING btree (organization_id, workflow_template_id);
policy all_rows to {patchbay_system} using (true);
policy own_rows to {patchbay_app} using ((organization_id = current_organization()));
grant insert, select to patchbay_app;
grant insert, select to patchbay_system;

table workflow_revisions -- row-level security forced (
  workflow_id uuid not null,
  revision integer not null,
  account_id uuid not null,
  definition json not null,
  sealed_secrets bytea,
  created_at timestamp with time zone not null default now(),
  created_by uuid,
  base_digest bytea,
  reason text not null,
  template_version text,
  constraint workflow_revisions_reason_check CHECK ((reason = ANY (ARRAY['Created'::text, 'Updated'::text, 'Restored'::text, 'Upgraded'::text, 'RolledBack'::text]))),
  constraint workflow_revisions_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE,
  constraint workflow_revisions_base_digest_fkey FOREIGN KEY (base_digest) REFERENCES workflow_bases(digest),
  constraint workflow_revisions_workflow_id_fkey FOREIGN KEY (workflow_id) REFERENCES workflows(id) ON DELETE CASCADE,
  constraint workflow_revisions_pkey PRIMARY KEY (workflow_id, revision)
);
CREATE INDEX workflow_revisions_by_account ON patchbay.workflow_revisions USING btree (account_id);
policy all_rows to {patchbay_system} using (true);
policy own_rows to {patchbay_app} using ((account_id = current_account()));
grant delete, insert, select to patchbay_app;
grant delete, insert, select to patchbay_system;

table workflow_uses -- row-level security forced (
  workflow_id uuid not null,
  account_id uuid not null,
  kind text not null,
  target text not null,
  constraint workflow_uses_kind_check CHECK ((kind = ANY (ARRAY['application'::text, 'registeredApplication'::text, 'blockTemplate'::text, 'subWorkflow'::text]))) NOT VALID,
  constraint workflow_uses_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE,
  constraint workflow_uses_workflow_id_fkey FOREIGN KEY (workflow_id) REFERENCES workflows(id) ON DELETE CASCADE,
  constraint workflow_uses_pkey PRIMARY KEY (account_id, kind, target, workflow_id)
);
CREATE INDEX workflow_uses_by_workflow ON patchbay.workflow_uses USING btree (workflow_id);
policy all_rows to {patchbay_system} using (true);
policy own_rows to {patchbay_app} using ((account_id = current_account()));
grant delete, insert, select, update to patchbay_app;
grant delete, insert, select, update to patchbay_system;

table workflows -- row-level security forced (
  id uuid not null,
  organization_id uuid not null,
  account_id uuid not null,
  state text not null default 'inDevelopment'::text,
  revision integer not null default 1,
  name text not null,
  description text not null,
  workflow_template_id uuid,
  template_version text,
  is_customized_structure boolean not null,
  applications json not null default '{}'::json,
  is_scheduled boolean not null default false,
  schedule_frequency text,
  schedule_time_zone text,
  next_run_at timestamp with time zone,
  is_auto_run_paused boolean not null default false,
  is_webhook_active boolean not null default false,
  last_run_number integer,
  last_run_status text,
  date_last_run timestamp with time zone,
  created_at timestamp with time zone not null default now(),
  modified_at timestamp with time zone not null default now(),
  search_text text generated lower(((name || ' '::text) || description)),
  auto_failures integer not null default 0,
  is_failing boolean not null default false,
  schedule_last_tick timestamp with time zone,
  scheduled_run_id uuid,
  function_stamp bigint,
  next_try_at timestamp with time zone,
  pause_tries integer not null default 0,
  missed_tick timestamp with time zone,
  failing_since timestamp with time zone,
  paused_since timestamp with time zone,
  deleting_until timestamp with time zone,
  is_failure_told boolean not null default false,
  constraint workflows_state_check CHECK ((state = ANY (ARRAY['inDevelopment'::text, 'deployed'::text, 'archived'::text]))),
  constraint workflows_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE,
  constraint workflows_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id),
  constraint workflows_pkey PRIMARY KEY (id)
);
CREATE INDEX workflows_by_account ON patchbay.workflows USING btree (account_id, id);
CREATE INDEX workflows_by_state ON patchbay.workflows USING btree (account_id, state, id);
CREATE INDEX workflows_by_template ON patchbay.workflows USING btree (account_id, workflow_template_id, id);
CREATE INDEX workflows_due ON patchbay.workflows USING btree (next_run_at) WHERE is_scheduled;
CREATE INDEX workflows_failing ON patchbay.workflows USING btree (account_id, id) WHERE is_failing;
CREATE INDEX workflows_paused ON patchbay.workflows USING btree (account_id, id) WHERE is_auto_run_paused;
CREATE INDEX workflows_scheduled ON patchbay.workflows USING btree (account_id, id) WHERE is_scheduled;
CREATE INDEX workflows_to_try ON patchbay.workflows USING btree (next_try_at) WHERE (next_try_at IS NOT NULL);
CREATE INDEX workflows_with_missed_tick ON patchbay.workflows USING btree (id) WHERE (missed_tick IS NOT NULL);
CREATE INDEX workflows_with_webhook ON patchbay.workflows USING btree (account_id, id) WHERE is_webhook_active;
policy all_rows to {patchbay_system} using (true);
policy own_rows to {patchbay_app} using ((account_id = current_account()));
grant delete, insert, select, update to patchbay_app;
grant delete, insert, select, update to patchbay_system;

table workflows_without_base -- row-level security forced (
  workflow_id uuid not null,
  constraint workflows_without_base_workflow_id_fkey FOREIGN KEY (workflow_id) REFERENCES workflows(id) ON DELETE CASCADE,
  constraint workflows_without_base_pkey PRIMARY KEY (workflow_id)
);
policy all_rows to {patchbay_system} using (true);
grant delete, insert, select, update to patchbay_system;

table write_probe (
  only_row boolean not null default true,
  probed_at timestamp with time zone not null,
  constraint write_probe_only_row_check CHECK (only_row),
  constraint write_probe_pkey PRIMARY KEY (only_row)
);
grant insert, select, update to patchbay_system;

CREATE OR REPLACE FUNCTION patchbay.content_bytes(value bytea)
 RETURNS bigint
 LANGUAGE sql
 STABLE
RETURN CASE WHEN ((pg_column_size(value) < 128) AND (substr(value, 1, 1) = '\x40'::bytea)) THEN (split_part(convert_from(value, 'UTF8'::name), ' '::text, 2))::bigint ELSE (0)::bigint END;

CREATE OR REPLACE FUNCTION patchbay.content_bytes(value text)
 RETURNS bigint
 LANGUAGE sql
 STABLE
RETURN CASE WHEN ((pg_column_size(value) < 128) AND starts_with(value, '@'::text)) THEN (split_part(value, ' '::text, 2))::bigint ELSE (0)::bigint END;

CREATE OR REPLACE FUNCTION patchbay.content_id(value bytea)
 RETURNS uuid
 LANGUAGE sql
 STABLE
RETURN CASE WHEN ((pg_column_size(value) < 128) AND (substr(value, 1, 1) = '\x40'::bytea)) THEN (split_part(substr(convert_from(value, 'UTF8'::name), 2), ' '::text, 1))::uuid ELSE NULL::uuid END;

CREATE OR REPLACE FUNCTION patchbay.content_id(value text)
 RETURNS uuid
 LANGUAGE sql
 STABLE
RETURN CASE WHEN ((pg_column_size(value) < 128) AND starts_with(value, '@'::text)) THEN (split_part(substr(value, 2), ' '::text, 1))::uuid ELSE NULL::uuid END;

CREATE OR REPLACE FUNCTION patchbay.count_calls(calls text)
 RETURNS integer
 LANGUAGE sql
 IMMUTABLE
RETURN CASE WHEN (calls IS NULL) THEN 0 WHEN starts_with(calls, '@'::text) THEN (split_part(calls, ' '::text, 3))::integer ELSE (json_array_length(((calls)::json -> 'calls'::text)) + (((calls)::json ->> 'omitted'::text))::integer) END;

CREATE OR REPLACE FUNCTION patchbay.current_account()
 RETURNS uuid
 LANGUAGE sql
 STABLE
RETURN (NULLIF(current_setting('patchbay.account_id'::text, true), ''::text))::uuid;

CREATE OR REPLACE FUNCTION patchbay.current_organization()
 RETURNS uuid
 LANGUAGE sql
 STABLE
RETURN (NULLIF(current_setting('patchbay.organization_id'::text, true), ''::text))::uuid;

CREATE OR REPLACE FUNCTION patchbay.deployed()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform pause_while_faulted(new.id);
  return null;
end $function$;

CREATE OR REPLACE FUNCTION patchbay.drop_audit_months()
 RETURNS SETOF text
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'patchbay', 'pg_temp'
AS $function$
declare
  made text;
  month timestamptz;
begin
  for made in
    select c.relname from pg_inherits i join pg_class c on c.oid = i.inhrelid
    where i.inhparent = 'patchbay.audit_log'::regclass and c.relname ~ '^audit_log_\d{6}$'
      and right(c.relname, 6) < to_char(now() at time zone 'utc', 'YYYYMM') order by 1
  loop
    month := to_date(right(made, 6), 'YYYYMM')::timestamp at time zone 'utc';
    if exists (select from audit_log where at >= month and at < (month at time zone 'utc' + interval '1 month') at time zone 'utc') then continue; end if;
    execute format('drop table %I', made);
    return next made;
  end loop;
end $function$;

CREATE OR REPLACE FUNCTION patchbay.drop_run_partitions(keep_from date)
 RETURNS SETOF text
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'patchbay', 'pg_temp'
AS $function$
declare
  day date;
begin
  for day in
    select to_date(right(c.relname, 8), 'YYYYMMDD') from pg_inherits i join pg_class c on c.oid = i.inhrelid
    where i.inhparent = 'patchbay.runs'::regclass and c.relname ~ '^runs_\d{8}$' and right(c.relname, 8) < to_char(keep_from, 'YYYYMMDD')
    order by 1
  loop
    if exists (select from runs where id >= first_run_id(day) and id < first_run_id(day + 1) and ended_at is null) then continue; end if;
    execute format('drop table %I, %I', 'runs_' || to_char(day, 'YYYYMMDD'), 'run_blocks_' || to_char(day, 'YYYYMMDD'));
    -- Days that were made before there were such tables may have none.
    execute format('drop table if exists %I', 'run_writes_' || to_char(day, 'YYYYMMDD'));
    return next to_char(day, 'YYYYMMDD');
  end loop;
end $function$;

CREATE OR REPLACE FUNCTION patchbay.drop_webhook_day(day date)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'patchbay', 'pg_temp'
AS $function$
begin
  execute format('drop table if exists %I, %I', to_char(day, '"webhook_requests_"YYYYMMDD'), to_char(day, '"webhook_history_"YYYYMMDD'));
end $function$;

CREATE OR REPLACE FUNCTION patchbay.empty_run_day(day date)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'patchbay', 'pg_temp'
AS $function$
declare
  made text;
begin
  if day >= (now() at time zone 'utc')::date then
    raise exception 'The day % is not over.', day;
  end if;
  for made in select prefix || to_char(day, 'YYYYMMDD') from unnest(array['runs_', 'run_blocks_', 'run_writes_']) prefix loop
    if to_regclass(made) is not null then
      execute format('truncate %I', made);
    end if;
  end loop;
end $function$;

CREATE OR REPLACE FUNCTION patchbay.ensure_audit_months(months_ahead integer)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'patchbay', 'pg_temp'
AS $function$
declare
  month timestamp;
  made text;
begin
  for month in select date_trunc('month', now() at time zone 'utc') + n * interval '1 month' from generate_series(0, least(months_ahead, 12)) n loop
    made := 'audit_log_' || to_char(month, 'YYYYMM');
    if to_regclass(made) is not null then continue; end if;
    perform pg_advisory_xact_lock(7230118443);
    if to_regclass(made) is not null then continue; end if;
    begin
      execute format('create table %I partition of audit_log for values from (%L) to (%L)', made,
        month at time zone 'utc', (month + interval '1 month') at time zone 'utc');
      call protect(made::regclass, 'organization_id = current_organization()');
      execute format('revoke update, delete on %I from patchbay_app, patchbay_system', made);
    exception
      -- The month lies in the table of what was there before, or in the default one.
      when invalid_object_definition or check_violation then null;
    end;
  end loop;
end $function$;

CREATE OR REPLACE FUNCTION patchbay.ensure_run_partitions(days_ahead integer)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'patchbay', 'pg_temp'
AS $function$
declare
  today date := (now() at time zone 'utc')::date;
  day date;
  made text;
begin
  for day in select today + n from generate_series(0, least(days_ahead, 60)) n loop
    if to_regclass('patchbay.run_blocks_' || to_char(day, 'YYYYMMDD')) is not null then continue; end if;
    perform pg_advisory_xact_lock(7230118443);
    -- Another process may have made it while this one waited.
    if to_regclass('patchbay.run_blocks_' || to_char(day, 'YYYYMMDD')) is not null then continue; end if;
    begin
      made := 'runs_' || to_char(day, 'YYYYMMDD');
      execute format('create table %I partition of runs for values from (%L) to (%L) with (fillfactor = 60)',
        made, first_run_id(day), first_run_id(day + 1));
      call protect(made::regclass, 'account_id = current_account()');
      made := 'run_blocks_' || to_char(day, 'YYYYMMDD');
      execute format('create table %I partition of run_blocks for values from (%L) to (%L)',
        made, first_run_id(day), first_run_id(day + 1));
      call protect(made::regclass, 'account_id = current_account()');
      made := 'run_writes_' || to_char(day, 'YYYYMMDD');
      execute format('create table %I partition of run_writes for values from (%L) to (%L)',
        made, first_run_id(day), first_run_id(day + 1));
      call protect(made::regclass, 'account_id = current_account()');
    exception
      -- The default partition holds rows of that day already: there the day stays.
      when check_violation then null;
    end;
  end loop;
end $function$;

CREATE OR REPLACE FUNCTION patchbay.ensure_webhook_partitions(days_ahead integer)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'patchbay', 'pg_temp'
AS $function$
declare
  today date := (now() at time zone 'utc')::date;
  day date;
  parent text;
  made text;
begin
  for day in select today + n from generate_series(0, least(days_ahead, 60)) n loop
    foreach parent in array array['webhook_requests', 'webhook_history'] loop
      made := parent || to_char(day, '_YYYYMMDD');
      if to_regclass('patchbay.' || made) is not null then continue; end if;
      perform pg_advisory_xact_lock(7230118444);
      -- Another process may have made it while this one waited.
      if to_regclass('patchbay.' || made) is not null then continue; end if;
      begin
        execute format('create table %I partition of %I for values from (%L) to (%L)', made, parent,
          first_webhook_id(day), first_webhook_id(day + 1));
        call protect(made::regclass, 'account_id = current_account()');
      exception
        -- The default partition holds rows of that day already: there the day stays.
        when check_violation then null;
      end;
    end loop;
  end loop;
end $function$;

CREATE OR REPLACE FUNCTION patchbay.fault_changed()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform from workflows w where w.id in (
    select workflow_id from workflow_uses
    where account_id = new.account_id and kind = 'registeredApplication' and target = new.id::text)
  order by w.id for no key update;
  perform pause_while_faulted(u.workflow_id) from (
    select workflow_id from workflow_uses
    where account_id = new.account_id and kind = 'registeredApplication' and target = new.id::text order by workflow_id
  ) u;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION patchbay.first_run_id(day date)
 RETURNS uuid
 LANGUAGE sql
 IMMUTABLE
RETURN ((lpad(to_hex(((EXTRACT(epoch FROM (day)::timestamp without time zone) * (1000)::numeric))::bigint), 12, '0'::text) || repeat('0'::text, 20)))::uuid;

CREATE OR REPLACE FUNCTION patchbay.first_webhook_id(day date)
 RETURNS uuid
 LANGUAGE sql
 IMMUTABLE
RETURN ((lpad(to_hex(((EXTRACT(epoch FROM (day)::timestamp without time zone) * (1000)::numeric))::bigint), 12, '0'::text) || repeat('0'::text, 20)))::uuid;

CREATE OR REPLACE FUNCTION patchbay.forget_audit(organization uuid, before timestamp with time zone, rows_max integer)
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'patchbay', 'pg_temp'
AS $function$
declare
  last_position bigint;
  last_hash bytea;
  removed bigint[];
begin
  if before > now() - interval '1 year' then
    raise exception 'The audit log of the last year cannot be removed.';
  end if;
  with oldest as (
    select c.position, c.audit_id, c.hash, a.at from audit_chain c left join audit_log a on a.id = c.audit_id
    where c.organization_id = organization order by c.position limit rows_max
  ), judged as (
    -- Up to the first row that is kept; a row that is missing is for verify-audit to find.
    select *, bool_and(at is not null and at < before) over (order by position) as goes from oldest
  )
  select max(position), array_agg(audit_id), (array_agg(hash order by position desc))[1] into last_position, removed, last_hash
  from judged where goes;
  if last_position is null then
    return 0;
  end if;
  insert into audit_chain_starts (organization_id, hash) values (organization, last_hash)
    on conflict (organization_id) do update set hash = excluded.hash;
  delete from audit_chain where organization_id = organization and position <= last_position;
  delete from audit_log where id = any(removed);
  return cardinality(removed);
end $function$;

CREATE OR REPLACE FUNCTION patchbay.forget_webhooks()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  delete from webhook_requests r using webhook_queue q where q.workflow_id = old.id and q.account_id = old.account_id and r.id = q.webhook_id;
  delete from webhook_requests r using webhook_history h where h.workflow_id = old.id and h.account_id = old.account_id and r.id = h.webhook_id;
  delete from webhook_queue where account_id = old.account_id and workflow_id = old.id;
  delete from webhook_history where account_id = old.account_id and workflow_id = old.id;
  delete from webhook_deliveries where workflow_id = old.id;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION patchbay.has_faulted_application(workflow uuid)
 RETURNS boolean
 LANGUAGE sql
 STABLE
RETURN (EXISTS (SELECT FROM (workflow_uses u JOIN registered_applications r ON ((r.id = CASE WHEN (u.kind = 'registeredApplication'::text) THEN (u.target)::uuid ELSE NULL::uuid END))) WHERE ((u.workflow_id = has_faulted_application.workflow) AND (r.fault_message IS NOT NULL))));

CREATE OR REPLACE FUNCTION patchbay.last_request_at(account uuid, workflow uuid)
 RETURNS timestamp with time zone
 LANGUAGE sql
 STABLE
RETURN GREATEST((SELECT q.created_at FROM webhook_queue q WHERE ((q.account_id = last_request_at.account) AND (q.workflow_id = last_request_at.workflow)) ORDER BY q.seq DESC LIMIT 1), (SELECT max(h.created_at) AS max FROM webhook_history h WHERE ((h.account_id = last_request_at.account) AND (h.workflow_id = last_request_at.workflow))));

CREATE OR REPLACE FUNCTION patchbay.note_trouble()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if new.is_failing is distinct from old.is_failing then new.failing_since := case when new.is_failing then clock_timestamp() end; end if;
  if new.is_auto_run_paused is distinct from old.is_auto_run_paused then
    new.paused_since := case when new.is_auto_run_paused then clock_timestamp() end;
  end if;
  return new;
end $function$;

CREATE OR REPLACE FUNCTION patchbay.pause_while_faulted(workflow uuid)
 RETURNS void
 LANGUAGE sql
BEGIN ATOMIC
 UPDATE workflows w SET is_auto_run_paused = ((w.next_try_at IS NOT NULL) OR has_faulted_application(w.id))
   WHERE ((w.id = pause_while_faulted.workflow) AND (w.state = 'deployed'::text) AND (w.is_auto_run_paused IS DISTINCT FROM ((w.next_try_at IS NOT NULL) OR has_faulted_application(w.id))));
END;

CREATE OR REPLACE PROCEDURE patchbay.protect(IN guarded regclass, IN owner_condition text)
 LANGUAGE plpgsql
AS $procedure$
begin
  execute format('alter table %s enable row level security', guarded);
  execute format('alter table %s force row level security', guarded);
  execute format('create policy own_rows on %s to patchbay_app using (%s) with check (%s)', guarded, owner_condition, owner_condition);
  execute format('create policy all_rows on %s to patchbay_system using (true) with check (true)', guarded);
  execute format('grant select, insert, update, delete on %s to patchbay_app, patchbay_system', guarded);
end $procedure$;

CREATE OR REPLACE FUNCTION patchbay.refuse_while_moving()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if current_setting('patchbay.is_moving', true) = 'yes' then
    if tg_op = 'DELETE' then return old; end if;
    return new;
  end if;
  raise exception 'The organization is being moved to another cell.' using errcode = 'PBMOV';
end $function$;

CREATE OR REPLACE FUNCTION patchbay.reserve_call(connection uuid, calls integer, per_ms double precision, wait_ms_max double precision)
 RETURNS double precision
 LANGUAGE plpgsql
AS $function$
declare
  rate call_rates;
  now_ms double precision;
  start_ms double precision;
begin
  select * into rate from call_rates where registered_application_id = connection for update;
  if not found then
    insert into call_rates values (connection, array_fill(0::double precision, array[calls]), 1, 0) on conflict do nothing;
    select * into rate from call_rates where registered_application_id = connection for update;
  end if;
  -- Read only now: waiting for the row takes time too.
  now_ms := extract(epoch from clock_timestamp()) * 1000;
  if cardinality(rate.starts) <> calls then
    -- A changed limit begins anew, but not before what was promised under the old one.
    rate.starts := array_fill(rate.last_ms - per_ms, array[calls]);
    rate.position := 1;
  end if;
  start_ms := greatest(now_ms, rate.last_ms, rate.starts[rate.position] + per_ms);
  if start_ms - now_ms > wait_ms_max then
    return null;
  end if;
  rate.starts[rate.position] := start_ms;
  update call_rates set starts = rate.starts, position = rate.position % calls + 1, last_ms = start_ms
  where registered_application_id = connection;
  return start_ms - now_ms;
end $function$;

CREATE OR REPLACE FUNCTION patchbay.uses_changed()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform pause_while_faulted(coalesce(new.workflow_id, old.workflow_id));
  return null;
end $function$;

CREATE OR REPLACE FUNCTION patchbay.wait_before_try(tries integer)
 RETURNS interval
 LANGUAGE sql
 IMMUTABLE
RETURN (LEAST(((5)::double precision * ((2)::double precision ^ (LEAST(tries, 4))::double precision)), (60)::double precision) * '00:01:00'::interval);
