import { type Queryable, sql } from '../db/index.ts'

/** Adds to what accounts have stored; those that are gone are left out. */
export async function addStored(db: Queryable, added: ReadonlyMap<string, number>): Promise<void> {
  await db.query(sql`
    insert into account_storage (account_id, bytes)
    select i.id, i.bytes from unnest(${[...added.keys()]}::uuid[], ${[...added.values()]}::bigint[]) as i (id, bytes)
    join accounts a on a.id = i.id
    on conflict (account_id) do update set bytes = account_storage.bytes + excluded.bytes`)
}

/** Accounts and organizations that have stored more than they may. */
export async function listFull(
  db: Queryable,
  limits: { accountBytesMax: number; organizationBytesMax: number },
): Promise<{ accountIds: string[]; organizationAccountIds: string[] }> {
  const { rows } = await db.query<{ id: string; is_own: boolean }>(sql`
    select s.account_id as id, true as is_own from account_storage s where s.bytes > ${limits.accountBytesMax}
    union all
    select a.id, false from accounts a where a.organization_id in (
      select b.organization_id from account_storage s join accounts b on b.id = s.account_id
      group by 1 having sum(s.bytes) > ${limits.organizationBytesMax})`)
  return {
    accountIds: rows.filter(({ is_own }) => is_own).map(({ id }) => id),
    organizationAccountIds: rows.filter(({ is_own }) => !is_own).map(({ id }) => id),
  }
}

/** True for one process, when the last measure is older than this. */
export async function claimMeasure(db: Queryable, olderThanMs: number): Promise<boolean> {
  const { rowCount } = await db.query(sql`
    update storage_measures set measured_at = now() where measured_at < now() - ${olderThanMs}::float8 * interval '1 millisecond'`)
  return rowCount > 0
}

/** Of each account and kind: sizes as they lie on disk, and of contents in a storage as they lie there. Nothing is unpacked for it. */
export const storedSizes = sql`
      select account_id, sum(128 + coalesce(pg_column_size(result), 0) + coalesce(pg_column_size(log), 0) + coalesce(pg_column_size(session), 0)
        + coalesce(pg_column_size(calls), 0) + coalesce(pg_column_size(sealed_deferred), 0)
        + coalesce(content_bytes(result), 0) + coalesce(content_bytes(log), 0) + coalesce(content_bytes(session), 0) + coalesce(content_bytes(calls), 0)) as bytes
      from run_blocks group by 1
      union all select account_id, sum(pg_column_size(sealed_request) + content_bytes(sealed_request)) from webhook_requests group by 1
      union all select account_id, sum(pg_column_size(sealed_request) + content_bytes(sealed_request)) from webhook_samples group by 1
      union all select account_id, sum(pg_column_size(sealed_value)) from vault_entries group by 1
      union all select account_id, sum(pg_column_size(content)) from run_item_lists group by 1
      union all select account_id, sum(128 + coalesce(pg_column_size(result), 0) + coalesce(pg_column_size(log), 0) + coalesce(pg_column_size(calls), 0))
      from run_items group by 1
      union all select account_id, sum(128 + pg_column_size(sealed_item)) from failed_items group by 1
      union all select account_id, sum(128 + coalesce(pg_column_size(result), 0)) from remembered_items group by 1
      union all select account_id, sum(coalesce(pg_column_size(sealed_tape) + content_bytes(sealed_tape), 0)) from run_recordings group by 1
      union all select account_id, sum(coalesce(pg_column_size(sealed_result), 0)) from replay_runs group by 1
      union all select account_id, sum(bytes) from shares group by 1
      union all select account_id, sum(pg_column_size(sealed_content)) from mails group by 1
      union all select account_id, sum(pg_column_size(definition)) from workflow_revisions group by 1`

export async function measureAll(db: Queryable): Promise<void> {
  await db.query(sql`
    with sizes as (${storedSizes})
    insert into account_storage (account_id, bytes)
    select a.id, coalesce(sum(s.bytes), 0)::bigint from accounts a left join sizes s on s.account_id = a.id group by 1
    on conflict (account_id) do update set bytes = excluded.bytes`)
}
