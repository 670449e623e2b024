import type { WebhookSignature } from '@patchbay/contract'
import { type Queryable, type Sql, sql } from '../../db/index.ts'

export type OpenWebhook = {
  workflowId: string
  accountId: string
  organizationId: string
  version: string
  isInDevelopment: boolean
  strictOrderProcessing: boolean
  orderKey: string
  respondWith: 'accepted' | 'result'
  respondSeconds: number
  ipRestriction: string[]
  signature: WebhookSignature | null
  sealedSecret: Buffer
  sealedPreviousSecret: Buffer | null
  previousSecretUntil: Date | null
}

/** By its id alone: a sender knows no account. Undefined for every reason not to take a request. */
export async function findOpenWebhook(db: Queryable, workflowId: string): Promise<OpenWebhook | undefined> {
  const { rows } = await db.query<{
    workflow_id: string
    account_id: string
    organization_id: string
    version: string
    state: string
    is_strict_order: boolean
    order_key: string
    respond_with: 'accepted' | 'result'
    respond_seconds: number
    ip_restriction: string[]
    signature: WebhookSignature | null
    sealed_secret: Buffer
    sealed_previous_secret: Buffer | null
    previous_secret_until: Date | null
  }>(sql`
    select h.workflow_id, h.account_id, a.organization_id, h.version, w.state, h.is_strict_order, h.order_key, h.respond_with, h.respond_seconds, h.ip_restriction, h.signature, h.sealed_secret,
      h.sealed_previous_secret, h.previous_secret_until
    from webhooks h join workflows w on w.id = h.workflow_id join accounts a on a.id = h.account_id
    where h.workflow_id = ${workflowId} and w.is_webhook_active and w.state <> 'archived' and a.state = 'active'`)
  const row = rows[0]
  return (
    row && {
      workflowId: row.workflow_id,
      accountId: row.account_id,
      organizationId: row.organization_id,
      version: row.version,
      isInDevelopment: row.state === 'inDevelopment',
      strictOrderProcessing: row.is_strict_order,
      orderKey: row.order_key,
      respondWith: row.respond_with,
      respondSeconds: row.respond_seconds,
      ipRestriction: row.ip_restriction,
      signature: row.signature,
      sealedSecret: row.sealed_secret,
      sealedPreviousSecret: row.sealed_previous_secret,
      previousSecretUntil: row.previous_secret_until,
    }
  )
}

export type NewRequest = {
  id: string
  workflowId: string
  accountId: string
  version: string
  /** Digest of the sender's delivery id. */
  delivery: string | null
  lane: string | null
  /** As it was before it was sealed. */
  packed: Buffer
  sealedRequest: Buffer
}

export type StoredRequest =
  | { kind: 'stored'; webhookId: string }
  /** The sender had delivered it before. */
  | { kind: 'duplicate'; webhookId: string }
  /** The settings it was checked against are not in force any more, or are being changed. */
  | { kind: 'stale' }

/** What a batch became, and the accounts of which something can start now. */
export type StoredBatch = { stored: StoredRequest[]; accountIds: string[] }

/**
 * Stores requests that no delivery id marks as repeated, in one statement. Settings that are being changed are passed over instead of
 * waited for: one account's change must not hold up the requests of all.
 */
/** One that was stored although nobody heard of it, wherever it has got to since. */
export async function hasRequest(
  db: Queryable,
  { id, workflowId }: Pick<NewRequest, 'id' | 'workflowId'>,
): Promise<boolean> {
  const { rowCount } = await db.query(sql`
    select from webhook_queue where webhook_id = ${id} and workflow_id = ${workflowId}
    union all select from webhook_history where webhook_id = ${id} and workflow_id = ${workflowId}`)
  return rowCount > 0
}

