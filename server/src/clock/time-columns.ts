// Every column with a time, and what becomes of it when the database's clock jumps. A test compares this list with the schema: whoever adds a
// column decides here whether something waits for it.

/**
 * - `waits`: something starts again, or is held, until then. Moved with the clock in both directions, so that it lasts as long as it was meant to.
 * - `expires`: a right ends then. Moved back with the clock, so that it never lasts longer than promised; a clock that jumps ahead only ends it early.
 * - `since`: a period is measured from then. Moved with the clock in both directions.
 * - `latest`: nothing happens until some time after it. Never later than the clock.
 * - `schedule`: the next tick of a schedule. Found anew from the time that the clock shows now.
 * - `chosen`: people named that moment. Stays.
 * - `past`: tells when something happened; nobody waits for it.
 * - `{ with }`: moved together with that column.
 */
export type TimeRule = 'waits' | 'expires' | 'since' | 'latest' | 'schedule' | 'chosen' | 'past' | { with: string }

export const timeColumns: Readonly<Record<string, Readonly<Record<string, TimeRule>>>> = {
  account_links: { expires_at: 'expires' },
  accounts: { created_at: 'past', modified_at: 'past' },
  activity_deltas: { minute: 'past', succeeded_at: 'past', received_at: 'past' },
  activity_hours: { starts_at: 'past' },
  activity_minutes: { starts_at: 'past' },
  activity_quarters: { starts_at: 'past' },
  alarms: { raised_at: 'past', acknowledged_at: 'past', cleared_at: 'past' },
  api_keys: { expires_at: 'chosen', last_used_at: 'past', created_at: 'past', reveal_until: 'expires' },
  audit_log: { at: 'past' },
  catalog_items: { created_at: 'past' },
  connection_tokens: {
    obtained_at: { with: 'expires_at' },
    expires_at: 'expires',
    lease_until: 'waits',
    failed_at: 'latest',
  },
  content_stores: { created_at: 'past' },
  data_keys: { created_at: 'past' },
  database_clock: { seen_at: 'past' },
  deleted_connections: { deleted_at: 'past' },
  event_deliveries: { created_at: 'past', due_at: 'waits' },
  event_subscriptions: { last_delivered_at: 'past', created_at: 'past', modified_at: 'past' },
  events: { mail_after: 'waits' },
  expectations: { last_seen_at: 'since' },
  item_samples: { at: 'past' },
  jobs: { queued_at: 'latest', due_at: 'waits', taken_at: 'latest', heartbeat_at: 'latest' },
  leases: { until: 'waits' },
  mails: { created_at: 'past', sent_at: 'past' },
  master_keys: { created_at: 'past' },
  migrations: { applied_at: 'past' },
  oauth_states: { expires_at: 'expires' },
  organization_arrivals: { arrived_at: 'past' },
  organization_moves: {
    began_at: 'past',
    frozen_at: 'past',
    moved_at: 'past',
    erased_at: 'past',
    settled_at: 'latest',
  },
  organizations: { created_at: 'past' },
  reconnect_links: { expires_at: 'expires' },
  registered_applications: {
    faulted_at: 'past',
    fault_mailed_at: 'latest',
    quiet_until: 'waits',
    last_used_at: 'past',
    next_check_at: 'waits',
    created_at: 'past',
    modified_at: 'past',
  },
  replays: { created_at: 'past' },
  run_blocks: { started_at: 'past', ended_at: 'past' },
  run_writes: { sent_at: 'past' },
  runs: { created_at: 'past', ended_at: 'past', date_last_run: 'past', counts_from: 'past' },
  search_segments: { oldest: 'past', newest: 'past' },
  sessions: { created_at: 'past', expires_at: 'expires' },
  shares: { touched_at: 'past', last_download_at: 'past', created_at: 'past', expires_at: 'expires' },
  sign_in_attempts: { blocked_until: 'waits' },
  sign_in_rates: { counted_at: 'latest' },
  storage_measures: { measured_at: 'latest' },
  stream_events: { happened_at: 'past', created_at: 'past' },
  stream_interest: { wanted_until: 'waits' },
  tags: { created_at: 'past' },
  take_back_links: { expires_at: 'expires' },
  template_upgrade_items: { watched_until: 'waits' },
  template_upgrades: { created_at: 'past', ended_at: 'past', wave_due_at: 'waits' },
  vault_entries: { created_at: 'past', modified_at: 'past' },
  webhook_answers: { created_at: 'past' },
  webhook_deliveries: { created_at: 'past' },
  webhook_history: { created_at: 'past', left_at: 'past', due_at: 'past' },
  webhook_queue: { due_at: 'waits', created_at: 'past', modified_at: 'past' },
  webhook_refusals: { at: 'past' },
  webhook_refusal_hours: { hour: 'past' },
  webhook_replays: { created_at: 'past', search_from: 'chosen', search_to: 'chosen', cursor_at: 'past' },
  webhook_requests: { created_at: 'past' },
  webhook_samples: { created_at: 'past' },
  webhooks: { previous_secret_until: 'expires', modified_at: 'past' },
  workflow_bases: { created_at: 'past' },
  workflow_revisions: { created_at: 'past' },
  workflows: {
    next_run_at: 'schedule',
    date_last_run: 'past',
    created_at: 'past',
    modified_at: 'past',
    schedule_last_tick: { with: 'next_run_at' },
    next_try_at: 'waits',
    missed_tick: 'past',
    failing_since: 'past',
    paused_since: 'past',
    deleting_until: 'waits',
  },
  write_probe: { probed_at: 'past' },
}
