import { useCallback } from 'react'
import { useOperation } from '../api.ts'
import { useApplications } from '../applications/applications.ts'
import { stateWords } from '../definition/workflow-state.tsx'
import { Select } from '../ui/field.tsx'
import { FilterChip } from '../ui/filter-chip.tsx'
import { SearchBox } from '../ui/search-box.tsx'
import type { WorkflowFilters } from './workflow-filter.ts'

type Change = (changes: Partial<Record<keyof WorkflowFilters, unknown>>) => void
type Toggle = 'scheduled' | 'paused' | 'webhook'

export function WorkflowFilterBar({ filters, onChange }: { filters: WorkflowFilters; onChange: Change }) {
  const toggle = (name: Toggle) => (isOn: boolean) => onChange({ [name]: isOn ? true : undefined })
  return (
    <search aria-label="Filters" className="mb-3 flex flex-wrap items-center gap-2">
      <SearchBox
        className="w-full sm:w-56"
        value={filters.q ?? ''}
        onSearch={useCallback((q: string) => onChange({ q: q === '' ? undefined : q }), [onChange])}
        placeholder={filters.all ? 'Search workflow or customer' : 'Search name and description'}
      />
      <Choices filters={filters} onChange={onChange} />
      <FilterChip label="Scheduled" isOn={filters.scheduled === true} onChange={toggle('scheduled')} />
      <FilterChip label="Webhook" isOn={filters.webhook === true} onChange={toggle('webhook')} />
      <FilterChip label="Paused" isOn={filters.paused === true} onChange={toggle('paused')} />
      {filters.tag && <FilterChip label={`Tag ${filters.tag}`} isOn onChange={() => onChange({ tag: undefined })} />}
      {filters.version && (
        <FilterChip label={`Version ${filters.version}`} isOn onChange={() => onChange({ version: undefined })} />
      )}
    </search>
  )
}

function Choices({ filters, onChange }: { filters: WorkflowFilters; onChange: Change }) {
  const templates = useOperation('WorkflowTemplates', { query: {} }, { staleTime: 60_000 })
  const applications = useApplications()
  const choice = (
    name: 'state' | 'last' | 'template' | 'app',
    label: string,
    options: readonly { value: string; label: string }[],
  ) => (
    <Select
      label={label}
      isLabelHidden
      className="w-36 max-sm:flex-1 max-sm:basis-36"
      value={filters[name] ?? ''}
      onChange={(event) => onChange({ [name]: event.target.value || undefined })}
      options={options}
    />
  )
  const byName = (one: { label: string }, other: { label: string }) => one.label.localeCompare(other.label)
  return (
    <>
      {choice('state', 'State', [
        { value: '', label: 'All but archived' },
        ...Object.entries(stateWords).map(([value, label]) => ({ value, label })),
        { value: 'all', label: 'All states' },
      ])}
      {choice('last', 'Last run', [
        { value: '', label: 'Any last run' },
        ...['Error', 'Ready', 'Processing', 'Waiting', 'Pending', 'Stopped'].map((status) => ({
          value: status,
          label: `Last run ${status}`,
        })),
      ])}
      {choice('template', 'Template', [
        { value: '', label: 'Any template' },
        ...(templates.data ?? []).map(({ id, name }) => ({ value: id, label: name })).sort(byName),
      ])}
      {choice('app', 'Application', [
        { value: '', label: 'Any application' },
        ...(applications.data ?? []).map(({ id, name }) => ({ value: id, label: name })).sort(byName),
      ])}
    </>
  )
}
