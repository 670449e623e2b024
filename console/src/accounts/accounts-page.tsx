// The accounts that one may act for, and for a Manager what each may do.
import { getRouteApi } from '@tanstack/react-router'
import { Plus, SearchX, Users } from 'lucide-react'
import { useCallback, useState } from 'react'
import { type Body, sentenceOf, useOperation } from '../api.ts'
import { session } from '../session/session.ts'
import { Button } from '../ui/button.tsx'
import { Empty } from '../ui/empty.tsx'
import { Select } from '../ui/field.tsx'
import { useFilterChange } from '../ui/filters.ts'
import { ListPanel } from '../ui/list-panel.tsx'
import { Page } from '../ui/page.tsx'
import { SearchBox } from '../ui/search-box.tsx'
import { useStore } from '../ui/store.ts'
import { accountColumns } from './account-columns.tsx'
import { AccountDialog } from './account-dialog.tsx'
import { type Account, stateWords } from './account-state.tsx'

const route = getRouteApi('/accounts')
const size = 50

export function AccountsPage() {
  const filters = route.useSearch()
  const navigate = route.useNavigate()
  const change = useFilterChange<typeof filters>(navigate)
  const role = useStore(session)?.myAccount.role
  const [asked, setAsked] = useState<Account | 'new'>()
  const page = (filters.page ?? 1) - 1
  const found = useOperation('ManagedAccounts', { body: bodyOf(filters, page) }, { keepPrevious: true })
  const search = useCallback((q: string) => change({ q: q === '' ? undefined : q }), [change])
  return (
    <Page
      title="Accounts"
      lead="Each customer has an account with workflows, connections and keys of its own."
      actions={
        role !== 'User' && (
          <Button tone="primary" icon={Plus} onClick={() => setAsked('new')}>
            New account
          </Button>
        )
      }
    >
      <search aria-label="Filters" className="mb-3 flex flex-wrap items-center gap-2">
        <SearchBox
          className="w-full sm:w-72"
          value={filters.q ?? ''}
          onSearch={search}
          placeholder="Search name and e-mail address"
        />
        <Select
          label="State"
          isLabelHidden
          className="w-44"
          value={filters.state ?? ''}
          onChange={(event) => change({ state: event.target.value || undefined })}
          options={[
            { value: '', label: 'All states' },
            ...Object.entries(stateWords).map(([value, label]) => ({ value, label })),
          ]}
        />
      </search>
      <ListPanel
        label="Accounts"
        columns={accountColumns({ isManager: role === 'Manager', onEdit: setAsked })}
        rows={found.data?.accounts}
        keyOf={(account) => account.id}
        empty={
          filters.q || filters.state ? (
            <Empty icon={SearchX} title="No account matches these filters." />
          ) : (
            <Empty icon={Users} title="No accounts yet">
              Create an account for each customer. You can then act for it with “Manage as …”.
            </Empty>
          )
        }
        query={found}
        sentence={sentenceOf}
        paging={{ page, size, total: found.data?.total, onPage: (next) => change({ page: next + 1 }) }}
      />
      {asked && <AccountDialog account={asked === 'new' ? undefined : asked} onClose={() => setAsked(undefined)} />}
    </Page>
  )
}

function bodyOf(
  filters: { q?: string | undefined; state?: string | undefined },
  page: number,
): Body<'ManagedAccounts'> {
  return {
    page,
    size,
    ...(filters.q ? { searchTerm: filters.q } : {}),
    ...(filters.state ? { accountState: [filters.state as Account['accountState']] } : {}),
  }
}
