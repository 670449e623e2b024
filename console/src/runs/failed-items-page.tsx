// Items that failed, over all workflows, until somebody has seen to them.
import { getRouteApi, Link } from '@tanstack/react-router'
import { ListX } from 'lucide-react'
import { useCallback, useState } from 'react'
import { type Answer, sentenceOf, useOperation } from '../api.ts'
import { useReachesOthers } from '../session/reach.ts'
import { session } from '../session/session.ts'
import { Button } from '../ui/button.tsx'
import type { Column } from '../ui/data-table.tsx'
import { Empty } from '../ui/empty.tsx'
import { FilterChip } from '../ui/filter-chip.tsx'
import { useFilterChange } from '../ui/filters.ts'
import { ListPanel } from '../ui/list-panel.tsx'
import { Page } from '../ui/page.tsx'
import { SearchBox } from '../ui/search-box.tsx'
import { useStore } from '../ui/store.ts'
import { Time } from '../ui/time.tsx'
import { DismissDialog } from './dismiss-dialog.tsx'
import { EditItemDialog } from './edit-item-dialog.tsx'
import { useRetryItems } from './use-retry-items.ts'

const route = getRouteApi('/failed-items')
const size = 50
export type FailedItem = Answer<'FailedItems'>['items'][number]
const keyOf = (item: FailedItem) => `${item.workflowId} ${item.runNumber} ${item.uniqueBlockId} ${item.key}`

export function FailedItemsPage() {
  const filters = route.useSearch()
  const change = useFilterChange<typeof filters>(route.useNavigate())
  const reachesOthers = useReachesOthers()
  const isAcross = reachesOthers && filters.all === true
  const page = (filters.page ?? 1) - 1
  const found = useOperation(
    'FailedItems',
    {
      body: {
        page,
        size,
        ...(isAcross ? { acrossAccounts: true } : {}),
        ...(filters.q ? { searchTerm: filters.q } : {}),
        ...(filters.workflow ? { workflowId: filters.workflow } : {}),
      },
    },
    { keepPrevious: true, refetchInterval: 15_000 },
  )
  const items = found.data?.items
  const [keys, setKeys] = useState<ReadonlySet<string>>(new Set())
  const chosen = (items ?? []).filter((item) => keys.has(keyOf(item)))
  const isAll = chosen.length > 0 && chosen.length === items?.length
  const ownId = useStore(session)?.myAccount.id
  return (
    <Page
      title="Failed items"
      lead="Each stays here until a retry of it succeeds or somebody dismisses it, also when its run ended well."
    >
      <search aria-label="Filters" className="mb-3 flex flex-wrap items-center gap-2">
        {reachesOthers && (
          <FilterChip
            label="All accounts"
            isOn={filters.all === true}
            onChange={(isOn) => change({ all: isOn ? true : undefined })}
          />
        )}
        <SearchBox
          className="w-full sm:w-72"
          value={filters.q ?? ''}
          onSearch={useCallback((q: string) => change({ q: q === '' ? undefined : q }), [change])}
          placeholder="Search key, error, workflow or block"
        />
        {filters.workflow && <FilterChip label="One workflow" isOn onChange={() => change({ workflow: undefined })} />}
      </search>
      <ListPanel
        label="Failed items"
        columns={columnsOf(isAcross, ownId)}
        rows={items}
        keyOf={keyOf}
        selection={{
          has: (item) => keys.has(keyOf(item)),
          toggle: (item) => setKeys((before) => before.symmetricDifference(new Set([keyOf(item)]))),
          toggleAll: () => setKeys(isAll ? new Set() : new Set(items?.map(keyOf))),
          isAll,
          nameOf: (item) => `${item.key} of ${item.workflowName}`,
        }}
        above={<ItemActions items={chosen} onDone={() => setKeys(new Set())} />}
        empty={
          <Empty icon={ListX} title={filters.q || filters.workflow ? 'No failed item matches.' : 'No failed items'}>
            A block that runs for each item of a list records the ones that fail. They wait here for a person.
          </Empty>
        }
        query={found}
        sentence={sentenceOf}
        paging={{ page, size, total: found.data?.total, onPage: (next) => change({ page: next + 1 }) }}
      />
    </Page>
  )
}