export async function insertRequests(
  db: Queryable,
  requests: readonly NewRequest[],
  deliveryDays: number,
): Promise<StoredBatch> {
  // Only what was not stored is named: reading a row of an answer costs as much as many a step of taking a request.
  const { rows } = await db.query<{ id: string | null; is_repeated: boolean; account_id: string | null }>(
    insertStatement(requests, deliveryDays),
  )
  const refused = new Map(rows.flatMap(({ id, is_repeated }) => (id === null ? [] : [[id, is_repeated]])))
  const accountIds = [...new Set(rows.flatMap(({ account_id }) => account_id ?? []))]
  const repeated = refused.size > 0 ? requests.filter(({ id }) => refused.get(id) === true) : []
  const first = repeated.length > 0 ? await findDeliveries(db, repeated) : new Map<string, string>()
  // The answer to a first try may have been lost, and the settings changed since: looked at again, such a request would be stored twice.
  const unfitting = [...refused].flatMap(([id, isRepeated]) => (isRepeated ? [] : [id]))
  const known = unfitting.length > 0 ? await listKnown(db, unfitting) : new Set<string>()
  const stored = requests.map(({ id, workflowId, delivery }): StoredRequest => {
    if (!refused.has(id) || known.has(id)) return { kind: 'stored', webhookId: id }
    const webhookId = first.get(`${workflowId} ${delivery}`)
    return webhookId === undefined ? { kind: 'stale' } : { kind: 'duplicate', webhookId }
  })
  return { stored, accountIds }
}

function insertStatement(requests: readonly NewRequest[], deliveryDays: number): Sql {
  // The driver would write an array of bytes as text, twice as long: they travel as one value and are cut apart there.
  const lengths = requests.map(({ sealedRequest }) => sealedRequest.length)
  let start = 1
  const starts = lengths.map((length) => {
    const at = start
    start += length
    return at
  })
  const bytes = Buffer.concat(requests.map(({ sealedRequest }) => sealedRequest))
  return sql`
    with given as materialized (
      select * from unnest(
        ${listOf(requests.map(({ id }) => id))}::uuid[],
        ${listOf(requests.map(({ workflowId }) => workflowId))}::uuid[],
        ${listOf(requests.map(({ version }) => version))}::uuid[],
        ${listOf(requests.map(({ delivery }) => delivery ?? 'null'))}::uuid[],
        ${requests.map(({ lane }) => lane)}::text[],
        ${listOf(starts)}::integer[],
        ${listOf(lengths)}::integer[]
      ) with ordinality as g (id, workflow_id, version, delivery, lane, starts, length, position)
    ), open_webhooks as materialized (
      select h.workflow_id, h.account_id, h.version, not (h.is_held or w.is_auto_run_paused) as can_start
      from webhooks h join workflows w on w.id = h.workflow_id join accounts a on a.id = h.account_id
      where h.workflow_id = any(${[...new Set(requests.map(({ workflowId }) => workflowId))]}::uuid[])
        and w.is_webhook_active and w.state = 'deployed' and a.state = 'active'
      for key share of h, w skip locked
    ), fitting as materialized (
      select g.*, o.account_id from given g join open_webhooks o on o.workflow_id = g.workflow_id and o.version = g.version
    ), marked as (
      insert into webhook_deliveries as d (workflow_id, delivery, account_id, webhook_id, created_at)
      select f.workflow_id, f.delivery, f.account_id, f.id, statement_timestamp() from fitting f where f.delivery is not null
      order by f.workflow_id, f.delivery
      on conflict (workflow_id, delivery) do update set webhook_id = excluded.webhook_id, created_at = excluded.created_at
        where d.created_at < excluded.created_at - ${deliveryDays}::integer * interval '1 day'
      returning webhook_id
    ), kept as materialized (
      select f.*, row_number() over (partition by f.workflow_id, f.lane order by f.position) as turn
      from fitting f where f.delivery is null or f.id in (select webhook_id from marked)
    ), stored as (
      insert into webhook_requests (id, account_id, workflow_id, created_at, sealed_request)
      select k.id, k.account_id, k.workflow_id, statement_timestamp(), substring(${bytes}::bytea from k.starts for k.length) from kept k
    ), counted as (
      insert into activity_deltas (account_id, workflow_id, minute, webhooks, received_at)
      select k.account_id, k.workflow_id, date_trunc('minute', statement_timestamp()), count(*), statement_timestamp() from kept k group by 1, 2
    ), queued as (
      insert into webhook_queue (webhook_id, account_id, workflow_id, lane, is_ready, due_at, created_at, modified_at)
      select k.id, k.account_id, k.workflow_id, k.lane,
        k.lane is null or (k.turn = 1 and not exists (select from webhook_queue q where q.workflow_id = k.workflow_id and q.lane = k.lane)),
        statement_timestamp(), statement_timestamp(), statement_timestamp()
      from kept k order by k.position
    ), fed as (
      insert into search_feed (kind, ids) select 'webhook', array_agg(k.id) from kept k having count(*) > 0
    )
    select g.id, f.id is not null as is_repeated, null::uuid as account_id from given g left join fitting f on f.id = g.id
    where g.id not in (select id from kept)
    union all select null, null, account_id from open_webhooks where can_start`
}

