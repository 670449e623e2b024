// What a person should look at, in one list: newest first, each with the sentence that says what is wrong. What belongs to one incident is one
// entry: a workflow that is paused, or fails, because a connection is faulted is told by the connection, and one that was paused because it kept
// failing is told by its pause.
import type { AnswerOf, Operations } from '@patchbay/contract'
import { accountName, accountsInReach, type Reach } from '../access/index.ts'
import { type Queryable, type Sql, sql } from '../db/index.ts'

type Attention = AnswerOf<Operations['Overview']>['attention'][number]
type Row = {
  kind: Attention['kind']
  account_id: string
  account_name: string
  email: string
  target_id: string
  title: string
  message: string
  since: Date | null
}

/** A request that waits longer than this is not simply next. */
const waitsLong = sql`interval '1 hour'`

const pausedByHand = 'Somebody paused its automatic runs.'

const messageCharactersMax = 1_000

/** What may be stored, in bytes. */
export type StorageQuotas = { accountBytesMax: number; organizationBytesMax: number }

export async function listAttention(
  db: Queryable,
  reach: Reach,
  quotas: StorageQuotas,
  itemsMax: number,
): Promise<Attention[]> {
  const inReach = accountsInReach(reach)
  const parts = [inactiveAccounts, workflowsInTrouble, connectionsInTrouble, requestsInTrouble, mails, openAlarms].map(
    (part) => part(inReach),
  )
  parts.push(storageUsedUp(inReach, quotas))
  const found = await Promise.all(
    parts.map((part) =>
      db.query<Row>(sql`
        select p.*, ${accountName} as account_name, a.email
        from (select * from (${part}) p order by since desc nulls last limit ${itemsMax}) p join accounts a on a.id = p.account_id`),
    ),
  )
  const shown = found
    .flatMap(({ rows }) => rows)
    .sort((one, other) => (timeOf(one) === timeOf(other) ? 0 : timeOf(other) - timeOf(one)))
    .slice(0, itemsMax)
  const errors = await listLastErrors(
    db,
    shown.filter(({ kind }) => kind.startsWith('workflow.')).map((row) => row.target_id),
  )
  return shown.map((row) => ({
    kind: row.kind,
    accountId: row.account_id,
    accountName: row.account_name,
    accountEmail: row.email,
    targetId: row.target_id,
    title: row.title,
    message: describe(row, errors),
    sinceDateTimeUTC: row.since?.toISOString() ?? null,
  }))
}

function describe({ kind, target_id: id, message }: Row, errors: ReadonlyMap<string, string>): string {
  const error = kind.startsWith('workflow.') ? errors.get(id) : undefined
  if (error === undefined || message === pausedByHand) return message
  return kind === 'workflow.paused' ? `${message} The last error: ${error}` : error
}

/** By workflow, what its last failed run ended with. */
async function listLastErrors(db: Queryable, workflowIds: readonly string[]): Promise<Map<string, string>> {
  if (workflowIds.length === 0) return new Map()
  const { rows } = await db.query<{ id: string; message: string }>(sql`
    select w.id, r.message from unnest(${workflowIds}::uuid[]) as w (id) cross join lateral (
      select left(r.error_message, ${messageCharactersMax}) as message from runs r
      where r.workflow_id = w.id and r.status = 'Error' and r.error_message is not null order by r.run_number desc limit 1
    ) r`)
  return new Map(rows.map(({ id, message }) => [id, message]))
}

function workflowsInTrouble(inReach: Sql): Sql {
  return sql`
    select 'workflow.failing' as kind, w.account_id, w.id as target_id, w.name as title,
      'The last run (' || coalesce(w.last_run_number, 0) || ') failed.' as message, w.failing_since as since
    from accounts a join workflows w on w.account_id = a.id
    where ${inReach} and w.is_failing and w.state = 'deployed' and not w.is_auto_run_paused and not has_faulted_application(w.id)
    union all
    select 'workflow.paused', w.account_id, w.id, w.name, case when w.next_try_at = 'infinity' then ${pausedByHand} else 'Automatic runs are paused after ten failures in a row.' end, w.paused_since
    from accounts a join workflows w on w.account_id = a.id
    where ${inReach} and w.is_auto_run_paused and w.state = 'deployed' and not has_faulted_application(w.id)`
}

