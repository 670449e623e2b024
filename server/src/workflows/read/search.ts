import { listSizeMax, readPage } from '@patchbay/contract'
import { nothing, type Queryable, type Scope, type Sql, sql, when } from '../../db/index.ts'
import type { WorkflowState } from '../definition/definition.ts'
import type { UseKind } from '../definition/uses.ts'
import type { WorkflowCatalog } from '../ports.ts'
import { itemColumns, toItem, type WorkflowItemRow } from './list-item.ts'

export type WorkflowSearch = {
  page?: number
  size?: number
  searchTerm?: string
  appIds?: string[]
  regAppIds?: string[]
  blockTemplateIds?: string[]
  workflowTemplateId?: string
  workflowState?: WorkflowState[]
  tags?: string[]
  isScheduled?: boolean
  isAutoRunPaused?: boolean
  isWebhookActive?: boolean
}

/** Those in development and deployed, in the order in which they were made. */
export async function listWorkflows(db: Queryable, accountId: string) {
  const { rows } = await db.query<WorkflowItemRow>(sql`
    select ${itemColumns} from workflows w where w.account_id = ${accountId} and w.state <> 'archived' order by w.id limit ${listSizeMax}`)
  return rows.map(toItem)
}

/** An empty list of a filter does not filter. Within one filter any match counts, all filters must match; of tags every one must be there. */
export async function searchWorkflows(
  deps: { db: Queryable; catalog: WorkflowCatalog },
  scope: Scope,
  search: WorkflowSearch,
) {
  const { page, size } = readPage(search)
  const shortNames = search.appIds && (await findShortNames(deps.catalog, scope.organizationId, search.appIds))
  const matching = sql`w.account_id = ${scope.accountId}
    ${when(search.searchTerm || undefined, (term) => sql`and strpos(w.search_text, lower(${term})) > 0`)}
    ${usesAny(scope, 'application', search.appIds, shortNames)}
    ${usesAny(scope, 'registeredApplication', search.regAppIds)}
    ${usesAny(scope, 'blockTemplate', search.blockTemplateIds)}
    ${when(search.workflowTemplateId, (id) => sql`and w.workflow_template_id = ${id}`)}
    ${search.workflowState?.length ? sql`and w.state = any(${search.workflowState})` : nothing}
    ${carriesAll(scope, search.tags)}
    ${flag(search.isScheduled, sql`w.is_scheduled`)}
    ${flag(search.isAutoRunPaused, sql`w.is_auto_run_paused`)}
    ${flag(search.isWebhookActive, sql`w.is_webhook_active`)}`
  const [found, counted] = await Promise.all([
    // The page is found by ids alone, and only its rows are read whole: pages far behind cost little more than the first.
    deps.db.query<WorkflowItemRow>(sql`
      select ${itemColumns}
      from (select w.id from workflows w where ${matching} order by w.id limit ${size} offset ${page * size}) page
      join workflows w on w.id = page.id order by w.id`),
    deps.db.query<{ total: number }>(sql`select count(*) as total from workflows w where ${matching}`),
  ])
  return { workflows: found.rows.map(toItem), total: counted.rows[0]?.total ?? 0 }
}

/** Workflows know applications by short name. */
async function findShortNames(catalog: WorkflowCatalog, organizationId: string, ids: string[]): Promise<string[]> {
  const found = await Promise.all(ids.map((id) => catalog.findApplication(organizationId, id)))
  return found.flatMap((application) => application?.shortName.toUpperCase() ?? [])
}

/** `targets` are what the wanted ids stand for; with no wanted ids there is no filter, with no targets there is no match. */
function usesAny(scope: Scope, kind: UseKind, wanted: string[] | undefined, targets = wanted): Sql {
  if (!wanted?.length) return nothing
  return sql`and w.id in (select u.workflow_id from workflow_uses u
    where u.account_id = ${scope.accountId} and u.kind = ${kind} and u.target = any(${targets ?? []}))`
}

function carriesAll(scope: Scope, tags: string[] | undefined): Sql {
  if (!tags?.length) return nothing
  const wanted = [...new Set(tags)]
  return sql`and w.id in (select t.entity_id from tags t
    where t.organization_id = ${scope.organizationId} and t.entity_type = 'workflow' and t.value = any(${wanted})
    group by t.entity_id having count(*) = ${wanted.length})`
}

function flag(wanted: boolean | undefined, column: Sql): Sql {
  if (wanted === undefined) return nothing
  return wanted ? sql`and ${column}` : sql`and not ${column}`
}
