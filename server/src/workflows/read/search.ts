import { type BodyOf, listSizeMax, type Operations, readPage } from '@patchbay/contract'
import { accountName, type Reach } from '../../access/index.ts'
import { nothing, type Queryable, type Sql, sql } from '../../db/index.ts'
import type { WorkflowCatalog } from '../ports.ts'
import { itemColumns, nextRunAt, toItem, type WorkflowItemRow } from './list-item.ts'
import { fromWorkflows, matchWorkflows } from './matching.ts'

export type WorkflowSearch = BodyOf<Operations['WorkflowsSearch']>
type OrderField = NonNullable<WorkflowSearch['orderField']>

type FoundRow = WorkflowItemRow & {
  account_id: string
  account_name: string
  account_email: string
  failing_since: Date | null
  queued: number
  failed_items: number
}

/** Those in development and deployed, in the order in which they were made. */
export async function listWorkflows(db: Queryable, accountId: string) {
  const { rows } = await db.query<WorkflowItemRow>(sql`
    select ${itemColumns} from workflows w where w.account_id = ${accountId} and w.state <> 'archived' order by w.id limit ${listSizeMax}`)
  return rows.map(toItem)
}

/** `db` must see every account in reach. */
export async function searchWorkflows(
  { db, catalog }: { db: Queryable; catalog: WorkflowCatalog },
  reach: Reach,
  search: WorkflowSearch,
) {
  const { page, size } = readPage(search)
  const matching = await matchWorkflows(catalog, reach, search)
  const order = orderOf(reach, search)
  const [found, counted] = await Promise.all([
    // The page is found by ids alone, and only its rows are read whole: pages far behind cost little more than the first.
    db.query<FoundRow>(sql`
      select ${itemColumns} ${search.acrossAccounts ? accountColumns : nothing}
      from (
        select w.id, row_number() over (order by ${order.by}) as place from ${order.from} where ${matching}
        order by ${order.by} limit ${size} offset ${page * size}
      ) page
      join workflows w on w.id = page.id join accounts a on a.id = w.account_id order by page.place`),
    db.query<{ total: number }>(sql`select count(*) as total from ${fromWorkflows(reach)} where ${matching}`),
  ])
  return {
    workflows: found.rows.map((row) =>
      search.acrossAccounts ? { ...toItem(row), ...toAccountFields(row) } : toItem(row),
    ),
    total: counted.rows[0]?.total ?? 0,
  }
}

const queuedOf = sql`select count(*) as queued from webhook_queue q where q.account_id = w.account_id and q.workflow_id = w.id`

const failedItemsOf = sql`select count(*) as failed_items from failed_items f where f.account_id = w.account_id and f.workflow_id = w.id`

const accountColumns = sql`, w.account_id, ${accountName} as account_name, a.email as account_email, w.failing_since,
  (${queuedOf}) as queued, (${failedItemsOf}) as failed_items`

function toAccountFields(row: FoundRow) {
  return {
    accountId: row.account_id,
    accountName: row.account_name,
    accountEmail: row.account_email,
    failingSinceDateTimeUTC: row.failing_since?.toISOString() ?? null,
    queued: row.queued,
    failedItems: row.failed_items,
  }
}

const orderings: Record<OrderField, Sql> = {
  // Ids are made in order of time.
  createDateTimeUTC: sql`w.id`,
  modifyDateTimeUTC: sql`w.modified_at`,
  name: sql`lower(w.name)`,
  accountName: sql`lower(${accountName})`,
  accountEmail: sql`lower(a.email)`,
  workflowTemplateId: sql`w.workflow_template_id`,
  templateVersion: sql`w.template_version`,
  workflowState: sql`w.state`,
  dateLastRunUTC: sql`w.date_last_run`,
  lastRunStatus: sql`w.last_run_status`,
  nextRunDateTimeUTC: nextRunAt,
  failingSinceDateTimeUTC: sql`w.failing_since`,
  queued: sql`q.queued`,
  failedItems: sql`f.failed_items`,
}

function orderOf(reach: Reach, { orderField = 'createDateTimeUTC', orderByAsc = true }: WorkflowSearch) {
  const direction = orderByAsc ? sql`asc` : sql`desc`
  const isOfAccount = orderField === 'accountName' || orderField === 'accountEmail'
  const accounts = isOfAccount && reach.kind === 'account' ? sql`join accounts a on a.id = w.account_id` : nothing
  const queues = orderField === 'queued' ? sql`cross join lateral (${queuedOf}) q` : nothing
  const failed = orderField === 'failedItems' ? sql`cross join lateral (${failedItemsOf}) f` : nothing
  return {
    from: sql`${fromWorkflows(reach)} ${accounts} ${queues} ${failed}`,
    by: sql`${orderings[orderField]} ${direction} nulls last, w.id`,
  }
}
