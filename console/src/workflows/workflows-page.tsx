import { getRouteApi } from '@tanstack/react-router'
import { Plus, SearchX, Workflow } from 'lucide-react'
import { useCallback } from 'react'
import { type Body, sentenceOf, useOperation } from '../api.ts'
import { stateWords, type WorkflowSummary } from '../definition/workflow-state.tsx'
import { Button, LinkButton } from '../ui/button.tsx'
import { Empty } from '../ui/empty.tsx'
import { Select } from '../ui/field.tsx'
import { FilterChip } from '../ui/filter-chip.tsx'
import { useFilterChange } from '../ui/filters.ts'
import { ListPanel } from '../ui/list-panel.tsx'
import { Page } from '../ui/page.tsx'
import { SearchBox } from '../ui/search-box.tsx'
import { BulkActions, useSelection } from './bulk-actions.tsx'
import { workflowColumns } from './workflow-columns.tsx'

const route = getRouteApi('/workflows')
const size = 50

type Filters = ReturnType<typeof route.useSearch>
type Change = (changes: Partial<Record<keyof Filters, unknown>>) => void

export function WorkflowsPage() {
  const filters = route.useSearch()
  const navigate = route.useNavigate()
  const change = useFilterChange<Filters>(navigate)
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
      <ListPanel
        label="Workflows"
        columns={workflowColumns}
        rows={workflows}
        keyOf={(workflow) => workflow.id}
        selection={{ ...selection, nameOf: (workflow) => workflow.name }}
        above={<BulkActions selection={selection} />}
        empty={<NoWorkflows filters={filters} onClear={() => void navigate({ search: {} })} />}
        query={found}
        sentence={sentenceOf}
        paging={{ page, size, total: found.data?.total, onPage: (next) => change({ page: next + 1 }) }}
      />
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

function WorkflowFilters({ filters, onChange }: { filters: Filters; onChange: Change }) {
  const toggle = (name: 'scheduled' | 'paused' | 'webhook') => (isOn: boolean) =>
    onChange({ [name]: isOn ? true : undefined })
  return (
    <search aria-label="Filters" className="mb-3 flex flex-wrap items-center gap-2">
      <SearchBox
        className="w-full sm:w-72"
        value={filters.q ?? ''}
        onSearch={useCallback((q: string) => onChange({ q: q === '' ? undefined : q }), [onChange])}
        placeholder="Search name and description"
      />
      <Select
        label="State"
        isLabelHidden
        className="w-44"
        value={filters.state ?? ''}
        onChange={(event) => onChange({ state: event.target.value || undefined })}
        options={[
          { value: '', label: 'All but archived' },
          ...Object.entries(stateWords).map(([value, label]) => ({ value, label })),
          { value: 'all', label: 'All states' },
        ]}
      />
      <FilterChip label="Scheduled" isOn={filters.scheduled === true} onChange={toggle('scheduled')} />
      <FilterChip label="Webhook" isOn={filters.webhook === true} onChange={toggle('webhook')} />
      <FilterChip label="Paused" isOn={filters.paused === true} onChange={toggle('paused')} />
      {filters.tag && <FilterChip label={`Tag ${filters.tag}`} isOn onChange={() => onChange({ tag: undefined })} />}
      {filters.template && <FilterChip label="One template" isOn onChange={() => onChange({ template: undefined })} />}
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
