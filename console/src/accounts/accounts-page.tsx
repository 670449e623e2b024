// The accounts that one may act for, and for a Manager what each may do.
import { getRouteApi } from '@tanstack/react-router'
import { Plus, SearchX, Users } from 'lucide-react'
import { useCallback, useState } from 'react'
import { type Body, sentenceOf, useOperation } from '../api.ts'
import { session } from '../session/session.ts'
import { Button } from '../ui/button.tsx'
import { DataTable } from '../ui/data-table.tsx'
import { Empty } from '../ui/empty.tsx'
import { Select } from '../ui/field.tsx'
import { Notice } from '../ui/notice.tsx'
import { Page } from '../ui/page.tsx'
import { Pagination } from '../ui/pagination.tsx'
import { Panel } from '../ui/panel.tsx'
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
  const change = useCallback(
    (changes: Partial<typeof filters>) =>
      void navigate({
        search: (before: object) => ({ ...before, page: undefined, ...changes }) as never,
        replace: true,
      }),
    [navigate],
  )
  const role = useStore(session)?.myAccount.role
  const [asked, setAsked] = useState<Account | 'new'>()
  const page = (filters.page ?? 1) - 1
  const found = useOperation('ManagedAccounts', { body: bodyOf(filters, page) }, { keepPrevious: true })
  const search = useCallback(
    (q: string) => change({ q: q === '' ? undefined : q } as Partial<typeof filters>),
    [change],
  )
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
          placeholder="Search name and e-mail"
        />
        <Select
          label="State"
          isLabelHidden
          className="w-44"
          value={filters.state ?? ''}
          onChange={(event) => change({ state: event.target.value || undefined } as Partial<typeof filters>)}
          options={[
            { value: '', label: 'All states' },
            ...Object.entries(stateWords).map(([value, label]) => ({ value, label })),
          ]}
        />
      </search>
      {found.error && !found.data ? (
        <Notice kind="error">{sentenceOf(found.error)}</Notice>
      ) : (
        <Panel>
          <DataTable
            label="Accounts"
            columns={accountColumns({ isManager: role === 'Manager', onEdit: setAsked })}
            rows={found.data?.accounts}
            keyOf={(account) => account.id}
            isRefreshing={found.isPlaceholderData}
            empty={
              filters.q || filters.state ? (
                <Empty icon={SearchX} title="No account matches these filters." />
              ) : (
                <Empty icon={Users} title="No accounts yet">
                  Make an account for each customer. You can then act for it with “Manage as …”.
                </Empty>
              )
            }
          />
          <Pagination page={page} size={size} total={found.data?.total} onPage={(next) => change({ page: next + 1 })} />
        </Panel>
      )}
      {asked && <AccountDialog account={asked === 'new' ? undefined : asked} onClose={() => setAsked(undefined)} />}
    </Page>
  )
}

function bodyOf(filters: { q?: string; state?: string }, page: number): Body<'ManagedAccounts'> {
  return {
    page,
    size,
    ...(filters.q ? { searchTerm: filters.q } : {}),
    ...(filters.state ? { accountState: [filters.state as Account['accountState']] } : {}),
  }
}