/** As the database writes lists of values that need no quotes. The driver would look into each of them for what must be escaped. */
function listOf(values: readonly (string | number)[]): string {
  return `{${values.join(',')}}`
}

async function listKnown(db: Queryable, ids: readonly string[]): Promise<Set<string>> {
  const { rows } = await db.query<{ id: string }>(sql`select id from webhook_requests where id = any(${ids}::uuid[])`)
  return new Set(rows.map((row) => row.id))
}

async function findDeliveries(db: Queryable, requests: readonly NewRequest[]): Promise<Map<string, string>> {
  const { rows } = await db.query<{ workflow_id: string; delivery: string; webhook_id: string }>(sql`
    select d.workflow_id, d.delivery, d.webhook_id
    from unnest(${requests.map(({ workflowId }) => workflowId)}::uuid[], ${requests.map(({ delivery }) => delivery)}::uuid[]) as g (workflow_id, delivery)
    join webhook_deliveries d on d.workflow_id = g.workflow_id and d.delivery = g.delivery`)
  return new Map(rows.map((row) => [`${row.workflow_id} ${row.delivery}`, row.webhook_id]))
}

/** Counts no further than `countMax`. */
export async function countQueued(db: Queryable, accountId: string, countMax: number): Promise<number> {
  const { rows } = await db.query<{ count: number }>(sql`
    select count(*) as count from (select from webhook_queue where account_id = ${accountId} limit ${countMax}) q`)
  return rows[0]?.count ?? 0
}

/** For a workflow in development: kept for trying out, never run. Only the newest few and the pinned one stay. */
export async function insertSample(
  tx: Queryable,
  request: NewRequest,
  options: { deliveryDays: number; samplesMax: number },
): Promise<StoredRequest> {
  const { rows } = await tx.query<{ account_id: string }>(sql`
    select h.account_id from webhooks h join workflows w on w.id = h.workflow_id join accounts a on a.id = h.account_id
    where h.workflow_id = ${request.workflowId} and h.version = ${request.version} and w.is_webhook_active
      and w.state = 'inDevelopment' and a.state = 'active'
    for key share of h, w`)
  const accountId = rows[0]?.account_id
  if (accountId === undefined) return { kind: 'stale' }
  if (request.delivery !== null) {
    const marked = await tx.query(sql`
      insert into webhook_deliveries as d (workflow_id, delivery, account_id, webhook_id, created_at)
      values (${request.workflowId}, ${request.delivery}, ${accountId}, ${request.id}, now())
      on conflict (workflow_id, delivery) do update set webhook_id = excluded.webhook_id, created_at = excluded.created_at
        where d.created_at < excluded.created_at - ${options.deliveryDays}::integer * interval '1 day'`)
    const first = marked.rowCount === 0 ? [...(await findDeliveries(tx, [request])).values()][0] : undefined
    if (first !== undefined) return { kind: 'duplicate', webhookId: first }
  }
  await tx.query(sql`
    insert into activity_deltas (account_id, workflow_id, minute, webhooks, received_at)
    values (${accountId}, ${request.workflowId}, date_trunc('minute', clock_timestamp()), 1, clock_timestamp())`)
  await tx.query(sql`
    insert into webhook_samples (id, account_id, workflow_id, created_at, sealed_request)
    values (${request.id}, ${accountId}, ${request.workflowId}, clock_timestamp(), ${request.sealedRequest})`)
  await tx.query(sql`
    delete from webhook_samples where workflow_id = ${request.workflowId} and not is_pinned and id not in (
      select id from webhook_samples where workflow_id = ${request.workflowId} order by created_at desc, id desc limit ${options.samplesMax})`)
  return { kind: 'stored', webhookId: request.id }
}
