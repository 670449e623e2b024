// What waits or is wrong in the whole installation, read from the database when somebody looks. Every process tells the same, so that an
// alert works whichever process is asked: use max() over them, never sum().
import { Gauge, type Registry } from 'prom-client'
import { type Queryable, sql } from '../db/index.ts'
import { TimedCache } from '../lib/timed-cache.ts'

/** Several scrapers, or several looks within a moment, cost one query. */
const keptMs = 5_000

type Figure = { name: string; label: string | null; value: number }

const help = {
  queue_length: 'Jobs that wait in a queue and are due.',
  queue_oldest_seconds: 'Age of the oldest job that waits in a queue and is due.',
  webhook_requests_waiting: 'Webhook requests that were accepted and have not been run.',
  webhook_oldest_seconds: 'Age of the oldest webhook request that waits.',
  webhook_requests_given_up: 'Webhook requests in the history that failed too often.',
  connections: 'Registered applications by state.',
  workflows_failing: 'Deployed workflows whose last run failed.',
  workflows_paused: 'Deployed workflows whose automatic runs are paused.',
  outbox_mails: 'E-mails by status.',
  outbox_oldest_seconds: 'Age of the oldest e-mail that is queued for sending.',
  event_deliveries_waiting: 'Events that wait for delivery to an address.',
  schedule_lag_seconds: 'How late the most overdue schedule of an active account is.',
  database_clock_ahead_seconds:
    'How far the clock of the database is ahead of the clock of this machine; negative when it is behind.',
  search_feed_waiting: 'Batches that wait to be indexed for search.',
  activity_waiting: 'Counts that wait to be added to the totals.',
  audit_rows_unchained: 'Rows of the audit log of the last half hour that are not chained yet.',
  alarms_open: 'Alarms that are open.',
  migrations_applied: 'Migrations that the database has.',
  database_size_bytes: 'Size of the database.',
} as const
/** What the label of a figure means, for those that have one. */
const labels: Partial<Record<keyof typeof help, string>> = {
  queue_length: 'queue',
  queue_oldest_seconds: 'queue',
  connections: 'state',
  outbox_mails: 'status',
}

export function addStoredMetrics(registry: Registry, db: Queryable, queues: readonly string[]): void {
  const cache = new TimedCache<Figure[]>(keptMs, 1)
  // A database that is away is told by readiness and by missing figures; old ones would be wrong.
  const figures = () => cache.get('all', () => readFigures(db, queues).catch(() => []))
  for (const [name, text] of Object.entries(help)) {
    const label = labels[name as keyof typeof help]
    new Gauge({
      name: `patchbay_${name}`,
      help: text,
      labelNames: label === undefined ? [] : [label],
      registers: [registry],
      // Processes that are read as one all tell the same.
      aggregator: 'max',
      async collect() {
        this.reset()
        const found = (await figures()).filter((figure) => figure.name === name)
        // A gauge without labels that is reset says 0; without a figure it says nothing.
        if (found.length === 0 && label === undefined) this.remove()
        for (const { label: value, value: amount } of found)
          if (label === undefined) this.set(amount)
          else this.set({ [label]: value ?? '' }, amount)
      },
    })
  }
}

async function readFigures(db: Queryable, queues: readonly string[]): Promise<Figure[]> {
  const { rows } = await db.query<Figure>(sql`
    with due as (
      select queue, queued_at as since from jobs where state = 'waiting' and not is_held
      union all select queue, due_at from jobs where state = 'parked' and not is_held and due_at is not null and due_at <= now()),
    queues as (select name, count(queue) as length, min(since) as oldest from unnest(${queues}::text[]) as q (name) left join due on queue = name group by name),
    hooks as (select count(*) as length, min(created_at) as oldest from webhook_queue)
    select name, label, value::float8 from (
      select 'queue_length' as name, name as label, length::float8 as value from queues
      union all select 'queue_oldest_seconds', name, coalesce(greatest(0, extract(epoch from now() - oldest)), 0) from queues
      union all select 'webhook_requests_waiting', null, length from hooks
      union all select 'webhook_oldest_seconds', null, coalesce(greatest(0, extract(epoch from now() - oldest)), 0) from hooks
      union all select 'webhook_requests_given_up', null, count(*) from webhook_history where is_given_up
      union all select 'connections', case when fault_message is not null then 'faulted' when is_authenticated then 'ok' else 'waiting' end, count(*)
        from registered_applications group by 2
      union all select 'workflows_failing', null, count(*) from workflows where state = 'deployed' and is_failing
      union all select 'workflows_paused', null, count(*) from workflows where state = 'deployed' and is_auto_run_paused
      union all select 'outbox_mails', s.status, (select count(*) from mails m where m.status = s.status) from (values ('Held'), ('Queued'), ('Failed')) as s (status)
      union all select 'outbox_oldest_seconds', null, coalesce(greatest(0, extract(epoch from now() - min(created_at))), 0) from mails where status = 'Queued'
      union all select 'event_deliveries_waiting', null, count(*) from event_deliveries
      union all select 'schedule_lag_seconds', null, greatest(0, extract(epoch from now() - min(w.next_run_at)),
          -- A clock that was set back hides what is late until somebody has moved it.
          case when count(*) > 0 then (select extract(epoch from seen_at - clock_timestamp()) from database_clock) end)
        from workflows w join accounts a on a.id = w.account_id where w.is_scheduled and w.state = 'deployed' and a.state = 'active'
      union all select 'database_clock_ahead_seconds', null, extract(epoch from clock_timestamp()) - ${Date.now()}::float8 / 1000
      union all select 'search_feed_waiting', null, count(*) from search_feed
      union all select 'activity_waiting', null, count(*) from activity_deltas
      union all select 'audit_rows_unchained', null, count(*) from audit_log a
        where a.at > now() - interval '30 minutes' and not exists (select from audit_chain c where c.audit_id = a.id)
      union all select 'alarms_open', null, count(*) from alarms where is_open
      union all select 'migrations_applied', null, count(*) from migrations
      union all select 'database_size_bytes', null, pg_database_size(current_database())
    ) figures`)
  return rows
}
