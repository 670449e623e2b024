import { getRouteApi } from '@tanstack/react-router'
import { Plus, SearchX, Workflow } from 'lucide-react'
import { sentenceOf, useOperation } from '../api.ts'
import type { WorkflowSummary } from '../definition/workflow-state.tsx'
import { useReachesOthers } from '../session/reach.ts'
import { session } from '../session/session.ts'
import { Button, LinkButton } from '../ui/button.tsx'
import { Empty } from '../ui/empty.tsx'
import { FilterChip } from '../ui/filter-chip.tsx'
import { useFilterChange } from '../ui/filters.ts'
import { ListPanel } from '../ui/list-panel.tsx'
import { Page } from '../ui/page.tsx'
import { useStore } from '../ui/store.ts'
import { BulkActions, useSelection } from './bulk-actions.tsx'
import { SavedViews } from './saved-views.tsx'
import { towerColumns } from './tower-columns.tsx'
import { workflowColumns } from './workflow-columns.tsx'
import { bodyOf, filterOf, type WorkflowFilters } from './workflow-filter.ts'
import { WorkflowFilterBar } from './workflow-filters.tsx'

const route = getRouteApi('/workflows')
const size = 50

type Filters = ReturnType<typeof route.useSearch>

export function WorkflowsPage() {
  const filters = route.useSearch()
  const navigate = route.useNavigate()
  const change = useFilterChange<Filters>(navigate)
  const page = (filters.page ?? 1) - 1
  const found = useOperation(
    'WorkflowsSearch',
    { body: bodyOf(filters as WorkflowFilters, page, size) },
    { keepPrevious: true, refetchInterval: 15_000 },
  )
  const reachesOthers = useReachesOthers()
  const ownId = useStore(session)?.myAccount.id
  const workflows = found.data?.workflows
  const selection = useSelection(workflows, (workflow: WorkflowSummary) => workflow.id)
  return (
    <Page
      title="Workflows"
      actions={
        <LinkButton to="/workflows/new" tone="primary" icon={Plus}>
          New workflow
        </LinkButton>
      }
    >
      <SavedViews
        filters={filters as WorkflowFilters}
        scope={
          reachesOthers && (
            <FilterChip
              label="All accounts"
              isOn={filters.all === true}
              onChange={(isOn) => change({ all: isOn ? true : undefined })}
            />
          )
        }
      />
      <WorkflowFilterBar filters={filters as WorkflowFilters} onChange={change} />
      <ListPanel
        label="Workflows"
        columns={filters.all ? towerColumns(ownId) : workflowColumns}
        {...(filters.sort ? { sort: { by: filters.sort, isAscending: filters.ascending === true } } : {})}
        onSort={({ by, isAscending }) => change({ sort: by, ascending: isAscending || undefined })}
        rows={workflows}
        keyOf={(workflow) => workflow.id}
        selection={{ ...selection, nameOf: (workflow) => workflow.name }}
        above={
          <BulkActions
            selection={selection}
            matching={{ filter: filterOf(filters as WorkflowFilters), total: found.data?.total }}
            isAcross={filters.all === true}
          />
        }
        empty={
          <NoWorkflows
            filters={filters}
            onClear={() => void navigate({ search: (filters.all ? { all: true } : {}) as never })}
          />
        }
        query={found}
        sentence={sentenceOf}
        paging={{ page, size, total: found.data?.total, onPage: (next) => change({ page: next + 1 }) }}
      />
    </Page>
  )
}

function NoWorkflows({ filters, onClear }: { filters: Filters; onClear: () => void }) {
  const { as: _as, all: _all, ...own } = filters as Filters & { as?: string }
  if (Object.keys(own).length > 0) {
    return (
      <Empty
        icon={SearchX}
        title="No workflow matches these filters."
        action={<Button onClick={onClear}>Clear filters</Button>}
      />
    )
  }
  return (
    <Empty
      icon={Workflow}
      title="No workflows yet"
      action={
        <LinkButton to="/templates" tone="primary">
          Choose a template
        </LinkButton>
      }
    >
      A workflow is a chain of blocks that moves data between applications, on a schedule, by webhook or by hand. Start
      from a template: it works in a few steps.
    </Empty>
  )
}
