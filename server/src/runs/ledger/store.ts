import { accountsInReach, type Reach } from '../../access/index.ts'
import { type Queryable, sql, when } from '../../db/index.ts'
import { closeItems } from '../record/failed-item-store.ts'

const daysKept = 90

type FailedItemRow = {
  account_id: string
  email: string
  workflow_id: string
  workflow_name: string
  run_number: number
  block_id: string
  block_name: string
  item_index: number
  key: string
  error_message: string
  tries: number
  failed_at: Date
  retry_run_number: number | null
}

export async function listOpen(
  db: Queryable,
  reach: Reach,
  query: { workflowId: string | undefined; searchTerm: string | undefined; page: number; size: number },
) {
  const found = (term: string) => sql`and (
    position(lower(${term}) in lower(f.key)) > 0 or position(lower(${term}) in lower(f.error_message)) > 0
    or position(lower(${term}) in lower(f.block_name)) > 0 or position(lower(${term}) in lower(w.name)) > 0)`
  const matching = sql`from failed_items f join accounts a on a.id = f.account_id join workflows w on w.id = f.workflow_id
    where ${accountsInReach(reach)} ${when(query.workflowId, (id) => sql`and f.workflow_id = ${id}`)} ${when(query.searchTerm || undefined, found)}`
  const [page, count] = await Promise.all([
    db.query<FailedItemRow>(sql`
      select f.account_id, a.email, f.workflow_id, w.name as workflow_name, f.run_number, f.block_id, f.block_name, f.item_index, f.key, f.error_message,
        f.tries, f.failed_at, f.retry_run_number
      ${matching} order by f.failed_at desc, f.root_run_id desc, f.block_id, f.item_index limit ${query.size} offset ${query.page * query.size}`),
    db.query<{ total: number }>(sql`select count(*)::integer as total ${matching}`),
  ])
  return { rows: page.rows, total: count.rows[0]?.total ?? 0 }
}

export async function hasWorkflow(db: Queryable, reach: Reach, workflowId: string): Promise<boolean> {
  const { rowCount } = await db.query(sql`
    select from workflows w join accounts a on a.id = w.account_id where w.id = ${workflowId} and ${accountsInReach(reach)}`)
  return rowCount > 0
}

export type Dismissed = {
  accountId: string
  workflowId: string
  runNumber: number
  uniqueBlockId: string
  keys?: readonly string[]
}

/** A run that is kept no longer is known by its failed items. */
export async function findRunState(
  tx: Queryable,
  { accountId, workflowId, runNumber }: Omit<Dismissed, 'uniqueBlockId'>,
): Promise<'underWay' | 'ended' | undefined> {
  const { rows } = await tx.query<{ has_ended: boolean }>(sql`
    select ended_at is not null as has_ended from runs
    where account_id = ${accountId} and workflow_id = ${workflowId} and run_number = ${runNumber}`)
  if (rows[0]) return rows[0].has_ended ? 'ended' : 'underWay'
  const { rowCount } = await tx.query(sql`
    select from failed_items where account_id = ${accountId} and workflow_id = ${workflowId} and run_number = ${runNumber} limit 1`)
  return rowCount > 0 ? 'ended' : undefined
}

/** Those that failed first in the run, and those that failed there again. */
export async function closeDismissed(
  tx: Queryable,
  { accountId, workflowId, runNumber, uniqueBlockId, keys }: Dismissed,
): Promise<number> {
  return closeItems(
    tx,
    sql`
      select f.root_run_id, f.block_id, f.key from failed_items f
      where f.account_id = ${accountId} and f.workflow_id = ${workflowId} and f.block_id = ${uniqueBlockId}
        ${when(keys, (those) => sql`and f.key = any(${those}::text[])`)}
        and (f.run_number = ${runNumber} or exists (
          select from runs r join run_items i on i.run_id = r.id
          where r.account_id = f.account_id and r.workflow_id = f.workflow_id and r.run_number = ${runNumber} and r.retry_of = f.root_run_id
            and i.block_id = f.block_id and i.key = f.key and i.status = 'failed'))`,
  )
}

export async function closeOldItems(db: Queryable, countMax: number): Promise<number> {
  return closeItems(
    db,
    sql`select f.root_run_id, f.block_id, f.key from failed_items f
      where (f.root_run_id, f.block_id, f.key) in (
        select o.root_run_id, o.block_id, o.key from failed_items o where o.failed_at < now() - ${daysKept}::integer * interval '1 day' limit ${countMax})`,
  )
}
