import { getRouteApi } from '@tanstack/react-router'
import { Plus, SearchX, Workflow } from 'lucide-react'
import { useCallback } from 'react'
import { type Body, sentenceOf, useOperation } from '../api.ts'
import { Button, LinkButton } from '../ui/button.tsx'
import { DataTable } from '../ui/data-table.tsx'
import { Empty } from '../ui/empty.tsx'
import { Select } from '../ui/field.tsx'
import { FilterChip } from '../ui/filter-chip.tsx'
import { Notice } from '../ui/notice.tsx'
import { Page } from '../ui/page.tsx'
import { Pagination } from '../ui/pagination.tsx'
import { Panel } from '../ui/panel.tsx'
import { SearchBox } from '../ui/search-box.tsx'
import { BulkActions, useSelection } from './bulk-actions.tsx'
import { workflowColumns } from './workflow-columns.tsx'
import { stateWords, type WorkflowSummary } from './workflow-state.tsx'

const route = getRouteApi('/workflows')
const size = 50

type Filters = ReturnType<typeof route.useSearch>

export function WorkflowsPage() {
  const filters = route.useSearch()
  const navigate = route.useNavigate()
  const change = useCallback(
    (changes: Partial<Filters>) =>
      void navigate({ search: (before) => ({ ...before, page: undefined, ...changes }) as never, replace: true }),
    [navigate],
  )
  const page = (filters.page ?? 1) - 1
  const found = useOperation(
    'WorkflowsSearch',
    { body: bodyOf(filters, page) },
    { keepPrevious: true, refetchInterval: 15_000 },
  )
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
      <WorkflowFilters filters={filters} onChange={change} />
      {found.error && !found.data ? (
        <Notice kind="error" action={<Button onClick={() => void found.refetch()}>Try again</Button>}>
          {sentenceOf(found.error)}
        </Notice>
      ) : (
        <Panel>
          <BulkActions selection={selection} />
          <DataTable
            label="Workflows"
            columns={workflowColumns}
            rows={workflows}
            keyOf={(workflow) => workflow.id}
            isRefreshing={found.isPlaceholderData}
            selection={{ ...selection, nameOf: (workflow) => workflow.name }}
            empty={<NoWorkflows filters={filters} onClear={() => void navigate({ search: {} as never })} />}
          />
          <Pagination page={page} size={size} total={found.data?.total} onPage={(next) => change({ page: next + 1 })} />
        </Panel>
      )}
    </Page>
  )
}

function bodyOf(filters: Filters, page: number): Body<'WorkflowsSearch'> {
  const states =
    filters.state === undefined ? ['inDevelopment', 'deployed'] : filters.state === 'all' ? undefined : [filters.state]
  return {
    page,
    size,
    ...(filters.q ? { searchTerm: filters.q } : {}),
    ...(states ? { workflowState: states as NonNullable<Body<'WorkflowsSearch'>['workflowState']> } : {}),
    ...(filters.tag ? { tags: [filters.tag] } : {}),
    ...(filters.template ? { workflowTemplateId: filters.template } : {}),
    ...(filters.scheduled ? { isScheduled: true } : {}),
    ...(filters.paused ? { isAutoRunPaused: true } : {}),
    ...(filters.webhook ? { isWebhookActive: true } : {}),
  }
}

function WorkflowFilters({ filters, onChange }: { filters: Filters; onChange: (changes: Partial<Filters>) => void }) {
  const toggle = (name: 'scheduled' | 'paused' | 'webhook') => (isOn: boolean) =>
    onChange({ [name]: isOn ? true : undefined } as Partial<Filters>)
  return (
    <search aria-label="Filters" className="mb-3 flex flex-wrap items-center gap-2">
      <SearchBox
        className="w-full sm:w-72"
        value={filters.q ?? ''}
        onSearch={useCallback((q: string) => onChange({ q: q === '' ? undefined : q } as Partial<Filters>), [onChange])}
        placeholder="Search name and description"
      />
      <Select
        label="State"
        isLabelHidden
        className="w-44"
        value={filters.state ?? ''}
        onChange={(event) =>
          onChange({ state: event.target.value === '' ? undefined : event.target.value } as Partial<Filters>)
        }
        options={[
          { value: '', label: 'All but archived' },
          ...Object.entries(stateWords).map(([value, label]) => ({ value, label })),
          { value: 'all', label: 'All states' },
        ]}
      />
      <FilterChip label="Scheduled" isOn={filters.scheduled === true} onChange={toggle('scheduled')} />
      <FilterChip label="Webhook" isOn={filters.webhook === true} onChange={toggle('webhook')} />
      <FilterChip label="Paused" isOn={filters.paused === true} onChange={toggle('paused')} />
      {filters.tag && (
        <FilterChip
          label={`Tag ${filters.tag}`}
          isOn
          onChange={() => onChange({ tag: undefined } as unknown as Partial<Filters>)}
        />
      )}
      {filters.template && (
        <FilterChip
          label="One template"
          isOn
          onChange={() => onChange({ template: undefined } as unknown as Partial<Filters>)}
        />
      )}
    </search>
  )
}

function NoWorkflows({ filters, onClear }: { filters: Filters; onClear: () => void }) {
  const { as: _as, ...own } = filters as Filters & { as?: string }
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
