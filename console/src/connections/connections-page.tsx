import { getRouteApi, Link } from '@tanstack/react-router'
import { PlugZap, Plus, SearchX } from 'lucide-react'
import { useCallback } from 'react'
import { sentenceOf, useOperation } from '../api.ts'
import { ApplicationLogo } from '../applications/application-logo.tsx'
import { Button, LinkButton } from '../ui/button.tsx'
import type { Column } from '../ui/data-table.tsx'
import { Empty } from '../ui/empty.tsx'
import { FilterChip } from '../ui/filter-chip.tsx'
import { useFilterChange } from '../ui/filters.ts'
import { ListPanel } from '../ui/list-panel.tsx'
import { Page } from '../ui/page.tsx'
import { SearchBox } from '../ui/search-box.tsx'
import { Time } from '../ui/time.tsx'
import { ConnectionPanel } from './connection-panel.tsx'
import { type Connection, ConnectionStateChip } from './connection-state.tsx'

const route = getRouteApi('/connections')
const size = 50

type Filters = ReturnType<typeof route.useSearch>

export function ConnectionsPage() {
  const { q, faulted, page: pageNumber, id } = route.useSearch()
  const navigate = route.useNavigate()
  const change = useFilterChange<Filters>(navigate)
  const page = (pageNumber ?? 1) - 1
  const found = useOperation(
    'RegApplicationsSearch',
    { body: { page, size, ...(q ? { searchTerm: q } : {}), ...(faulted ? { isFaulted: true } : {}) } },
    { keepPrevious: true, refetchInterval: 15_000 },
  )
  const rows = found.data?.regApplications
  const opened = rows?.find((connection) => connection.id === id)
  const search = useCallback((text: string) => change({ q: text || undefined }), [change])
  // The panel closes over the same page of the list.
  const close = useCallback(() => change({ id: undefined, page: pageNumber }), [change, pageNumber])
  return (
    <Page
      title="Connections"
      lead="Applications that this account has registered, with their credentials."
      actions={
        <LinkButton to="/catalogue" tone="primary" icon={Plus}>
          Register application
        </LinkButton>
      }
    >
      <search aria-label="Filters" className="mb-3 flex flex-wrap gap-2">
        <SearchBox className="w-full sm:w-72" value={q ?? ''} onSearch={search} placeholder="Search connections" />
        <FilterChip
          label="Faulted"
          isOn={faulted === true}
          onChange={(isOn) => change({ faulted: isOn || undefined })}
        />
      </search>
      <ListPanel
        label="Connections"
        columns={columns}
        rows={rows}
        keyOf={(connection) => connection.id}
        empty={
          q || faulted ? (
            <Empty
              icon={SearchX}
              title="No connection matches."
              action={<Button onClick={() => change({ q: undefined, faulted: undefined })}>Clear filters</Button>}
            />
          ) : (
            <NoConnections />
          )
        }
        query={found}
        sentence={sentenceOf}
        paging={{ page, size, total: found.data?.total, onPage: (next) => change({ page: next + 1 }) }}
      />
      {opened && <ConnectionPanel key={opened.id} connection={opened} onClose={close} />}
    </Page>
  )
}

function NoConnections() {
  return (
    <Empty
      icon={PlugZap}
      title="No connections yet"
      action={
        <LinkButton to="/catalogue" tone="primary">
          Open the catalogue
        </LinkButton>
      }
    >
      Register an application once, and every workflow of this account can use it. Credentials are encrypted and never
      shown again.
    </Empty>
  )
}

const columns: Column<Connection>[] = [
  {
    id: 'label',
    label: 'Connection',
    cell: (connection) => (
      <span className="flex min-w-0 items-center gap-2.5">
        <ApplicationLogo shortName={connection.shortName} size={24} />
        <Link
          to="/connections"
          search={(before) => ({ ...before, id: connection.id })}
          className="truncate font-medium hover:text-accent hover:underline"
        >
          {connection.tagText || connection.name}
        </Link>
        {connection.tags.map((tag) => (
          <span key={tag} className="rounded-sm bg-raised px-1.5 text-label text-muted">
            {tag}
          </span>
        ))}
      </span>
    ),
  },
  {
    id: 'application',
    label: 'Application',
    hideBelow: 'phone',
    width: '220px',
    cell: (connection) => connection.name,
  },
  {
    id: 'state',
    label: 'State',
    width: '120px',
    cell: (connection) => <ConnectionStateChip connection={connection} />,
  },
  {
    id: 'fault',
    label: 'Fault',
    hideBelow: 'desktop',
    cell: ({ faultMessage }) =>
      faultMessage && (
        <span className="block max-w-[48ch] truncate text-muted" title={faultMessage}>
          {faultMessage}
        </span>
      ),
  },
  {
    id: 'uses',
    label: 'Workflows',
    align: 'end',
    width: '100px',
    hideBelow: 'phone',
    cell: ({ workflowsCount }) => workflowsCount,
  },
  {
    id: 'changed',
    label: 'Changed',
    align: 'end',
    width: '110px',
    hideBelow: 'desktop',
    cell: ({ modifyDateTimeUTC }) => (
      <span className="text-muted">
        <Time iso={modifyDateTimeUTC} />
      </span>
    ),
  },
]
