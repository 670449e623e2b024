// Ten thousand workflows that are scheduled every minute: how long after their minute they start.
import { createClient } from '@patchbay/sdk'
import type pg from 'pg'
import { connectOwner } from './owner.ts'
import type { Row } from './report.ts'
import { deployBlocks } from './runs.ts'
import { newDataDir, startBenchService } from './service.ts'

const schedules = 10_000

export async function benchSchedules(): Promise<Row[]> {
  using dataDir = newDataDir()
  await using service = await startBenchService(dataDir.path)
  const { Consumer: consumer, SecretKey: secretKey } = service.keys
  const client = createClient({ baseUrl: service.baseUrl, keys: { consumer, secretKey } })
  const workflowId = await deployBlocks(client, 1)
  const body = { workflowId, isScheduled: true, scheduleFrequency: '* * * * *' }
  await client.call('WorkflowScheduler', { body })
  const owner = await connectOwner(dataDir.path)
  try {
    await multiply(owner)
    // The first minute warms up; the one after it counts.
    const { delays, isComplete } = await delaysOfMinute(owner, await untilMinutesFromNow(2))
    const [median, longest] = [delays[Math.floor(delays.length / 2)] ?? Number.NaN, delays.at(-1) ?? Number.NaN]
    const started = `${delays.length} of ${schedules} started`
    return [
      {
        what: `${schedules} schedules of one minute, last start after the minute`,
        measured: `${longest.toFixed(1)} s (${started})`,
        wanted: 'within 15 s',
        isMet: longest <= 15 && isComplete,
      },
      {
        what: 'the same, median',
        measured: `${median.toFixed(1)} s`,
        wanted: 'under 5 s',
        isMet: median < 5 && isComplete,
      },
    ]
  } finally {
    await owner.end()
  }
}

/** The one workflow becomes many. */
async function multiply(owner: pg.Client): Promise<void> {
  await owner.query(
    `with copies as materialized (select w, gen_random_uuid() as id from workflows w, generate_series(2, $1::integer)),
     made as (
       insert into workflows (id, organization_id, account_id, state, revision, name, description, is_customized_structure, applications,
         is_scheduled, schedule_frequency, schedule_time_zone, next_run_at)
       select c.id, (w).organization_id, (w).account_id, (w).state, (w).revision, (w).name, (w).description, (w).is_customized_structure, (w).applications,
         (w).is_scheduled, (w).schedule_frequency, (w).schedule_time_zone, (w).next_run_at from copies c
     )
     insert into workflow_revisions (workflow_id, revision, account_id, definition, sealed_secrets, reason)
     select c.id, r.revision, r.account_id, r.definition, r.sealed_secrets, r.reason from copies c join workflow_revisions r on r.workflow_id = (w).id`,
    [schedules],
  )
  await owner.query('vacuum analyze workflows')
}

/** The minute that began last once so many have. */
async function untilMinutesFromNow(minutes: number): Promise<Date> {
  const minute = new Date(Math.ceil(Date.now() / 60_000) * 60_000 + (minutes - 1) * 60_000)
  await new Promise((done) => setTimeout(done, minute.getTime() - Date.now()))
  return minute
}

/** In seconds, ascending, once all have started or the minute is over. */
async function delaysOfMinute(owner: pg.Client, minute: Date): Promise<{ delays: number[]; isComplete: boolean }> {
  for (;;) {
    const { rows } = await owner.query<{ delay: number }>(
      `select extract(epoch from created_at - $1::timestamptz)::float8 as delay from runs
       where created_at >= $1 and created_at < $1::timestamptz + interval '1 minute' and run_by = 'Scheduler' order by 1`,
      [minute],
    )
    const isComplete = rows.length >= schedules
    if (isComplete || Date.now() > minute.getTime() + 60_000)
      return { delays: rows.map(({ delay }) => delay), isComplete }
    await new Promise((done) => setTimeout(done, 1000))
  }
}
