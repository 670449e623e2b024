// Jobs of an organization, in every queue. What they serve is rows of features, so each queue has its own way of saying whose a job is. Checks of
// connections are left out: their jobs gather connections of many accounts, and what one misses the next one does.
import type pg from 'pg'
import { mailQueue } from '../../mail/index.ts'
import { replayQueue } from '../../replay/index.ts'
import { runQueue } from '../../runs/index.ts'
import { upgradeQueue } from '../../upgrades/index.ts'
import { webhookCheckQueue, webhookReplayQueue } from '../../webhooks/index.ts'
import { fillIn, type Organization } from './tables.ts'

/** Beyond anything that is really planned. Shifted by this, rows are due to nobody, and their time can be told again. */
const longTime = "interval '100 years'"
const isPutOff = (column: string) => `${column} > now() + interval '50 years'`

const ownJobs = (organization: Organization) =>
  fillIn(
    `(queue = '${runQueue}' and group_id = any(:accounts)
      or queue = '${webhookCheckQueue}' and data->>'accountId' = any((:accounts)::text[])
      or queue = '${mailQueue}' and (data->>'mailId')::uuid in
        (select id from patchbay.mails where account_id = any(:accounts) and status in ('Held', 'Queued'))
      or queue = '${upgradeQueue}' and (data->>'id')::uuid in (select id from patchbay.template_upgrades where organization_id = :organization)
      or queue = '${replayQueue}' and (data->>'replayId')::uuid in (select id from patchbay.replays where account_id = any(:accounts))
      or queue = '${webhookReplayQueue}' and (data->>'replayId')::uuid in
        (select id from patchbay.webhook_replays where account_id = any(:accounts)))`,
    organization,
  )

/** Rows that somebody looks for when they are due, without a job. */
const dueRows = [
  { table: 'event_deliveries', column: 'due_at', whose: 'organization_id = :organization' },
  { table: 'registered_applications', column: 'next_check_at', whose: 'account_id = any(:accounts)' },
  { table: 'events', column: 'mail_after', whose: 'account_id = any(:accounts)' },
]

/** Nothing of it is taken by anybody until it is called back. What was filed since the last time is put off by the next. */
export async function putOffWork(client: pg.Client, organization: Organization): Promise<void> {
  await client.query(
    `update jobs set is_held = true where state <> 'active' and not is_held and ${ownJobs(organization)}`,
  )
  for (const { table, column, whose } of dueRows)
    await client.query(`update ${table} set ${column} = ${column} + ${longTime}
      where ${column} is not null and not ${isPutOff(column)} and ${fillIn(whose, organization)}`)
}

export async function callBackWork(client: pg.Client, organization: Organization): Promise<void> {
  await client.query(`update jobs set is_held = false where is_held and ${ownJobs(organization)}`)
  for (const { table, column, whose } of dueRows)
    await client.query(
      `update ${table} set ${column} = ${column} - ${longTime} where ${isPutOff(column)} and ${fillIn(whose, organization)}`,
    )
}

/** The time as it was before the work was put off. */
export function calledBack(column: string): string {
  return `case when ${isPutOff(column)} then ${column} - ${longTime} else ${column} end`
}

export const putOffColumns: Readonly<Record<string, string>> = Object.fromEntries(
  dueRows.map(({ table, column }) => [table, column]),
)

/** In words, what somebody has in hand at this moment. A worker that is gone is no longer heard of. */
export async function listActive(client: pg.Client, organization: Organization): Promise<string[]> {
  const { rows } = await client.query<{ what: string }>(`
    select distinct case queue when '${runQueue}' then 'runs' when '${mailQueue}' then 'e-mails' else queue end as what from jobs
    where state = 'active' and ${ownJobs(organization)}`)
  return rows.map(({ what }) => what)
}

export async function jobColumns(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    `select attname::text as name from pg_attribute
     where attrelid = 'jobs'::regclass and attnum > 0 and not attisdropped and attgenerated = '' order by attnum`,
  )
  return rows.map(({ name }) => name)
}

/** As the other cell files them: for anybody to take. */
export function selectJobs(columns: readonly string[], organization: Organization): string {
  const list = columns.map((column) => (column === 'is_held' ? 'false as is_held' : column))
  return `select ${list.join(', ')} from jobs where state <> 'active' and ${ownJobs(organization)}`
}

export async function deleteJobs(client: pg.Client, organization: Organization): Promise<void> {
  await client.query(`delete from jobs where ${ownJobs(organization)}`)
}