/** An archived account is meant to rest; of any other somebody expects that its workflows run. */
function inactiveAccounts(inReach: Sql): Sql {
  return sql`
    select 'accountInactive' as kind, a.id as account_id, a.id as target_id, ${accountName} as title,
      'The account is ' || case a.state when 'locked' then 'locked' else 'not active yet' end || ', so ' || count(*)
        || case count(*) when 1 then ' workflow with a schedule or webhook does' else ' workflows with a schedule or webhook do' end
        || ' not run.' as message, max(w.modified_at) as since
    from accounts a join workflows w on w.account_id = a.id
    where ${inReach} and a.state not in ('active', 'archived') and w.state = 'deployed' and (w.is_scheduled or w.is_webhook_active)
    group by a.id`
}

function connectionsInTrouble(inReach: Sql): Sql {
  return sql`
    select 'connection.faulted' as kind, r.account_id, r.id as target_id, r.name as title, r.fault_message as message, r.faulted_at as since
    from accounts a join registered_applications r on r.account_id = a.id where ${inReach} and r.fault_message is not null
    union all
    select 'connection.waiting', r.account_id, r.id, r.name, 'This connection is not authorized yet.', r.created_at
    from accounts a join registered_applications r on r.account_id = a.id
    where ${inReach} and r.fault_message is null and not r.is_authenticated`
}

function requestsInTrouble(inReach: Sql): Sql {
  return sql`
    select 'webhook.givenUp' as kind, w.account_id, w.id as target_id, w.name as title,
      h.given_up || case h.given_up when 1 then ' webhook request was' else ' webhook requests were' end || ' given up after too many errors.'
        || coalesce(' The last error: ' || left(h.last_error, ${messageCharactersMax}), '') as message,
      h.since
    from (
      select h.account_id, h.workflow_id, count(*) as given_up, min(h.left_at) as since,
        (array_agg(h.error_message order by h.left_at desc))[1] as last_error
      from accounts a join webhook_history h on h.account_id = a.id where ${inReach} and h.is_given_up group by 1, 2
    ) h join workflows w on w.id = h.workflow_id
    union all
    select 'webhook.waiting', w.account_id, w.id, w.name,
      q.waiting || case q.waiting when 1 then ' webhook request has' else ' webhook requests have' end || ' waited for more than an hour.', q.since
    from (
      select q.account_id, q.workflow_id, count(*) as waiting, min(q.created_at) as since
      from accounts a join webhook_queue q on q.account_id = a.id where ${inReach} and q.created_at < now() - ${waitsLong} group by 1, 2
    ) q join workflows w on w.id = q.workflow_id`
}

function mails(inReach: Sql): Sql {
  return sql`
    select case m.status when 'Held' then 'mail.held' else 'mail.failed' end as kind, m.account_id, m.account_id as target_id, ${accountName} as title,
      count(*) || case m.status
        when 'Held' then case count(*) when 1 then ' e-mail is' else ' e-mails are' end || ' held: no mail server is configured.'
        else case count(*) when 1 then ' e-mail' else ' e-mails' end || ' could not be sent: ' || coalesce(max(m.error_message), '') end as message,
      min(m.created_at) as since
    from accounts a join mails m on m.account_id = a.id
    where ${inReach} and m.status in ('Held', 'Failed') group by m.status, m.account_id, a.id`
}

function openAlarms(inReach: Sql): Sql {
  return sql`
    select 'alarm' as kind, l.account_id, l.id as target_id, w.name as title, l.message, l.raised_at as since
    from accounts a join alarms l on l.account_id = a.id join workflows w on w.id = l.workflow_id where ${inReach} and l.is_open`
}

/** Nothing else works while it lasts, so it comes first. */
function storageUsedUp(inReach: Sql, { accountBytesMax, organizationBytesMax }: StorageQuotas): Sql {
  return sql`
    select 'storage.full' as kind, a.id as account_id, a.id as target_id, ${accountName} as title,
      'The storage quota of ' || case when s.bytes > ${accountBytesMax}::float8 then 'this account' else 'the organization' end
        || ' is used up: no runs start and nothing more is stored.' as message, null::timestamptz as since
    from accounts a left join account_storage s on s.account_id = a.id
    where ${inReach} and (s.bytes > ${accountBytesMax}::float8 or a.organization_id in (
      select b.organization_id from account_storage t join accounts b on b.id = t.account_id
      group by 1 having sum(t.bytes) > ${organizationBytesMax}::float8))`
}

function timeOf({ kind, since }: Row): number {
  return kind === 'storage.full' ? Number.POSITIVE_INFINITY : (since?.getTime() ?? 0)
}
