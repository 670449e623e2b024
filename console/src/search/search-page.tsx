// One box for everything: an order number finds the runs, webhook requests and blocks that held it.
import { getRouteApi } from '@tanstack/react-router'
import { Search } from 'lucide-react'
import { useCallback } from 'react'
import { sentenceOf, useOperation } from '../api.ts'
import { session } from '../session/session.ts'
import { Button } from '../ui/button.tsx'
import { Empty } from '../ui/empty.tsx'
import { FilterChip } from '../ui/filter-chip.tsx'
import { useFilterChange } from '../ui/filters.ts'
import { ListPanel } from '../ui/list-panel.tsx'
import { Page, Section } from '../ui/page.tsx'
import { Panel } from '../ui/panel.tsx'
import { SearchBox } from '../ui/search-box.tsx'
import { useStore } from '../ui/store.ts'
import { byRun, foundColumns } from './found-columns.tsx'
import { NamedThings } from './named-things.tsx'
import { type Place, placeWords } from './places.ts'

const route = getRouteApi('/search')
const size = 50

export function SearchPage() {
  const filters = route.useSearch()
  const navigate = route.useNavigate()
  const change = useFilterChange<typeof filters>(navigate)
  const search = useCallback((q: string) => change({ q: q === '' ? undefined : q }), [change])
  const mayReachOthers = useStore(session)?.myAccount.role !== 'User'
  const term = filters.q?.trim() ?? ''
  return (
    <Page title="Search">
      <search className="mb-4 flex flex-wrap items-center gap-2">
        <SearchBox
          className="w-full sm:w-[480px]"
          value={filters.q ?? ''}
          onSearch={search}
          placeholder="Order number, e-mail address, name, words from an error"
        />
        {(Object.keys(placeWords) as Place[]).map((place) => (
          <FilterChip
            key={place}
            label={placeWords[place]}
            isOn={filters.in === place}
            onChange={(isOn) => change({ in: isOn ? place : undefined })}
          />
        ))}
        {mayReachOthers && (
          <FilterChip
            label="All accounts"
            isOn={filters.all === true}
            onChange={(isOn) => change({ all: isOn ? true : undefined })}
          />
        )}
      </search>
      {term === '' ? (
        <Panel>
          <Empty icon={Search} title="What are you looking for?">
            Words are found whole, in webhook payloads, block results, logs, errors and outbound calls. “4711” finds the
            order, “anna@example.com” the customer.
          </Empty>
        </Panel>
      ) : (
        <>
          <NamedThings term={term} />
          <Found
            term={term}
            filters={filters}
            onPage={(page) => change({ page })}
            onEverywhere={mayReachOthers && !filters.all ? () => change({ all: true }) : undefined}
          />
        </>
      )}
    </Page>
  )
}

type Filters = { in?: string | undefined; all?: true | undefined; page?: number | undefined }

function Found({
  term,
  filters,
  onPage,
  onEverywhere,
}: {
  term: string
  filters: Filters
  onPage: (page: number) => void
  /** Given while other accounts are left out. */
  onEverywhere: (() => void) | undefined
}) {
  const page = (filters.page ?? 1) - 1
  const found = useOperation(
    'SearchRuns',
    {
      body: {
        searchTerm: term,
        page,
        size,
        ...(filters.in ? { in: [filters.in as Place] } : {}),
        ...(filters.all ? { acrossAccounts: true } : {}),
      },
    },
    { keepPrevious: true },
  )
  return (
    <Section title="Runs and webhook requests">
      <ListPanel
        label="Runs and webhook requests"
        columns={foundColumns(term, filters.all === true)}
        rows={found.data ? byRun(found.data.items) : undefined}
        keyOf={({ key }) => key}
        empty={
          <Empty
            icon={Search}
            title={`Nothing found for “${term}”.`}
            action={onEverywhere && <Button onClick={onEverywhere}>Search all accounts</Button>}
          >
            Words are matched whole: “4711” does not find “47110”. A run can be found a few seconds after it ended.
          </Empty>
        }
        query={found}
        sentence={sentenceOf}
        paging={{ page, isLast: found.data?.isLast ?? true, onPage: (next) => onPage(next + 1) }}
      />
    </Section>
  )
}
