// A year with ten million runs, and a thousand managed accounts.
import { createClient } from '@patchbay/sdk'
import type pg from 'pg'
import { medianOf } from './measure.ts'
import { connectOwner } from './owner.ts'
import type { Row } from './report.ts'
import { newDataDir, startBenchService } from './service.ts'

const accountCount = 1_000
const runsPerHour = 1_142
const times = 15

export async function benchStatistics(): Promise<Row[]> {
  using dataDir = newDataDir()
  await using service = await startBenchService(dataDir.path)
  const client = createClient({
    baseUrl: service.baseUrl,
    keys: { consumer: service.keys.Consumer, secretKey: service.keys.SecretKey },
  })
  const owner = await connectOwner(dataDir.path)
  await fill(owner)
  await owner.end()
  const year = {
    searchFrom: new Date(Date.now() - 365 * 86_400_000).toISOString(),
    searchTo: new Date().toISOString(),
    bucket: 'day' as const,
  }
  const { total } = await client.call('RunStatistics', { body: { ...year, acrossAccounts: true } })
  if (total.ready < 9_500_000) throw new Error(`The year has ${total.ready} runs only.`)
  return [
    await row('statistics of a year, ten million runs, p50', 100, () =>
      client.call('RunStatistics', { body: { ...year, acrossAccounts: true } }),
    ),
    await row('the same in a zone of half hours, p50', 100, () =>
      client.call('RunStatistics', { body: { ...year, acrossAccounts: true, timeZone: 'Asia/Kolkata' } }),
    ),
    await row(`overview of ${accountCount} accounts, p50`, 200, () =>
      client.call('Overview', { body: { acrossAccounts: true } }),
    ),
    await row(`usage of ${accountCount} accounts, a month by days, p50`, 1000, () =>
      client.call('Usage', {
        body: { ...year, searchFrom: new Date(Date.now() - 30 * 86_400_000).toISOString(), acrossAccounts: true },
      }),
    ),
  ]
}

async function row(what: string, wantedMs: number, ask: () => Promise<unknown>): Promise<Row> {
  const taken: number[] = []
  for (let time = 0; time < times; time++) {
    const startedAt = performance.now()
    await ask()
    taken.push(performance.now() - startedAt)
  }
  const ms = medianOf(taken)
  return { what, measured: `${ms.toFixed(1)} ms`, wanted: `under ${wantedMs} ms`, isMet: ms < wantedMs }
}

/** Thirty buckets of durations in every hour: as many as a busy organization has. */
async function fill(owner: pg.Client): Promise<void> {
  await owner.query(`
    insert into accounts (id, organization_id, email, first_name, last_name, role, state)
      select gen_random_uuid(), (select id from organizations limit 1), 'bench' || n || '@example.com', 'a', 'b', 'User', 'active'
      from generate_series(1, ${accountCount}) n;
    insert into workflows (id, organization_id, account_id, state, name, description, is_customized_structure, is_failing)
      select gen_random_uuid(), organization_id, id, 'deployed', 'w' || n, '', true, n = 1 from accounts, generate_series(1, 10) n;
    insert into usage_days (account_id, day, runs) select id, current_date - n, 30 from accounts, generate_series(0, 364) n;
    analyze`)
  const durations = Array.from(
    { length: 30 },
    (_, index) => `\\\\x${(60 + index).toString(16).padStart(2, '0')}00000026`,
  )
  for (const [table, step, runs] of [
    ['activity_hours', '1 hour', runsPerHour],
    ['activity_quarters', '15 minutes', Math.round(runsPerHour / 4)],
  ] as const)
    await owner.query(`
      insert into ${table} (kind, scope_id, starts_at, account_id, ready, error, stopped, webhooks, durations)
      select 'organization', (select id from organizations limit 1), t, null, ${runs}, 3, 0, 100,
        ${durations.map((entry) => `'${entry.replace('\\\\', '\\')}'::bytea`).join(' || ')}
      from generate_series(date_trunc('hour', now()) - interval '365 days', now(), interval '${step}') t`)
  await owner.query('analyze')
}