function ItemActions({ items, onDone }: { items: readonly FailedItem[]; onDone: () => void }) {
  const [asked, setAsked] = useState<'dismiss' | 'edit'>()
  const retry = useRetryItems(onDone)
  const [first] = items
  if (!first) return null
  return (
    <div className="flex flex-wrap items-center gap-2 border-b border-line bg-accent-soft px-3 py-1.5">
      <span className="mr-1 text-table font-medium text-accent">{items.length} selected</span>
      <Button size="small" tone="primary" isBusy={retry.isPending} onClick={() => retry.mutate({ items })}>
        Retry
      </Button>
      {items.length === 1 && (
        <Button size="small" onClick={() => setAsked('edit')}>
          Edit and retry
        </Button>
      )}
      <Button size="small" onClick={() => setAsked('dismiss')}>
        Dismiss
      </Button>
      <Button size="small" tone="quiet" onClick={onDone}>
        Clear selection
      </Button>
      {asked === 'dismiss' && <DismissDialog items={items} onClose={() => setAsked(undefined)} onDone={onDone} />}
      {asked === 'edit' && <EditItemDialog item={first} onClose={() => setAsked(undefined)} onDone={onDone} />}
    </div>
  )
}

type ScopeOf = (item: FailedItem) => { as?: string }

function columnsOf(isAcross: boolean, ownId: string | undefined): readonly Column<FailedItem>[] {
  const scopeOf: ScopeOf = ({ accountId }) => (accountId === ownId ? {} : { as: accountId })
  return [...whatFailed(isAcross, scopeOf), ...whatBecame(scopeOf)]
}

function whatFailed(isAcross: boolean, scopeOf: ScopeOf): Column<FailedItem>[] {
  return [
    {
      id: 'key',
      label: 'Item',
      width: '150px',
      cell: (item) => (
        <Link
          to="/workflows/$id/runs/$number"
          params={{ id: item.workflowId, number: String(item.runNumber) }}
          search={{ block: item.uniqueBlockId, ...scopeOf(item) }}
          className="block truncate font-mono font-medium hover:text-accent hover:underline"
          title={item.key}
        >
          {item.key}
        </Link>
      ),
    },
    {
      id: 'error',
      label: 'Error',
      cell: (item) => (
        <span className="block min-w-0">
          <span className="block truncate" title={item.errorMessage}>
            {item.errorMessage}
          </span>
          <span className="block truncate text-label text-muted sm:hidden">{item.workflowName}</span>
        </span>
      ),
    },
    {
      id: 'workflow',
      label: 'Workflow',
      width: '240px',
      hideBelow: 'phone',
      cell: (item) => (
        <span className="block min-w-0 leading-4">
          <Link
            to="/workflows/$id"
            params={{ id: item.workflowId }}
            search={scopeOf(item)}
            className="block truncate hover:text-accent hover:underline"
          >
            {item.workflowName} › {item.blockName}
          </Link>
          {isAcross && <span className="block truncate text-label text-muted">{item.accountEmail}</span>}
        </span>
      ),
    },
  ]
}

function whatBecame(scopeOf: ScopeOf): Column<FailedItem>[] {
  return [
    {
      id: 'tries',
      label: 'Tries',
      width: '64px',
      align: 'end',
      hideBelow: 'phone',
      cell: ({ tries }) => <span className="tabular-nums">{tries}</span>,
    },
    {
      id: 'retried',
      label: 'Retried by',
      width: '104px',
      hideBelow: 'desktop',
      cell: (item) =>
        item.retriedByRunNumber === null ? (
          <span className="text-faint">–</span>
        ) : (
          <Link
            to="/workflows/$id/runs/$number"
            params={{ id: item.workflowId, number: String(item.retriedByRunNumber) }}
            search={scopeOf(item)}
            className="hover:text-accent hover:underline"
          >
            Run {item.retriedByRunNumber}
          </Link>
        ),
    },
    {
      id: 'since',
      label: 'Since',
      width: '104px',
      align: 'end',
      cell: ({ failedDateTimeUTC }) => (
        <span className="text-muted">
          <Time iso={failedDateTimeUTC} />
        </span>
      ),
    },
  ]
}
