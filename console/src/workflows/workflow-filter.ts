// What stands in the address of the list of workflows, as the service understands it. A view is nothing but such an address.
import type { Body } from '../api.ts'

export type WorkflowFilters = {
  q?: string
  state?: string
  tag?: string
  template?: string
  version?: string
  app?: string
  last?: string
  sort?: string
  scheduled?: true
  paused?: true
  webhook?: true
  all?: true
  ascending?: true
  page?: number
}
type Search = Body<'WorkflowsSearch'>

/** Everything but order and page: what a bulk action over all matches takes. */
export function filterOf(filters: WorkflowFilters) {
  const states =
    filters.state === undefined ? ['inDevelopment', 'deployed'] : filters.state === 'all' ? undefined : [filters.state]
  return {
    ...(filters.all ? { acrossAccounts: true } : {}),
    ...(filters.q ? { searchTerm: filters.q } : {}),
    ...(states ? { workflowState: states as NonNullable<Search['workflowState']> } : {}),
    ...(filters.last ? { lastRunStatus: filters.last as 'Error' } : {}),
    ...(filters.tag ? { tags: [filters.tag] } : {}),
    ...(filters.template ? { workflowTemplateId: filters.template } : {}),
    ...(filters.version ? { templateVersion: filters.version } : {}),
    ...(filters.app ? { appIds: [filters.app] } : {}),
    ...(filters.scheduled ? { isScheduled: true } : {}),
    ...(filters.paused ? { isAutoRunPaused: true } : {}),
    ...(filters.webhook ? { isWebhookActive: true } : {}),
  }
}

export function bodyOf(filters: WorkflowFilters, page: number, size: number): Search {
  return {
    page,
    size,
    ...filterOf(filters),
    ...(filters.sort
      ? { orderField: filters.sort as NonNullable<Search['orderField']>, orderByAsc: filters.ascending === true }
      : {}),
  }
}

export type View = { name: string; search: WorkflowFilters }

/** Where one looks on a bad day. Each keeps the scope that is shown. */
export const usualViews: readonly View[] = [
  { name: 'All', search: {} },
  { name: 'Failing', search: { last: 'Error', sort: 'failingSinceDateTimeUTC', ascending: true } },
  { name: 'Paused', search: { paused: true } },
  { name: 'Waiting', search: { last: 'Waiting' } },
  { name: 'Queued', search: { webhook: true, sort: 'queued' } },
]

/** Whether the address shows just this view; the scope and the page are not part of it. */
export function isShown(view: View, filters: WorkflowFilters): boolean {
  return keyOf(view.search) === keyOf(filters)
}

export function keyOf(filters: WorkflowFilters): string {
  const { page: _page, all: _all, ...rest } = filters as WorkflowFilters & { as?: string }
  delete rest.as
  return JSON.stringify(
    Object.entries(rest)
      .filter(([, value]) => value !== undefined)
      .sort(([one], [other]) => (one < other ? -1 : 1)),
  )
}
