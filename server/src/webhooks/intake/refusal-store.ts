import { type Queryable, sql, type Tx } from '../../db/index.ts'

export type NewRefusal = {
  workflowId: string
  accountId: string
  at: Date
  statusCode: number
  reason: string
  ipAddress: string
  headerNames: readonly string[]
}

export type RefusalSum = {
  workflowId: string
  accountId: string
  hour: Date
  statusCode: number
  reason: string
  refusals: number
}

/** What belongs to a workflow that is gone by now is left out. */
export async function insertRefusals(
  tx: Tx,
  sums: readonly RefusalSum[],
  newest: readonly NewRefusal[],
  keptMax: number,
): Promise<void> {
  const workflowIds = [...new Set(sums.map(({ workflowId }) => workflowId))]
  // In this order by every process, so that two never wait for each other; and none of them is deleted meanwhile.
  await tx.query(sql`select from workflows where id = any(${workflowIds}::uuid[]) order by id for key share`)
  await tx.query(sql`
    insert into webhook_refusal_hours as h (workflow_id, account_id, hour, status_code, reason, refusals)
    select s.workflow_id, s.account_id, s.hour, s.status_code, s.reason, s.refusals
    from unnest(${sums.map(({ workflowId }) => workflowId)}::uuid[], ${sums.map(({ accountId }) => accountId)}::uuid[],
      ${sums.map(({ hour }) => hour)}::timestamptz[], ${sums.map(({ statusCode }) => statusCode)}::integer[],
      ${sums.map(({ reason }) => reason)}::text[], ${sums.map(({ refusals }) => refusals)}::bigint[]
    ) as s (workflow_id, account_id, hour, status_code, reason, refusals)
    join workflows w on w.id = s.workflow_id and w.account_id = s.account_id
    order by 1, 3, 4, 5
    on conflict (workflow_id, hour, status_code, reason) do update set refusals = h.refusals + excluded.refusals`)
  await tx.query(sql`
    insert into webhook_refusals (workflow_id, account_id, at, status_code, reason, ip_address, header_names)
    select n.workflow_id, n.account_id, n.at, n.status_code, n.reason, n.ip_address,
      array(select json_array_elements_text(n.header_names::json))
    from unnest(${newest.map(({ workflowId }) => workflowId)}::uuid[], ${newest.map(({ accountId }) => accountId)}::uuid[],
      ${newest.map(({ at }) => at)}::timestamptz[], ${newest.map(({ statusCode }) => statusCode)}::integer[],
      ${newest.map(({ reason }) => reason)}::text[], ${newest.map(({ ipAddress }) => ipAddress)}::text[],
      ${newest.map(({ headerNames }) => JSON.stringify(headerNames))}::text[]
    ) with ordinality as n (workflow_id, account_id, at, status_code, reason, ip_address, header_names, position)
    join workflows w on w.id = n.workflow_id and w.account_id = n.account_id
    order by n.position`)
  await tx.query(sql`
    delete from webhook_refusals r using (
      select id, row_number() over (partition by workflow_id order by id desc) as place
      from webhook_refusals where workflow_id = any(${workflowIds}::uuid[])
    ) old where old.id = r.id and old.place > ${keptMax}`)
}

export async function listRefusals(
  db: Queryable,
  accountId: string,
  workflowId: string,
  { page, size }: { page: number; size: number },
): Promise<Omit<NewRefusal, 'workflowId' | 'accountId'>[]> {
  const { rows } = await db.query<{
    at: Date
    status_code: number
    reason: string
    ip_address: string
    header_names: string[]
  }>(sql`
    select at, status_code, reason, ip_address, header_names from webhook_refusals
    where account_id = ${accountId} and workflow_id = ${workflowId} order by id desc limit ${size} offset ${page * size}`)
  return rows.map((row) => ({
    at: row.at,
    statusCode: row.status_code,
    reason: row.reason,
    ipAddress: row.ip_address,
    headerNames: row.header_names,
  }))
}

/** Newest first. */
export async function listRefusalHours(
  db: Queryable,
  accountId: string,
  workflowId: string,
  hoursMax: number,
): Promise<Omit<RefusalSum, 'workflowId' | 'accountId'>[]> {
  const { rows } = await db.query<{ hour: Date; status_code: number; reason: string; refusals: number }>(sql`
    select hour, status_code, reason, refusals from webhook_refusal_hours
    where account_id = ${accountId} and workflow_id = ${workflowId}
    order by hour desc, refusals desc, status_code, reason limit ${hoursMax}`)
  return rows.map((row) => ({
    hour: row.hour,
    statusCode: row.status_code,
    reason: row.reason,
    refusals: row.refusals,
  }))
}

export async function countRefusals(db: Queryable, accountId: string, workflowId: string): Promise<number> {
  const { rows } = await db.query<{ n: number }>(sql`
    select coalesce(sum(refusals), 0)::bigint as n from webhook_refusal_hours
    where account_id = ${accountId} and workflow_id = ${workflowId}`)
  return rows[0]?.n ?? 0
}

export async function deleteOldRefusals(db: Queryable, daysKept: number): Promise<void> {
  await db.query(sql`delete from webhook_refusal_hours where hour < now() - ${daysKept}::integer * interval '1 day'`)
  await db.query(sql`delete from webhook_refusals where at < now() - ${daysKept}::integer * interval '1 day'`)
}
