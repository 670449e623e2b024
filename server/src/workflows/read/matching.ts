// Which workflows a filter means. Within one filter any match counts, all filters must match; of tags every one must be there. An empty list
// does not filter.
import type { BodyOf, Operations } from '@patchbay/contract'
import { accountName, accountsInReach, type Reach } from '../../access/index.ts'
import { nothing, type Sql, sql, when } from '../../db/index.ts'
import type { UseKind } from '../definition/uses.ts'
import type { WorkflowCatalog } from '../ports.ts'

export type WorkflowFilter = Omit<BodyOf<Operations['WorkflowsSearch']>, 'page' | 'size' | 'orderField' | 'orderByAsc'>

/** A condition on the row `w` of a workflow and, where the reach is more than one account, the row `a` of its account. */
export async function matchWorkflows(catalog: WorkflowCatalog, reach: Reach, filter: WorkflowFilter): Promise<Sql> {
  const { organizationId } = reach
  const shortNames = filter.appIds && (await findShortNames(catalog, organizationId, filter.appIds))
  const statuses = typeof filter.lastRunStatus === 'string' ? [filter.lastRunStatus] : filter.lastRunStatus
  return sql`${reach.kind === 'account' ? sql`w.account_id = ${reach.accountId}` : accountsInReach(reach)}
    ${when(filter.searchTerm || undefined, (term) => contains(reach, term))}
    ${usesAny('application', filter.appIds, shortNames)}
    ${usesAny('registeredApplication', filter.regAppIds)}
    ${usesAny('blockTemplate', filter.blockTemplateIds)}
    ${when(filter.workflowTemplateId, (id) => sql`and w.workflow_template_id = ${id}`)}
    ${when(filter.templateVersion, (version) => sql`and w.template_version = ${version}`)}
    ${filter.workflowState?.length ? sql`and w.state = any(${filter.workflowState})` : nothing}
    ${statuses?.length ? sql`and w.last_run_status = any(${statuses})` : nothing}
    ${carriesAll(organizationId, filter.tags)}
    ${flag(filter.isScheduled, sql`w.is_scheduled`)}
    ${flag(filter.isAutoRunPaused, sql`w.is_auto_run_paused`)}
    ${flag(filter.isWebhookActive, sql`w.is_webhook_active`)}`
}

/** What `matchWorkflows` speaks of. */
export function fromWorkflows(reach: Reach): Sql {
  return reach.kind === 'account' ? sql`workflows w` : sql`workflows w join accounts a on a.id = w.account_id`
}

/** Whoever looks at many customers also looks for one of them. */
function contains(reach: Reach, term: string): Sql {
  const inWorkflow = sql`strpos(w.search_text, lower(${term})) > 0`
  if (reach.kind === 'account') return sql`and ${inWorkflow}`
  return sql`and (${inWorkflow} or strpos(lower(${accountName} || ' ' || a.email), lower(${term})) > 0)`
}

/** Workflows know applications by short name. */
async function findShortNames(catalog: WorkflowCatalog, organizationId: string, ids: string[]): Promise<string[]> {
  const found = await Promise.all(ids.map((id) => catalog.findApplication(organizationId, id)))
  return found.flatMap((application) => application?.shortName.toUpperCase() ?? [])
}

/** `targets` are what the wanted ids stand for; with no wanted ids there is no filter, with no targets there is no match. */
function usesAny(kind: UseKind, wanted: string[] | undefined, targets = wanted): Sql {
  if (!wanted?.length) return nothing
  return sql`and exists (select from workflow_uses u
    where u.account_id = w.account_id and u.kind = ${kind} and u.target = any(${targets ?? []}) and u.workflow_id = w.id)`
}

function carriesAll(organizationId: string, tags: string[] | undefined): Sql {
  if (!tags?.length) return nothing
  const wanted = [...new Set(tags)]
  return sql`and w.id in (select t.entity_id from tags t
    where t.organization_id = ${organizationId} and t.entity_type = 'workflow' and t.value = any(${wanted})
    group by t.entity_id having count(*) = ${wanted.length})`
}

function flag(wanted: boolean | undefined, column: Sql): Sql {
  if (wanted === undefined) return nothing
  return wanted ? sql`and ${column}` : sql`and not ${column}`
}
