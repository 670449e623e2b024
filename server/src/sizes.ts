// npm run admin -- sizes: what takes the space, and which setting bounds it.
import { type Database, sql } from './db/index.ts'

/** What each large table holds, and how long. */
const meaning: Record<string, string> = {
  runs: 'runs: PATCHBAY_RUN_RETENTION_DAYS, PATCHBAY_RUN_RETENTION_COUNT',
  run_blocks: 'results and logs of blocks: same as runs',
  run_items: 'items of blocks: same as runs',
  run_item_lists: 'lists of items: same as runs',
  failed_items: 'items that failed: until retried, dismissed or 90 days old',
  remembered_items: 'keys of items that forEach.once skips, with their results: until their days are over',
  run_recordings: 'what replays need: the setting replayRuns of a workflow',
  webhook_requests: 'payloads of webhook requests: PATCHBAY_RUN_RETENTION_DAYS',
  webhook_history: 'webhook requests that left the queue: PATCHBAY_RUN_RETENTION_DAYS',
  webhook_queue: 'webhook requests in the queue',
  search_segments: 'the index of SearchRuns: same as runs',
  audit_log: 'the audit log: PATCHBAY_AUDIT_RETENTION_YEARS',
  audit_chain: 'hash chain of the audit log: same as the audit log',
  alarms: 'alarms: open ones, and cleared ones for PATCHBAY_ALARM_RETENTION_DAYS',
  activity_minutes: 'run totals by minute: 35 days',
  activity_quarters: 'run totals by quarter of an hour: PATCHBAY_STATISTICS_RETENTION_YEARS',
  activity_hours: 'run totals by hour: PATCHBAY_STATISTICS_RETENTION_YEARS',
  usage_days: 'usage by account and day: PATCHBAY_USAGE_RETENTION_YEARS',
  mails: 'the outbox: sent and failed e-mails for PATCHBAY_RUN_RETENTION_DAYS',
  vault_entries: 'vault: kept until deleted',
  workflow_revisions: 'revisions of workflows: replaced ones for PATCHBAY_REVISION_RETENTION_DAYS',
  stream_events: 'events of open streams: 15 minutes',
  kept_contents: 'contents that came with a backup or from another cell: same as runs',
  file_pieces: 'files of shares in the database: until the share expires',
}

type Size = { name: string; bytes: number; rows: number; parts: number }

export async function describeSizes(database: Database): Promise<string> {
  const { rows } = await database.system.query<Size>(sql`
    select root.relname as name, sum(pg_total_relation_size(c.oid))::float8 as bytes, sum(greatest(c.reltuples, 0))::float8 as rows, count(*)::int as parts
    from pg_class c join pg_namespace n on n.oid = c.relnamespace join pg_class root on root.oid = coalesce(pg_partition_root(c.oid), c.oid)
    where n.nspname = 'patchbay' and c.relkind = 'r' group by 1 order by 2 desc`)
  const { rows: whole } = await database.system.query<{ bytes: number }>(
    sql`select pg_database_size(current_database())::float8 as bytes`,
  )
  const lines = rows
    .filter(({ bytes }) => bytes >= 65_536)
    .map(({ name, bytes, rows: count, parts }) => {
      const tables = parts > 1 ? `${parts} tables` : ''
      return `${inWords(bytes).padStart(9)}  ${Math.round(count).toLocaleString('en').padStart(13)}  ${name.padEnd(24)} ${[meaning[name], tables].filter(Boolean).join(', ')}`
    })
  const contents = await describeContents(database)
  return [
    `${'Size'.padStart(9)}  ${'Rows, about'.padStart(13)}  Table`,
    ...lines,
    `${inWords(whole[0]?.bytes ?? 0).padStart(9)}  the whole database`,
    ...contents,
  ].join('\n')
}

/** What rows refer to outside the database; nothing where no contents were ever put elsewhere. */
async function describeContents(database: Database): Promise<string[]> {
  const { rows: stores } = await database.system.query<{ url: string }>(
    sql`select url from content_stores order by created_at desc`,
  )
  if (stores.length === 0) return []
  const { rows } = await database.system.query<{ bytes: number }>(sql`
    select coalesce(sum(bytes), 0)::float8 as bytes from (
      select coalesce(content_bytes(result), 0) + coalesce(content_bytes(log), 0) + coalesce(content_bytes(session), 0) + coalesce(content_bytes(calls), 0) as bytes
      from run_blocks
      union all select coalesce(content_bytes(sealed_tape), 0) from run_recordings
      union all select content_bytes(sealed_request) from webhook_requests
      union all select content_bytes(sealed_request) from webhook_samples
    ) c`)
  const places = stores.map(({ url }) => url).join(', ')
  return [`${inWords(rows[0]?.bytes ?? 0).padStart(9)}  large contents outside it, in ${places}: same as runs`]
}

function inWords(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB']
  const step = Math.min(units.length - 1, Math.floor(Math.log2(Math.max(1, bytes)) / 10))
  const value = bytes / 1024 ** step
  return `${value.toFixed(value < 10 && step > 0 ? 1 : 0)} ${units[step]}`
}
